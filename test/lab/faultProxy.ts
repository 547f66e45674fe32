import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import { FaultLane, type Direction, type LaneRules } from './faultLane.ts';

export type { Direction } from './faultLane.ts';

export interface Cut {
  readonly direction: Direction;
  /** Bytes of a connection that are delivered before it ends; 0 ends it as soon as it is accepted. */
  readonly afterBytes: number;
  /** `close` ends both sides in order, `reset` sends RST to both. */
  readonly by: 'close' | 'reset';
  /** How many connections are cut before the rule is spent; all when absent. */
  readonly connections?: number;
}

/** What is wrong with the line. Absent means: nothing of that kind. */
export interface Faults {
  /** One way, in both directions, so the round trip takes twice as long. Order is kept. */
  readonly delayMs?: number;
  /** Of the whole line and for each direction, shared by all connections. */
  readonly bytesPerSecond?: number;
  readonly cut?: Cut;
  /**
   * `hold` keeps everything back until it is taken away again, like a line that comes back; `swallow` accepts and
   * loses everything, ends included. A connection that has met `swallow` stays black for ever, because it has a gap.
   */
  readonly silence?: 'hold' | 'swallow';
}

export interface Traffic {
  /** Bytes that arrived at the proxy for this direction, swallowed ones included. */
  readonly received: number;
  /** Bytes that were written on. */
  readonly delivered: number;
}

export interface ProxyCounters {
  readonly accepted: number;
  readonly open: number;
  readonly cut: number;
  readonly toTarget: Traffic;
  readonly toClient: Traffic;
}

/** A TCP relay on 127.0.0.1 whose line can be made bad while it runs. Whoever starts it stops it. */
export interface FaultProxy {
  readonly host: '127.0.0.1';
  readonly port: number;
  readonly counters: ProxyCounters;
  /** Replaces all faults; `{}` mends the line. Bytes under way keep the delay they started with. */
  set(faults: Faults): void;
  /** Cuts every open connection now. */
  cutAll(by: Cut['by']): void;
  /** Stops listening, so that a connect is refused by the system. Open connections stay. */
  refuse(): Promise<void>;
  /** Listens again on the same port. */
  accept(): Promise<void>;
  /** Resolves when the counters satisfy `isReached`, now or later; rejects after `deadlineMs` (45 s when absent). */
  waitFor(isReached: (counters: ProxyCounters) => boolean, deadlineMs?: number): Promise<void>;
  stop(): Promise<void>;
}

export interface ProxyTarget {
  readonly host?: string;
  readonly port: number;
}

/** Starts a relay to `target`. A target that does not answer resets the client. */
export async function startFaultProxy(target: ProxyTarget, faults: Faults = {}): Promise<FaultProxy> {
  const proxy = new Relay(target, faults);
  await proxy.accept();
  return proxy;
}

interface Connection {
  readonly sockets: readonly Socket[];
  readonly lanes: readonly FaultLane[];
  /** Set once the connection has lost bytes. */
  isBlack: boolean;
}

class Relay implements FaultProxy {
  readonly host = '127.0.0.1';
  readonly #target: ProxyTarget;
  readonly #server = net.createServer({ allowHalfOpen: true }, (client) => this.#connect(client));
  readonly #connections = new Set<Connection>();
  readonly #watchers = new Set<() => void>();
  readonly #traffic = { toTarget: { received: 0, delivered: 0 }, toClient: { received: 0, delivered: 0 } };
  readonly #lineFreeAt = { toTarget: 0, toClient: 0 };
  #faults: Faults;
  #port = 0;
  #accepted = 0;
  #cut = 0;
  #cutsOfRule = 0;

  constructor(target: ProxyTarget, faults: Faults) {
    this.#target = target;
    this.#faults = faults;
  }

  get port(): number {
    return this.#port;
  }

  get counters(): ProxyCounters {
    return {
      accepted: this.#accepted,
      open: this.#connections.size,
      cut: this.#cut,
      toTarget: { ...this.#traffic.toTarget },
      toClient: { ...this.#traffic.toClient },
    };
  }

  set(faults: Faults): void {
    this.#faults = faults;
    this.#cutsOfRule = 0;
    for (const connection of [...this.#connections]) {
      if (faults.silence === 'swallow') this.#blacken(connection);
      for (const lane of connection.lanes) lane.pump();
    }
  }

  cutAll(by: Cut['by']): void {
    for (const connection of [...this.#connections]) this.#cutNow(connection, by);
  }

  async refuse(): Promise<void> {
    if (this.#server.listening) this.#server.close(); // its callback waits for open connections, which stay
  }

  async accept(): Promise<void> {
    if (this.#server.listening) return;
    this.#server.listen(this.#port, this.host);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address !== null && typeof address !== 'string') this.#port = address.port;
  }

  waitFor(isReached: (counters: ProxyCounters) => boolean, deadlineMs = 45_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!isReached(this.counters)) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#watchers.delete(look);
        reject(new Error(`Not reached within ${deadlineMs} ms: ${JSON.stringify(this.counters)}`));
      }, deadlineMs);
      this.#watchers.add(look);
      look();
    });
  }

  async stop(): Promise<void> {
    await this.refuse();
    for (const connection of [...this.#connections]) {
      for (const lane of connection.lanes) lane.close();
      for (const socket of connection.sockets) socket.destroy();
    }
    await this.waitFor(({ open }) => open === 0);
  }

  #connect(client: Socket): void {
    const target = net.connect({
      host: this.#target.host ?? '127.0.0.1',
      port: this.#target.port,
      allowHalfOpen: true,
    });
    const connection: Connection = {
      sockets: [client, target],
      lanes: [
        new FaultLane(
          client,
          target,
          this.#rules('toTarget', () => connection),
        ),
        new FaultLane(
          target,
          client,
          this.#rules('toClient', () => connection),
        ),
      ],
      isBlack: false,
    };
    this.#accepted += 1;
    this.#connections.add(connection);
    for (const socket of connection.sockets) {
      socket.setNoDelay(true);
      socket.on('error', () => {
        if (!connection.isBlack) this.#reset(connection);
      });
      socket.on('close', () => this.#forget(connection));
    }
    if (this.#faults.silence === 'swallow') this.#blacken(connection);
    if (this.#faults.cut?.afterBytes === 0 && this.#isCutLeft()) this.#cutByRule(connection);
    this.#changed();
  }

  #rules(direction: Direction, connection: () => Connection): LaneRules {
    const traffic = this.#traffic[direction];
    return {
      delayMs: () => this.#faults.delayMs ?? 0,
      reserve: (bytes, now) => this.#reserve(direction, bytes, now),
      untilCut: (delivered) => {
        const { cut } = this.#faults;
        if (cut?.direction !== direction || !this.#isCutLeft()) return Infinity;
        return Math.max(0, cut.afterBytes - delivered);
      },
      isHeld: () => this.#faults.silence === 'hold',
      cut: () => this.#cutByRule(connection()),
      received: (bytes) => {
        traffic.received += bytes;
        this.#changed();
      },
      delivered: (bytes) => {
        traffic.delivered += bytes;
        this.#changed();
      },
    };
  }

  #reserve(direction: Direction, bytes: number, now: number): number {
    const { bytesPerSecond } = this.#faults;
    if (bytesPerSecond === undefined) return now;
    const freeAt = Math.max(this.#lineFreeAt[direction], now) + (bytes / bytesPerSecond) * 1_000;
    this.#lineFreeAt[direction] = freeAt;
    return freeAt;
  }

  #isCutLeft(): boolean {
    return this.#cutsOfRule < (this.#faults.cut?.connections ?? Infinity);
  }

  #cutByRule(connection: Connection): void {
    this.#cutsOfRule += 1;
    this.#cutNow(connection, this.#faults.cut?.by ?? 'close');
  }

  #cutNow(connection: Connection, by: Cut['by']): void {
    this.#cut += 1;
    for (const lane of connection.lanes) lane.close();
    if (by === 'reset') this.#reset(connection);
    else for (const socket of connection.sockets) socket.end();
    this.#changed();
  }

  /** Bytes written before are in the kernel by then: a loopback socket takes them at once unless its peer does not read. */
  #reset(connection: Connection): void {
    for (const lane of connection.lanes) lane.close();
    for (const socket of connection.sockets) if (!socket.destroyed) socket.resetAndDestroy();
  }

  #blacken(connection: Connection): void {
    connection.isBlack = true;
    for (const lane of connection.lanes) lane.close();
  }

  #forget(connection: Connection): void {
    if (!connection.sockets.every((socket) => socket.destroyed)) return;
    this.#connections.delete(connection);
    this.#changed();
  }

  #changed(): void {
    for (const look of [...this.#watchers]) look();
  }
}
