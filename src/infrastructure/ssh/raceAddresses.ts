import dns from 'node:dns/promises';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { abortReason, untilAborted, type ClockPort, type Disposable } from '../../agentkit/index.ts';
import { SocketReads } from './socketReads.ts';

export interface RaceOptions {
  /** Names or addresses, all of one machine. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** For the resolution of the names, and for each address by itself. */
  readonly timeoutMs: number;
  readonly clock: ClockPort;
  /** AddressFamily; both when absent. */
  readonly family?: 'any' | 'inet' | 'inet6';
  /** BindAddress: a name or address of this machine. Wins over the interface. */
  readonly bindAddress?: string | undefined;
  /** BindInterface: an address of this interface is used. */
  readonly bindInterface?: string | undefined;
  /** TCPKeepAlive; on when absent. */
  readonly keepAlive?: boolean;
  readonly onTried?: (tried: TriedAddress) => void;
}

/** What became of one address. */
export interface TriedAddress {
  readonly address: string;
  readonly port: number;
  readonly result: 'connected' | 'failed' | 'overtaken';
  /** The operating system's code, or `timeout`. */
  readonly reason: string | undefined;
}

/** A connected socket and which of the names it belongs to. */
export interface RaceWon {
  /** Paused, with TCP_NODELAY. The caller owns it. */
  readonly socket: net.Socket;
  /** How that socket is read. */
  readonly reads: SocketReads;
  readonly name: string;
}

/** Why no address answered: the first cause. */
export class RaceLost extends Error {
  override readonly name = 'RaceLost';
  readonly address: string;
  /** The operating system's code, or undefined when our timer ended the last try. */
  readonly code: string | undefined;

  constructor(address: string, code: string | undefined, cause?: unknown) {
    super(`no connection to ${address}`, { cause });
    this.address = address;
    this.code = code;
  }
}

/** The next address is tried this long after the one before, or as soon as that failed. Source: ssh.md 1.2. */
const staggerMs = 250;

/**
 * The first TCP connection that comes about among all addresses of all names, both families in turn. Rejects with `RaceLost`, or with the
 * signal's reason. Source: ssh.md 1.2, 1.3; TRAP-6.
 */
export async function raceAddresses(options: RaceOptions, signal: AbortSignal): Promise<RaceWon> {
  const found = await resolveAll(options, signal);
  if (found.candidates.length === 0)
    throw found.failure ?? new RaceLost(options.addresses[0] ?? '', 'ENOTFOUND');
  const source = await sourceAddresses(options, signal);
  return new Race(found.candidates, options, source).run(signal);
}

interface Candidate {
  readonly address: string;
  readonly family: number;
  readonly name: string;
}

/** The own address to connect from, by family; `refuses` names what keeps a family from being used. */
interface SourceAddresses {
  readonly of: (family: number) => string | undefined;
  readonly isBound: boolean;
}

class Race {
  readonly #waiting: Candidate[];
  readonly #options: RaceOptions;
  readonly #source: SourceAddresses;
  readonly #tries = new Map<net.Socket, { readonly timer: Disposable; readonly candidate: Candidate }>();
  #stagger: Disposable | undefined;
  #firstFailure: RaceLost | undefined;

  constructor(candidates: readonly Candidate[], options: RaceOptions, source: SourceAddresses) {
    this.#waiting = [...candidates];
    this.#options = options;
    this.#source = source;
  }

  run(signal: AbortSignal): Promise<RaceWon> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => settle(() => reject(abortReason(signal)));
      const settle = (finish: () => void, winner?: net.Socket): void => {
        signal.removeEventListener('abort', onAbort);
        this.#stagger?.dispose();
        for (const [socket, { timer, candidate }] of this.#tries) {
          timer.dispose();
          if (socket === winner) continue;
          socket.destroy();
          this.#tell(candidate, 'overtaken');
        }
        this.#tries.clear();
        this.#waiting.length = 0;
        finish();
      };
      const next = (): void => {
        this.#stagger?.dispose();
        const candidate = this.#waiting.shift();
        if (candidate !== undefined) {
          this.#stagger = this.#options.clock.after(staggerMs, next);
          this.#try(candidate, {
            won: (reads) =>
              settle(() => resolve({ socket: reads.socket, reads, name: candidate.name }), reads.socket),
            lost,
          });
        } else if (this.#tries.size === 0)
          settle(() => reject(this.#firstFailure ?? new RaceLost('', undefined)));
      };
      const lost = (failure: RaceLost): void => {
        this.#firstFailure ??= failure;
        next();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      next();
    });
  }

  #try(
    candidate: Candidate,
    outcome: { readonly won: (reads: SocketReads) => void; readonly lost: (failure: RaceLost) => void },
  ): void {
    const { address, family } = candidate;
    const { port, clock, timeoutMs, keepAlive = true } = this.#options;
    const localAddress = this.#source.of(family);
    if (this.#source.isBound && localAddress === undefined) {
      this.#tell(candidate, 'failed', 'EADDRNOTAVAIL');
      return outcome.lost(new RaceLost(address, 'EADDRNOTAVAIL'));
    }
    const from = localAddress === undefined ? {} : { localAddress };
    const reads = new SocketReads({ host: address, port, noDelay: true, keepAlive, ...from });
    const { socket } = reads;
    socket.pause();
    const timer = clock.after(timeoutMs, () => fail(new RaceLost(address, undefined)));
    this.#tries.set(socket, { timer, candidate });
    const fail = (failure: RaceLost): void => {
      if (!this.#tries.delete(socket)) return;
      timer.dispose();
      socket.destroy();
      this.#tell(candidate, 'failed', failure.code ?? 'timeout');
      outcome.lost(failure);
    };
    socket.on('error', (error: NodeJS.ErrnoException) =>
      fail(new RaceLost(address, error.code ?? 'EUNKNOWN', error)),
    );
    socket.once('connect', () => {
      if (!this.#tries.has(socket)) return;
      this.#tell(candidate, 'connected');
      outcome.won(reads);
    });
  }

  #tell({ address }: Candidate, result: TriedAddress['result'], reason?: string): void {
    this.#options.onTried?.({ address, port: this.#options.port, result, reason });
  }
}

const familyNumbers = { any: 0, inet: 4, inet6: 6 } as const;

/** Every address once; the families take turns, the family that the system prefers first. */
async function resolveAll(
  options: RaceOptions,
  signal: AbortSignal,
): Promise<{ readonly candidates: readonly Candidate[]; readonly failure: RaceLost | undefined }> {
  const wanted = familyNumbers[options.family ?? 'any'];
  let failure: RaceLost | undefined;
  const lists = await Promise.all(
    options.addresses.map(async (name) => {
      try {
        const found = (await lookUp(name, options, signal)).filter(
          ({ family }) => wanted === 0 || family === wanted,
        );
        if (found.length === 0) failure ??= new RaceLost(name, 'EAI_NODATA');
        return byTurns(found.map((entry) => ({ ...entry, name })));
      } catch (error) {
        signal.throwIfAborted();
        const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
        failure ??= new RaceLost(name, code, error);
        options.onTried?.({ address: name, port: options.port, result: 'failed', reason: code ?? 'timeout' });
        return [];
      }
    }),
  );
  const byAddress = new Map<string, Candidate>();
  for (const candidate of lists.flat())
    if (!byAddress.has(candidate.address)) byAddress.set(candidate.address, candidate);
  return { candidates: [...byAddress.values()], failure };
}

/** The system's resolver has no end of its own, so the timer gives it one. Rejects without a code then. */
async function lookUp(
  name: string,
  { clock, timeoutMs }: Pick<RaceOptions, 'clock' | 'timeoutMs'>,
  signal: AbortSignal,
): Promise<readonly { readonly address: string; readonly family: number }[]> {
  const family = net.isIP(name);
  if (family !== 0) return [{ address: name, family }];
  const late = new AbortController();
  const timer = clock.after(timeoutMs, () => late.abort(new Error('the name was not resolved in time')));
  try {
    const found = dns.lookup(name, { all: true, order: 'verbatim' });
    found.catch(() => {}); // nobody may be waiting any more
    return await untilAborted(found, AbortSignal.any([signal, late.signal]));
  } finally {
    timer.dispose();
  }
}

async function sourceAddresses(options: RaceOptions, signal: AbortSignal): Promise<SourceAddresses> {
  const { bindAddress, bindInterface } = options;
  if (bindAddress === undefined && bindInterface === undefined)
    return { of: () => undefined, isBound: false };
  const own =
    bindAddress === undefined
      ? interfaceAddresses(bindInterface ?? '')
      : await lookUp(bindAddress, options, signal).catch(() => []);
  signal.throwIfAborted();
  return { of: (family) => own.find((entry) => entry.family === family)?.address, isBound: true };
}

/** Addresses of an interface, those that other networks can answer first. */
function interfaceAddresses(name: string): readonly { readonly address: string; readonly family: number }[] {
  const own = (networkInterfaces()[name] ?? []).map(({ address, family, scopeid }) => ({
    address: scopeid === undefined || scopeid === 0 ? address : `${address}%${name}`,
    family: family === 'IPv4' ? 4 : 6,
    isLinkLocal: scopeid !== undefined && scopeid !== 0,
  }));
  return [...own].sort((a, b) => Number(a.isLinkLocal) - Number(b.isLinkLocal));
}

function byTurns<T extends { readonly family: number }>(list: readonly T[]): readonly T[] {
  const first = list.filter(({ family }) => family === list[0]?.family);
  const second = list.filter(({ family }) => family !== list[0]?.family);
  return Array.from({ length: Math.max(first.length, second.length) }, (_, n) => [first[n], second[n]])
    .flat()
    .filter((entry) => entry !== undefined);
}
