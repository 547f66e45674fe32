import { localFault } from '../../domain/fault.ts';
import type { ProxyServer } from '../../domain/host/host.ts';
import { jumpChainOf, type RouteSources } from '../../domain/ssh/buildRoute.ts';
import type { TargetSources } from '../../domain/ssh/buildTarget.ts';
import { describeElement, type JumpElement } from '../../domain/ssh/jumpChain.ts';
import type { Target } from '../../domain/ssh/target.ts';

export interface RouteResolver<S extends RouteSources> {
  /** What the vault and the configuration know about a name in a chain. Rejects as `HostDirectory.target`. */
  readonly find: (element: JumpElement, signal: AbortSignal) => Promise<S>;
  readonly build: (sources: S, carrier: TargetSources['carrier']) => Target;
}

/** A name whose own jump hosts are being followed. */
interface Place {
  readonly name: string;
  readonly server: string;
}

/**
 * The target for what is known about a name, with every jump host on its way. As `ssh` does it, only the first host of a chain is
 * reached by the way that its own configuration names; each other one through the host before it. A network proxy of the record stands in
 * front of the first server. Rejects with `config-error` for a chain that reaches itself. Source: ssh.md 1.2.
 */
export function resolveRoute<S extends RouteSources>(
  sources: S,
  resolver: RouteResolver<S>,
  signal: AbortSignal,
): Promise<Target> {
  return follow(sources, { resolver, signal, before: [], proxy: undefined });
}

async function follow<S extends RouteSources>(
  sources: S,
  way: {
    readonly resolver: RouteResolver<S>;
    readonly signal: AbortSignal;
    readonly before: readonly Place[];
    readonly proxy: ProxyServer | undefined;
  },
): Promise<Target> {
  const { resolver, signal } = way;
  const proxy = sources.record?.route?.proxy ?? way.proxy;
  const chain = jumpChainOf(sources);
  const direct = resolver.build(sources, proxy === undefined ? undefined : { proxy });
  if (chain.length === 0) return direct;
  const before = [...way.before, { name: sources.asked, server: serverOf(direct) }];
  let via: Target | undefined;
  for (const element of chain) {
    const found = await resolver.find(element, signal);
    signal.throwIfAborted();
    const name = describeElement(element);
    refuseCycle(before, { name, server: serverOf(resolver.build(found, via && { via })) });
    via = via === undefined ? await follow(found, { ...way, before, proxy }) : resolver.build(found, { via });
  }
  return via === undefined ? direct : resolver.build(sources, { via });
}

function serverOf(target: Target): string {
  return JSON.stringify([target.user, target.addresses[0]?.toLowerCase(), target.port]);
}

function refuseCycle(before: readonly Place[], next: Place): void {
  const start = before.findIndex((place) => place.server === next.server);
  if (start < 0) return;
  const names = [...before.slice(start).map((place) => place.name), next.name];
  throw localFault('config-error', {
    reason: `the chain of jump hosts reaches itself: ${names.join(' → ')}`,
  });
}
