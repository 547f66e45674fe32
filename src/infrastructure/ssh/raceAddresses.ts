import dns from 'node:dns/promises';
import net from 'node:net';
import { abortReason, type ClockPort, type Disposable } from '../../agentkit/index.ts';

export interface RaceOptions {
  /** Names or addresses, all of one machine. */
  readonly addresses: readonly string[];
  readonly port: number;
  readonly timeoutMs: number;
  readonly clock: ClockPort;
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
 * The first TCP connection that comes about among all addresses of all names, both families in turn. The socket is paused and has
 * TCP_NODELAY; the caller owns it. Rejects with `RaceLost`, or with the signal's reason. Source: ssh.md 1.2, 1.3; TRAP-6.
 */
export async function raceAddresses(options: RaceOptions, signal: AbortSignal): Promise<net.Socket> {
  const found = await resolveAll(options.addresses);
  signal.throwIfAborted();
  if (found.addresses.length === 0)
    throw found.failure ?? new RaceLost(options.addresses[0] ?? '', 'ENOTFOUND');
  return new Race(found.addresses, options).run(signal);
}

class Race {
  readonly #waiting: string[];
  readonly #options: RaceOptions;
  readonly #tries = new Map<net.Socket, Disposable>();
  #stagger: Disposable | undefined;
  #firstFailure: RaceLost | undefined;

  constructor(addresses: readonly string[], options: RaceOptions) {
    this.#waiting = [...addresses];
    this.#options = options;
  }

  run(signal: AbortSignal): Promise<net.Socket> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => settle(() => reject(abortReason(signal)));
      const settle = (finish: () => void, winner?: net.Socket): void => {
        signal.removeEventListener('abort', onAbort);
        this.#stagger?.dispose();
        for (const [socket, timer] of this.#tries) {
          timer.dispose();
          if (socket !== winner) socket.destroy();
        }
        this.#tries.clear();
        this.#waiting.length = 0;
        finish();
      };
      const next = (): void => {
        this.#stagger?.dispose();
        const address = this.#waiting.shift();
        if (address !== undefined) {
          this.#try(address, { won: (socket) => settle(() => resolve(socket), socket), lost });
          this.#stagger = this.#options.clock.after(staggerMs, next);
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
    address: string,
    outcome: { readonly won: (socket: net.Socket) => void; readonly lost: (failure: RaceLost) => void },
  ): void {
    const socket = net.connect({ host: address, port: this.#options.port, noDelay: true });
    socket.pause();
    const timer = this.#options.clock.after(this.#options.timeoutMs, () =>
      fail(new RaceLost(address, undefined)),
    );
    this.#tries.set(socket, timer);
    const fail = (failure: RaceLost): void => {
      if (!this.#tries.delete(socket)) return;
      timer.dispose();
      socket.destroy();
      outcome.lost(failure);
    };
    socket.on('error', (error: NodeJS.ErrnoException) =>
      fail(new RaceLost(address, error.code ?? 'EUNKNOWN', error)),
    );
    socket.once('connect', () => {
      if (this.#tries.has(socket)) outcome.won(socket);
    });
  }
}

interface Resolved {
  readonly addresses: readonly string[];
  readonly failure: RaceLost | undefined;
}

/** Every address once; the families take turns, the family that the system prefers first. */
async function resolveAll(names: readonly string[]): Promise<Resolved> {
  let failure: RaceLost | undefined;
  const lists = await Promise.all(
    names.map(async (name) => {
      if (net.isIP(name) !== 0) return [{ address: name, family: net.isIP(name) }];
      try {
        return await dns.lookup(name, { all: true, order: 'verbatim' });
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'ENOTFOUND';
        failure ??= new RaceLost(name, code, error);
        return [];
      }
    }),
  );
  return { addresses: [...new Set(lists.flatMap(byTurns))], failure };
}

function byTurns(list: readonly { readonly address: string; readonly family: number }[]): readonly string[] {
  const first = list.filter(({ family }) => family === list[0]?.family);
  const second = list.filter(({ family }) => family !== list[0]?.family);
  return Array.from({ length: Math.max(first.length, second.length) }, (_, n) => [first[n], second[n]])
    .flat()
    .flatMap((entry) => (entry === undefined ? [] : [entry.address]));
}
