import type { ConversationId } from './ids.ts';
import type { UserMessage } from './message.ts';
import type { QueuedMessage, RunStorePort } from './runStore.ts';

export interface SteeringInboxOptions {
  readonly conversationId: ConversationId;
  readonly store: Pick<RunStorePort, 'enqueue' | 'markInFlight' | 'dequeue'>;
  /** What earlier runs left over, in order, without what is already in the transcript. */
  readonly waiting: readonly QueuedMessage[];
  readonly log: (message: string, cause: unknown) => void;
}

/**
 * The ordered, stored queue of messages that a person writes while the run works. A message is delivered exactly once, at a turn
 * boundary: until it is in the stored transcript it stays in the queue, and the stored queue survives the process.
 * Source: agent runtime contract, section 3.3.
 */
export class SteeringInbox {
  readonly #options: SteeringInboxOptions;
  readonly #queue: UserMessage[];
  readonly #entering = new Set<Promise<unknown>>();
  #isClosed = false;
  #interjection = new Signal();

  constructor(options: SteeringInboxOptions) {
    this.#options = options;
    this.#queue = options.waiting.map((queued) => queued.message);
    if (this.#queue.length > 0) this.#interjection.raise();
  }

  /**
   * Resolves true when the message is stored in the queue, false when the run can no longer take it (the caller keeps the text).
   * Rejects when the store does.
   */
  async add(message: UserMessage): Promise<boolean> {
    if (this.#isClosed) return false;
    const entered = this.#enter(message);
    this.#entering.add(entered);
    try {
      return await entered;
    } finally {
      this.#entering.delete(entered);
    }
  }

  /** What waits now, in order. */
  get waiting(): readonly UserMessage[] {
    return this.#queue;
  }

  /** Resolves when a message waits; at once if one already does. */
  whenQueued(): Promise<void> {
    return this.#interjection.raised;
  }

  /**
   * Hands all waiting messages to `save`, which puts them into the stored transcript, and only then lets go of them. When `save`
   * rejects they are back at the front.
   */
  async deliver(save: (messages: readonly UserMessage[]) => Promise<void>): Promise<readonly UserMessage[]> {
    const { conversationId, store } = this.#options;
    const batch = [...this.#queue];
    if (batch.length === 0) return [];
    const ids = batch.map((message) => message.id);
    await store.markInFlight(conversationId, ids, true);
    try {
      await save(batch);
    } catch (error) {
      await this.#quietly(store.markInFlight(conversationId, ids, false));
      throw error;
    }
    this.#queue.splice(0, batch.length);
    if (this.#queue.length === 0) this.#interjection = new Signal();
    await this.#quietly(store.dequeue(conversationId, ids));
    return batch;
  }

  /** Closes when nothing waits and nothing is on its way in; false means another turn is due. */
  async closeIfEmpty(): Promise<boolean> {
    while (this.#entering.size > 0) await Promise.allSettled(this.#entering);
    if (this.#queue.length > 0) return false;
    this.#isClosed = true;
    return true;
  }

  /** From now on nothing is taken. What waits stays in the stored queue for the next run. */
  close(): void {
    this.#isClosed = true;
  }

  async #enter(message: UserMessage): Promise<boolean> {
    const { conversationId, store } = this.#options;
    await store.enqueue(conversationId, message);
    if (this.#isClosed) {
      await store.dequeue(conversationId, [message.id]);
      return false;
    }
    this.#queue.push(message);
    this.#interjection.raise();
    return true;
  }

  /** The message is in the transcript already; a stale row in the queue is dropped by its id at the next start. */
  async #quietly(write: Promise<void>): Promise<void> {
    await write.catch((error: unknown) => this.#options.log('the stored inbox could not be updated', error));
  }
}

class Signal {
  readonly raised: Promise<void>;
  #resolve: () => void = () => {};

  constructor() {
    this.raised = new Promise((resolve) => (this.#resolve = resolve));
  }

  raise(): void {
    this.#resolve();
  }
}
