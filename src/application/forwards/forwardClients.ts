import type { Duplex } from 'node:stream';
import type { ClockPort, Disposable } from '../../agentkit/index.ts';
import { isTermindError, localFault } from '../../domain/fault.ts';
import type { ForwardDestination } from '../../domain/forward/forward.ts';
import { isPermitted, type PermittedOpens } from '../../domain/forward/permittedOpens.ts';
import { noCounters, type ForwardCounters } from './forwardState.ts';
import { relay } from './relay.ts';
import { socksRequest } from './socksClient.ts';
import { placeText } from '../../domain/host/placeText.ts';

/** Source: ssh.md 6. */
const mostClients = 512;

/** Somebody connected to the listening side, here or on the server. */
export interface ForwardClient {
  accept(): Duplex;
  reject(): void;
}

export interface ForwardClientsOptions {
  readonly clock: ClockPort;
  /** Undefined: each client names its own. */
  readonly destination: ForwardDestination | undefined;
  /** What they may name; absent = anything. */
  readonly permittedOpens?: PermittedOpens | undefined;
  readonly onChange: () => void;
}

export type Dial = (to: ForwardDestination, signal: AbortSignal) => Promise<Duplex>;

/** The clients of one forward and what went through. One that fails takes no other down. Disposing ends all of them. Source: ssh.md 6. */
export class ForwardClients implements Disposable {
  readonly #options: ForwardClientsOptions;
  readonly #ends = new Set<AbortController>();
  #counters: ForwardCounters = noCounters;

  constructor(options: ForwardClientsOptions) {
    this.#options = options;
  }

  get counters(): ForwardCounters {
    return { ...this.#counters, clients: this.#ends.size };
  }

  /**
   * Serves one client until it is gone; never rejects. `dial` gives the way to the other side, perhaps after a wait; undefined there or a
   * refused destination turns this client away.
   */
  async serve(client: ForwardClient, dial: () => Promise<Dial | undefined>): Promise<void> {
    if (this.#ends.size >= mostClients) return this.#turnAway(client, undefined);
    const end = new AbortController();
    this.#ends.add(end);
    this.#count({ totalClients: this.#counters.totalClients + 1 });
    try {
      const open = await dial();
      if (open === undefined || end.signal.aborted) return this.#turnAway(client, undefined);
      const { destination } = this.#options;
      if (destination === undefined) await this.#bySocks(client.accept(), open, end.signal);
      else await this.#directly(client, () => open(destination, end.signal), end.signal);
    } finally {
      this.#ends.delete(end);
      this.#options.onChange();
    }
  }

  dispose(): void {
    for (const end of this.#ends) end.abort(new Error('the forward is stopped'));
  }

  async #directly(client: ForwardClient, open: () => Promise<Duplex>, signal: AbortSignal): Promise<void> {
    let remote: Duplex;
    try {
      remote = await open();
    } catch (error) {
      return this.#turnAway(client, error);
    }
    await this.#relay(client.accept(), remote, signal);
  }

  async #bySocks(stream: Duplex, open: Dial, signal: AbortSignal): Promise<void> {
    stream.on('error', () => {});
    const request = await socksRequest(stream, this.#options.clock, signal);
    if (request === undefined) return this.#refused(undefined);
    const { host, port } = request;
    let remote: Duplex;
    try {
      if (!isPermitted(this.#options.permittedOpens ?? 'any', request)) throw notPermitted(request);
      remote = await open({ host, port }, signal);
    } catch (error) {
      this.#refused(error);
      return request.refused(error);
    }
    request.granted();
    await this.#relay(stream, remote, signal);
  }

  async #relay(client: Duplex, remote: Duplex, signal: AbortSignal): Promise<void> {
    const end = (): void => {
      client.destroy();
      remote.destroy();
    };
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    await relay(client, remote, {
      toRemote: (bytes) => this.#count({ bytesToRemote: this.#counters.bytesToRemote + bytes }),
      toClient: (bytes) => this.#count({ bytesToClient: this.#counters.bytesToClient + bytes }),
    });
    signal.removeEventListener('abort', end);
  }

  #turnAway(client: ForwardClient, error: unknown): void {
    this.#refused(error);
    client.reject();
  }

  #refused(error: unknown): void {
    this.#count({
      refusedClients: this.#counters.refusedClients + 1,
      ...(isTermindError(error) ? { lastRefusal: error.fault } : {}),
    });
  }

  #count(change: Partial<ForwardCounters>): void {
    this.#counters = { ...this.#counters, ...change };
    this.#options.onChange();
  }
}

function notPermitted({ host, port }: { readonly host: string; readonly port: number }): Error {
  const to = placeText(host, port);
  return localFault('forward-refused', { reason: 'notPermitted', to, text: 'PermitRemoteOpen' });
}
