import { Emitter, type ClockPort, type Event } from '../../agentkit/index.ts';
import type { ChannelFacts } from '../../domain/host/host.ts';
import type { Purpose } from '../../application/ports/connection.ts';
import type { Fault } from '../../domain/fault.ts';
import { connectionFault, faultError } from '../../domain/ssh/connectionFault.ts';
import { allowedChannels, groups, type ChannelGroup } from '../../domain/ssh/channelShares.ts';

/** The usual `MaxSessions` of OpenSSH. Source: ssh.md 1.5. */
const assumedLimit = 10;
/** How long a channel waits for a place where its caller says nothing. A person waits in front of a terminal; a transfer can wait. */
const queueMs: Readonly<Record<ChannelGroup, number>> = {
  terminal: 15_000,
  browse: 30_000,
  tool: 60_000,
  transfer: 600_000,
};

/** Forwards count no channel; what they run beside it is a tool's. */
const groupOf: Readonly<Record<Purpose, ChannelGroup>> = {
  terminal: 'terminal',
  'sftp-browse': 'browse',
  'sftp-transfer': 'transfer',
  exec: 'tool',
  forward: 'tool',
  metrics: 'tool',
  'agent-exec': 'tool',
  'agent-sftp': 'tool',
};

/** What a channel is wanted for. */
export interface ChannelWish {
  readonly purpose: Purpose;
  readonly isExec: boolean;
  /** Milliseconds to wait for a place; a default of the purpose when absent. */
  readonly queueMs?: number;
  /** May take what is reserved for others: it ends something. */
  readonly isUrgent?: boolean;
}

/** One counted channel's place, from before it is asked for until its `close` has arrived. */
export interface ChannelPlace {
  /** The server has opened it. */
  granted(): void;
  /** The server refused to open it. True when another may be waited for: the limit is known now. Gives the place back. */
  refused(): boolean;
  /** It was opened, and the command on it was refused. True when it was sent beside another: the server serves one at a time. */
  commandRefused(): boolean;
  /** Its `close` has arrived, or nothing was sent. */
  giveBack(): void;
}

export interface ChannelBudgetOptions {
  readonly hop: string;
  readonly clock: ClockPort;
  /** What was learned about this host earlier; waited for before the first channel. Never rejects. */
  readonly known?: Promise<ChannelFacts | undefined>;
  /** Everything that is known now. */
  readonly onLearned?: (facts: Omit<ChannelFacts, 'at'>) => void;
}

interface Place {
  readonly group: ChannelGroup;
  readonly isExec: boolean;
  isOpen: boolean;
}

interface Waiting {
  readonly group: ChannelGroup;
  readonly wish: ChannelWish;
  readonly give: (place: ChannelPlace) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Shares out the channels of one connection that `MaxSessions` counts, learns the limit from refusals, and lets wishes that do not fit
 * wait in the order terminal, browsing, tools, transfers. Source: ssh.md 1.5.
 */
export class ChannelBudget {
  readonly #options: ChannelBudgetOptions;
  readonly #places = new Set<Place>();
  readonly #queue: Waiting[] = [];
  readonly #changed = new Emitter<void>();
  /** From refusals, of this connection or an earlier one. */
  #learned: { limit?: number; oneCommand?: true } = {};
  #isReady: boolean;
  #ended: Fault | undefined;

  constructor(options: ChannelBudgetOptions) {
    this.#options = options;
    this.#isReady = options.known === undefined;
    if (options.known !== undefined) void this.#recall(options.known);
  }

  get used(): number {
    return this.#places.size;
  }

  get limit(): number {
    return this.#learned.limit ?? assumedLimit;
  }

  /** What is allowed may have changed: places were taken or given back, or somebody waits. */
  get onChange(): Event<void> {
    return this.#changed.event;
  }

  /** How many channels a purpose may have open now. Fewer than it has means: give some back. */
  allowed(purpose: Purpose): number {
    return this.#allowed(groupOf[purpose]);
  }

  /** A place at once, or undefined when it has to be waited for. */
  tryTake(wish: ChannelWish): ChannelPlace | undefined {
    const group = groupOf[wish.purpose];
    return this.#isReady && this.#fits(wish, group) ? this.#take(wish, group) : undefined;
  }

  /**
   * A place as soon as there is one. Rejects with `channel-limit` when the wait is over, with `cancelled` when the signal aborts, and
   * with the connection's end; nothing was sent in any case.
   */
  wait(wish: ChannelWish, signal: AbortSignal): Promise<ChannelPlace> {
    if (this.#ended !== undefined) return Promise.reject(faultError(this.#ended));
    const group = groupOf[wish.purpose];
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        timer.dispose();
        signal.removeEventListener('abort', onAbort);
        const index = this.#queue.indexOf(waiting);
        if (index >= 0) this.#queue.splice(index, 1);
        finish();
      };
      const fail = (error: Error): void => settle(() => reject(error));
      const onAbort = (): void => fail(faultError(this.#cancelled()));
      const waiting: Waiting = { group, wish, give: (place) => settle(() => resolve(place)), fail };
      const timer = this.#options.clock.after(wish.queueMs ?? queueMs[group], () =>
        fail(faultError(this.limitFault())),
      );
      this.#queue.push(waiting);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      else this.#changed.fire();
    });
  }

  limitFault(): Fault {
    const facts = { used: String(this.used), limit: String(this.limit) };
    return connectionFault('channel-limit', { stage: 'channel', hop: this.#options.hop }, facts);
  }

  /** The connection has ended; whoever waits is told. */
  end(fault: Fault): void {
    this.#ended = { ...fault, outcome: 'not-sent' };
    for (const { fail } of [...this.#queue]) fail(faultError(this.#ended));
    this.#changed.dispose();
  }

  async #recall(known: Promise<ChannelFacts | undefined>): Promise<void> {
    const facts = await known;
    if (facts?.limit !== undefined) this.#learned.limit = Math.max(1, facts.limit);
    if (facts?.oneCommand === true) this.#learned.oneCommand = true;
    this.#isReady = true;
    this.#serve();
  }

  #take(wish: ChannelWish, group: ChannelGroup): ChannelPlace {
    const place: Place = { group, isExec: wish.isExec, isOpen: false };
    // What is no command says nothing about commands: a host may lack a subsystem while one runs.
    const isBesideAnother = wish.isExec && [...this.#places].some(({ isExec }) => isExec);
    this.#places.add(place);
    this.#changed.fire();
    return {
      granted: () => {
        place.isOpen = true;
      },
      refused: () => {
        const open = [...this.#places].filter(({ isOpen }) => isOpen).length;
        if (open > 0 && open < this.limit) this.#learn({ limit: open });
        this.#giveBack(place);
        return open > 0;
      },
      commandRefused: () => {
        if (isBesideAnother && this.#learned.oneCommand !== true) this.#learn({ oneCommand: true });
        return isBesideAnother;
      },
      giveBack: () => this.#giveBack(place),
    };
  }

  #giveBack(place: Place): void {
    if (!this.#places.delete(place)) return;
    this.#serve();
  }

  #learn(facts: Omit<ChannelFacts, 'at'>): void {
    this.#learned = { ...this.#learned, ...facts };
    this.#options.onLearned?.(this.#learned);
  }

  /** Gives free places to whoever waits, in the order of the groups, and within a group in the order of coming. */
  #serve(): void {
    for (const group of groups)
      for (const waiting of this.#queue.filter((one) => one.group === group)) {
        if (!this.#fits(waiting.wish, group)) continue;
        waiting.give(this.#take(waiting.wish, group));
      }
    this.#changed.fire();
  }

  #fits(wish: ChannelWish, group: ChannelGroup): boolean {
    if (this.#ended !== undefined || this.used >= this.limit) return false;
    if (wish.isUrgent === true) return true;
    if (wish.isExec && this.#learned.oneCommand === true && [...this.#places].some(({ isExec }) => isExec))
      return false;
    return this.#count(group) < this.#allowed(group);
  }

  #allowed(group: ChannelGroup): number {
    return allowedChannels(group, {
      limit: this.limit,
      open: (of) => this.#count(of),
      isWanted: (of) => this.#queue.some((waiting) => waiting.group === of),
    });
  }

  #count(group: ChannelGroup): number {
    let count = 0;
    for (const place of this.#places) if (place.group === group) count += 1;
    return count;
  }

  #cancelled(): Fault {
    return connectionFault('cancelled', { stage: 'channel', hop: this.#options.hop });
  }
}
