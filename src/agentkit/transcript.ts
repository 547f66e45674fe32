import type { RunFailure, RunState } from './events.ts';
import type { ConversationId, RunId } from './ids.ts';
import type { AssistantMessage, Message } from './message.ts';
import { codedError } from './codedError.ts';
import { RunFailed, storeFailure } from './runFailure.ts';
import { withExpiredSecrets } from './secrets/expiredSecrets.ts';
import type { PlanCall, RunStorePort } from './runStore.ts';

export interface TranscriptOptions {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  readonly startedAt: number;
  readonly store: Pick<RunStorePort, 'startRun' | 'saveRun'>;
  readonly messages: readonly Message[];
}

/** The messages of the conversation as this run sees them, and which of them are not stored yet. */
export class Transcript {
  readonly #options: TranscriptOptions;
  readonly #messages: Message[];
  #unsaved: Message[] = [];

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#messages = [...options.messages];
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  has(message: Message): boolean {
    return this.#messages.some((known) => known.id === message.id);
  }

  append(...messages: readonly Message[]): void {
    this.#messages.push(...messages);
    this.#unsaved.push(...messages);
  }

  /** Takes back messages that were appended and could not be saved. */
  withdraw(messages: readonly Message[]): void {
    for (const list of [this.#messages, this.#unsaved])
      for (const message of messages) if (list.includes(message)) list.splice(list.indexOf(message), 1);
  }

  /** Messages of the history that only the store lacks. */
  saveLater(messages: readonly Message[]): void {
    this.#unsaved.push(...messages);
  }

  /** Replaces the live copy of a message; what is stored stays. */
  replace(message: AssistantMessage): void {
    const index = this.#messages.findLastIndex((known) => known.id === message.id);
    if (index >= 0) this.#messages[index] = message;
  }

  /**
   * Stores the run as begun, with what is new and the outcome of the plan that it implements, all or nothing. Throws `RunFailed`
   * `storeFailed`.
   */
  async begin(implementedPlan: PlanCall | undefined): Promise<void> {
    const { runId, conversationId, startedAt, store } = this.#options;
    const appended = this.#unsaved.map(withExpiredSecrets);
    try {
      await store.startRun({
        runId,
        conversationId,
        startedAt,
        appended,
        ...(implementedPlan && { implementedPlan }),
      });
    } catch (error) {
      throw storeFailure(error);
    }
    this.#unsaved = this.#unsaved.slice(appended.length);
  }

  /** Stores what is new. Throws `RunFailed` `storeFailed`, or `leaseLost` when the run is no longer ours; the messages are then still unsaved. */
  async save(
    state: RunState,
    end?: { readonly endedAt: number; readonly failure: RunFailure | undefined },
  ): Promise<void> {
    const { runId, conversationId, startedAt, store } = this.#options;
    const appended = this.#unsaved.map(withExpiredSecrets);
    try {
      await store.saveRun({
        runId,
        conversationId,
        startedAt,
        state,
        appended,
        ...(end && { endedAt: end.endedAt }),
        ...(end?.failure && { failure: end.failure }),
      });
    } catch (error) {
      throw codedError(error)?.code === 'run-leased'
        ? new RunFailed('leaseLost', {}, error)
        : storeFailure(error);
    }
    this.#unsaved = this.#unsaved.slice(appended.length);
  }
}
