import { Emitter, type ClockPort, type Disposable, type Event } from '../../agentkit/index.ts';
import { needsConsent, type ForwardId } from '../../domain/forward/forward.ts';
import { isTermindError } from '../../domain/fault.ts';
import { forwardText } from '../../domain/forward/forwardText.ts';
import type { ForwardLeasePort, LocalNetworkPort } from '../ports/forwards.ts';
import type { LogPort } from '../ports/prompts.ts';
import { ActiveForward, type ForwardConnections } from './activeForward.ts';
import { noCounters, type ForwardCounters, type ForwardDown, type ForwardState } from './forwardState.ts';
import type { KnownForward } from './knownForward.ts';

export interface ForwardRegistryOptions {
  readonly connections: ForwardConnections;
  readonly network: LocalNetworkPort;
  readonly leases: ForwardLeasePort;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/** By whom it is started. Only a person decides about ports and about who may connect. */
export type StartForward =
  | { readonly by: 'itself' }
  | {
      readonly by: 'person';
      /** In the place of the local port; 0 = one that is free. */
      readonly port?: number;
      readonly mayOthersConnect?: boolean;
    };

interface Entry {
  forward: KnownForward;
  active: ActiveForward | undefined;
  /** Why it was not even started. */
  refused: ForwardDown | undefined;
  /** A person does not want it; nothing starts it by itself any more. */
  isUnwanted: boolean;
  /** This window holds its lease. */
  isLeased: boolean;
  /** What is being done with it, one after the other. */
  work: Promise<void>;
}

/** Renewal of leases, and how soon a forward of a window that is gone is taken over. Source: ssh.md 6; leases lapse after 45 s. */
const renewMs = 10_000;

/** Counters move with every packet; nobody reads faster. */
const tellMs = 500;

/** The forwards that run in this window. State comes from live events only and is never stored. Source: ssh.md 0.2 and 6. */
export class ForwardRegistry implements Disposable {
  readonly #options: ForwardRegistryOptions;
  readonly #entries = new Map<ForwardId, Entry>();
  readonly #changed: Emitter<ForwardId>;
  readonly #told = new Map<ForwardId, Disposable>();
  #renewal: Disposable | undefined;
  #isDisposed = false;

  constructor(options: ForwardRegistryOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) => options.log.error('forwards', 'a listener failed', error));
  }

  /** State or counters of a forward have changed; counters at most twice a second. */
  get onDidChange(): Event<ForwardId> {
    return this.#changed.event;
  }

  state(id: ForwardId): ForwardState {
    const entry = this.#entries.get(id);
    if (entry?.active !== undefined) return entry.active.state;
    return entry?.refused === undefined ? { k: 'stopped' } : { k: 'down', why: entry.refused };
  }

  counters(id: ForwardId): ForwardCounters {
    return this.#entries.get(id)?.active?.counters ?? noCounters;
  }

  /** Every forward that was started in this window. */
  get started(): readonly KnownForward[] {
    return [...this.#entries.values()].map(({ forward }) => forward);
  }

  /**
   * Starts it, or starts it anew for a person. Resolves when it listens; rejects with the fault that keeps it from that. What starts by
   * itself never rejects: its state says what became of it.
   */
  async start(forward: KnownForward, how: StartForward): Promise<void> {
    if (this.#isDisposed) return;
    const entry = this.#entry(forward);
    let started: Promise<void> = Promise.resolve();
    entry.work = entry.work.then(async () => {
      const isAtWork = entry.active !== undefined && !entry.active.isOver;
      if (how.by === 'itself' && (entry.isUnwanted || isAtWork)) {
        started = entry.active?.started ?? started;
        return;
      }
      await this.#end(entry);
      entry.forward = forward;
      entry.isUnwanted = false;
      await this.#begin(entry, how);
      started = entry.active?.started ?? started;
    });
    await entry.work;
    if (how.by === 'person') return started;
    await started.catch(() => {});
  }

  /** Ends its clients; resolves when its port is free. It does not start by itself again in this window. */
  async stop(id: ForwardId): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.isUnwanted = true;
    entry.work = entry.work.then(() => this.#end(entry));
    await entry.work;
  }

  /** Stops it and knows nothing of it any more. */
  async forget(id: ForwardId): Promise<void> {
    await this.stop(id);
    this.#entries.delete(id);
    this.#tell(id);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#renewal?.dispose();
    for (const told of this.#told.values()) told.dispose();
    this.#changed.dispose();
    // Leases are nobody's as soon as this process is gone.
    for (const { active } of this.#entries.values()) active?.stop().catch(() => {});
  }

  #entry(forward: KnownForward): Entry {
    const known = this.#entries.get(forward.id);
    if (known !== undefined) return known;
    const entry: Entry = {
      forward,
      active: undefined,
      refused: undefined,
      isUnwanted: false,
      isLeased: false,
      work: Promise.resolve(),
    };
    this.#entries.set(forward.id, entry);
    return entry;
  }

  /** Resolves when it is on its way, or refused. */
  async #begin(entry: Entry, how: StartForward): Promise<void> {
    const { forward } = entry;
    const mayOthers =
      forward.mayOthersConnect === true || (how.by === 'person' && how.mayOthersConnect === true);
    if (needsConsent(forward) && !mayOthers) return this.#refuse(entry, { k: 'reachesOthers' });
    entry.isLeased = await this.#take(forward.id);
    // A person who starts it meets the other window's port, and is told whose it is.
    if (!entry.isLeased && how.by === 'itself') return this.#refuse(entry, { k: 'otherWindow' });
    this.#renewSoon();
    const { connections, network, clock, log } = this.#options;
    const active = new ActiveForward({
      forward,
      port: how.by === 'person' ? how.port : undefined,
      connections,
      network,
      clock,
      onState: () => this.#tell(forward.id),
      onCounters: () => this.#tellSoon(forward.id),
    });
    entry.active = active;
    active.started.catch((error: unknown) => {
      const code = isTermindError(error) ? error.fault.code : nameOf(error);
      if (code !== 'cancelled') log.warn('forwards', `${forwardText(forward)} does not listen: ${code}`);
    });
    this.#tell(forward.id);
  }

  #refuse(entry: Entry, why: ForwardDown): void {
    entry.refused = why;
    this.#renewSoon();
    this.#tell(entry.forward.id);
  }

  async #end(entry: Entry): Promise<void> {
    const { active, forward } = entry;
    entry.refused = undefined;
    await active?.stop();
    entry.active = undefined;
    if (entry.isLeased) await this.#giveBack(forward.id);
    entry.isLeased = false;
    this.#tell(forward.id);
  }

  /** Without a store windows cannot agree; then the port decides. */
  async #take(id: ForwardId): Promise<boolean> {
    try {
      return await this.#options.leases.take(id);
    } catch (error) {
      this.#options.log.warn('forwards', `a lease could not be taken: ${nameOf(error)}`);
      return true;
    }
  }

  async #giveBack(id: ForwardId): Promise<void> {
    try {
      await this.#options.leases.release(id);
    } catch (error) {
      this.#options.log.warn('forwards', `a lease could not be given back: ${nameOf(error)}`);
    }
  }

  #renewSoon(): void {
    if (this.#isDisposed || this.#renewal !== undefined) return;
    this.#renewal = this.#options.clock.after(renewMs, () => {
      this.#renewal = undefined;
      for (const entry of this.#entries.values()) entry.work = entry.work.then(() => this.#renew(entry));
    });
  }

  /** Keeps what is ours, gives up what another window has taken while this one slept, and takes what has become free. */
  async #renew(entry: Entry): Promise<void> {
    const { forward } = entry;
    if (entry.isLeased && entry.active !== undefined) {
      if (await this.#take(forward.id)) return this.#renewSoon();
      entry.isLeased = false;
      await this.#end(entry);
      this.#refuse(entry, { k: 'otherWindow' });
    } else if (entry.refused?.k === 'otherWindow' && !entry.isUnwanted) {
      await this.#end(entry);
      await this.#begin(entry, { by: 'itself' });
    }
  }

  #tellSoon(id: ForwardId): void {
    if (this.#isDisposed || this.#told.has(id)) return;
    this.#told.set(
      id,
      this.#options.clock.after(tellMs, () => this.#tell(id)),
    );
  }

  #tell(id: ForwardId): void {
    this.#told.get(id)?.dispose();
    this.#told.delete(id);
    this.#changed.fire(id);
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'error';
}
