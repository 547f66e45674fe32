import type { Duplex } from 'node:stream';
import type { ClockPort } from '../../../agentkit/index.ts';
import type { SecretStorePort } from '../../../application/ports/prompts.ts';
import type { Carrier } from '../../../application/ports/transport.ts';
import { isTermindError, type Fault } from '../../../domain/fault.ts';
import type { ProxyServer } from '../../../domain/host/host.ts';
import { connectionFault, faultError } from '../../../domain/ssh/connectionFault.ts';
import { nameJumpRefusal } from '../../../domain/ssh/nameJumpRefusal.ts';
import type { Route } from '../../../domain/ssh/route.ts';
import type { Target } from '../../../domain/ssh/target.ts';
import type { TraceFact } from '../../../domain/ssh/trace.ts';
import { showUntrusted } from '../../../domain/ssh/untrustedText.ts';
import { raceAddresses, RaceLost } from '../raceAddresses.ts';
import { askProxy, ProxyRefusal, type ProxyLogin } from './askProxy.ts';
import { ProxyProgram } from './proxyProgram.ts';
import { StreamEnded } from './answerReader.ts';
import { placeText } from '../../../domain/host/placeText.ts';

/** What carries the bytes of one hop. The caller owns the stream: destroying it ends a program, too. */
export interface OpenedCarrier {
  /** Paused. */
  readonly stream: Duplex;
  /** Where it leads to, as far as it is known here. */
  readonly address: string;
  /** Which of the target's addresses it was; undefined where a program decides. */
  readonly name: string | undefined;
  /** The fault of a stream that ended by itself, where the carrier knows better than the protocol. */
  readonly nameEnd: (hasIdentified: boolean) => Fault | undefined;
  /** As `SocketReads.share`; undefined where the bytes of the stream come from no socket of ours. */
  readonly shareReads?: (isShared: boolean) => void;
}

export interface CarrierRequest {
  readonly target: Target;
  /** Without the addresses that another server turned out to answer at. */
  readonly addresses: readonly string[];
  readonly hop: string;
  readonly via: Carrier | undefined;
  readonly timeoutMs: number;
  readonly note: (fact: TraceFact) => void;
}

export interface CarrierParts {
  readonly clock: ClockPort;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** False in a folder that is not trusted: no program is started then. */
  readonly mayRunPrograms: () => boolean;
  readonly proxySecrets: Pick<SecretStorePort, 'get'>;
}

/**
 * Opens what the target's route asks for. Rejects with `RaceLost`, with a `TermindError` that names the hop, or with the signal's reason;
 * nothing stays open then. Source: ssh.md 1.2.
 */
export function openCarrier(
  request: CarrierRequest,
  parts: CarrierParts,
  signal: AbortSignal,
): Promise<OpenedCarrier> {
  const { route } = request.target;
  switch (route.k) {
    case 'direct':
      return openDirect(request, parts, signal);
    case 'jump':
      return openThroughHop(request, signal);
    case 'program':
      return openProgram(request, route, parts);
    case 'proxy':
      return openThroughProxy(request, { ...parts, proxy: route.proxy }, signal);
  }
}

async function openDirect(
  request: CarrierRequest,
  { clock }: CarrierParts,
  signal: AbortSignal,
): Promise<OpenedCarrier> {
  request.note({ k: 'carrier', kind: 'direct', via: undefined });
  const { socket, reads, name } = await raceAddresses(
    { ...raceOf(request, clock), addresses: request.addresses, port: request.target.port },
    signal,
  );
  return {
    stream: socket,
    address: socket.remoteAddress ?? name,
    name,
    nameEnd: () => undefined,
    shareReads: (isShared) => reads.share(isShared),
  };
}

type Race = Parameters<typeof raceAddresses>[0];

function raceOf(request: CarrierRequest, clock: ClockPort): Omit<Race, 'addresses' | 'port'> {
  const { target, timeoutMs, note } = request;
  return {
    timeoutMs,
    clock,
    family: target.addressFamily,
    bindAddress: target.bindAddress,
    bindInterface: target.bindInterface,
    keepAlive: target.tcpKeepAlive,
    onTried: (tried) => note({ k: 'address', ...tried }),
  };
}

/** The addresses of the record one after the other: what the jump host says about one decides about the next. */
async function openThroughHop(request: CarrierRequest, signal: AbortSignal): Promise<OpenedCarrier> {
  const { via, note, target, hop } = request;
  if (via === undefined)
    throw faultError(
      connectionFault('internal', { stage: 'route', hop }, { reason: 'no jump host is open' }),
    );
  note({ k: 'carrier', kind: 'jump', via: via.hop });
  const { port } = target;
  return firstOf(request, async (address) => {
    try {
      const stream = await via.direct({ host: address, port }, signal);
      return { stream, address, name: address, nameEnd: () => undefined };
    } catch (error) {
      if (!isTermindError(error) || error.fault.code !== 'forward-refused') throw error;
      const { number, text = '' } = error.fault.facts;
      note({ k: 'channelRefused', reason: number === undefined ? undefined : Number(number), text });
      throw faultError(nameJumpRefusal(error.fault, { hop: via.hop, address, port }), error);
    }
  });
}

/** Tries each address until one works; the first failure counts. */
async function firstOf(
  { addresses, target, note }: CarrierRequest,
  open: (address: string) => Promise<OpenedCarrier>,
): Promise<OpenedCarrier> {
  let first: unknown;
  for (const address of addresses) {
    try {
      const opened = await open(address);
      note({ k: 'address', address, port: target.port, result: 'connected', reason: undefined });
      return opened;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      note({ k: 'address', address, port: target.port, result: 'failed', reason });
      first ??= error;
      if (isTermindError(error) && ['cancelled', 'link-lost'].includes(error.fault.code)) break;
    }
  }
  throw first instanceof Error ? first : new RaceLost(target.addresses[0] ?? '', 'ENOTFOUND');
}

async function openProgram(
  request: CarrierRequest,
  route: Extract<Route, { k: 'program' }>,
  { clock, environment, mayRunPrograms }: CarrierParts,
): Promise<OpenedCarrier> {
  const { hop, note, target } = request;
  note({ k: 'carrier', kind: 'program', via: showUntrusted(route.command) });
  const place = { stage: 'route', hop } as const;
  if (!mayRunPrograms())
    throw faultError(connectionFault('config-consent', place, { path: route.at, program: 'ProxyCommand' }));
  if (route.passesDescriptor)
    throw faultError(connectionFault('needs-system-ssh', place, { option: 'ProxyUseFdpass' }));
  const program = new ProxyProgram({
    command: route.command,
    environment,
    clock,
    onLine: (text) => note({ k: 'output', text }),
  });
  return {
    stream: program,
    address: target.addresses[0] ?? '',
    name: undefined,
    nameEnd: (hasIdentified) =>
      hasIdentified && !program.hasFailed
        ? undefined
        : connectionFault('proxy-failed', { stage: 'route', hop }, { text: program.lastWords ?? 'it ended' }),
  };
}

async function openThroughProxy(
  request: CarrierRequest,
  parts: CarrierParts & { readonly proxy: ProxyServer },
  signal: AbortSignal,
): Promise<OpenedCarrier> {
  const { proxy, clock } = parts;
  const { note, target, hop, timeoutMs } = request;
  const where = placeText(proxy.host, proxy.port);
  note({ k: 'carrier', kind: proxy.kind === 'http' ? 'http' : 'socks', via: where });
  const login = await loginOf(proxy, parts);
  return firstOf(request, async (address) => {
    const { socket, reads } = await raceAddresses(
      { ...raceOf(request, clock), addresses: [proxy.host], port: proxy.port },
      signal,
    ).catch((error: unknown) => {
      signal.throwIfAborted();
      const text = error instanceof RaceLost ? `${where}: ${error.code ?? 'no answer'}` : String(error);
      throw faultError(connectionFault('proxy-failed', { stage: 'route', hop }, { text }), error);
    });
    const late = new AbortController();
    const timer = clock.after(timeoutMs, () => late.abort(new ProxyRefusal('the proxy does not answer')));
    try {
      const to = { host: address, port: target.port };
      await askProxy(socket, { kind: proxy.kind, to, login }, AbortSignal.any([signal, late.signal]));
      const shareReads = (isShared: boolean): void => reads.share(isShared);
      return { stream: socket, address, name: address, nameEnd: () => undefined, shareReads };
    } catch (error) {
      socket.destroy();
      signal.throwIfAborted();
      throw faultError(nameProxyFailure(error, hop), error);
    } finally {
      timer.dispose();
    }
  });
}

async function loginOf(
  { user, secretRef }: ProxyServer,
  { proxySecrets }: CarrierParts,
): Promise<ProxyLogin | undefined> {
  if (user === undefined || user === '') return undefined;
  const password = secretRef === undefined ? undefined : await proxySecrets.get(secretRef);
  return { user, password: password ?? '' };
}

function nameProxyFailure(error: unknown, hop: string): Fault {
  const text =
    error instanceof StreamEnded
      ? 'the proxy closed the connection'
      : error instanceof Error
        ? error.message
        : String(error);
  const fault = connectionFault('proxy-failed', { stage: 'route', hop }, { text });
  return error instanceof ProxyRefusal && error.isAboutLogin ? { ...fault, retry: 'user' } : fault;
}
