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
  return follow(sources, { resolver, signal, before: [sources.asked], proxy: undefined });
}

async function follow<S extends RouteSources>(
  sources: S,
  way: {
    readonly resolver: RouteResolver<S>;
    readonly signal: AbortSignal;
    /** The names whose own jump hosts are being followed. */
    readonly before: readonly string[];
    readonly proxy: ProxyServer | undefined;
  },
): Promise<Target> {
  const { resolver, signal } = way;
  const proxy = sources.record?.route?.proxy ?? way.proxy;
  const chain = jumpChainOf(sources);
  const direct = resolver.build(sources, proxy === undefined ? undefined : { proxy });
  if (chain.length === 0) return direct;
  refuseSelf(chain.at(-1), direct, way.before);
  let via: Target | undefined;
  for (const element of chain) {
    const before = [...way.before, describeElement(element)];
    refuseCycle(before);
    const found = await resolver.find(element, signal);
    signal.throwIfAborted();
    via = via === undefined ? await follow(found, { ...way, before, proxy }) : resolver.build(found, { via });
  }
  return via === undefined ? direct : resolver.build(sources, { via });
}

function refuseCycle(names: readonly string[]): void {
  const last = names.at(-1);
  const start = names.findIndex((name) => name === last);
  if (start < names.length - 1) throw cycle(names.slice(start));
}

/** A jump host that is named like the server itself, which `ssh` refuses as well. */
function refuseSelf(last: JumpElement | undefined, target: Target, before: readonly string[]): void {
  const { alias, user = target.user, port = 22 } = last ?? { alias: '' };
  if (alias === target.addresses[0] && user === target.user && port === target.port)
    throw cycle([before.at(-1) ?? '', alias]);
}

function cycle(names: readonly string[]): Error {
  return localFault('config-error', {
    reason: `the chain of jump hosts reaches itself: ${names.join(' → ')}`,
  });
}
