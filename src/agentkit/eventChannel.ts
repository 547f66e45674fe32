import type { ClockPort } from './clock.ts';
import { isDurable, type AgentEvent, type AgentEventBody, type DurableEvent } from './events.ts';
import type { ConversationId, RunId } from './ids.ts';
import { Emitter, type Event } from './lifetime.ts';

export interface EventChannelOptions {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  readonly clock: ClockPort;
  /** Stores one durable event; resolves after the commit. */
  readonly record: (event: DurableEvent) => Promise<void>;
  /** Told of a failed write and of a listener that threw. Never told any content. */
  readonly log: (message: string, cause: unknown) => void;
}

/**
 * The one ordered path of a run's events. Listeners hear an event at once; durable events also enter a serial recorder, which awaits
 * each write before the next. A failed write is logged and stops nothing but what waits for it in `commit`.
 * Source: agent runtime contract, section 6.
 */
export class EventChannel {
  readonly #options: EventChannelOptions;
  readonly #emitter: Emitter<AgentEvent>;
  #seq = 0;
  #recorded: Promise<void> = Promise.resolve();

  constructor(options: EventChannelOptions) {
    this.#options = options;
    this.#emitter = new Emitter((error) => options.log('a listener of run events failed', error));
  }

  get onEvent(): Event<AgentEvent> {
    return this.#emitter.event;
  }

  emit(body: AgentEventBody): void {
    const event = this.#publish(body);
    if (isDurable(event)) void this.#record(event).catch(() => {});
  }

  /** Emits a durable event and resolves when it and all before it are stored. Rejects when this one could not be stored. */
  async commit(body: DurableEvent['body']): Promise<void> {
    const event = this.#publish(body);
    if (isDurable(event)) await this.#record(event);
  }

  /** Resolves when every durable event so far was written or has failed. */
  async drain(): Promise<void> {
    await this.#recorded;
  }

  dispose(): void {
    this.#emitter.dispose();
  }

  #publish(body: AgentEventBody): AgentEvent {
    const { runId, conversationId, clock } = this.#options;
    const event: AgentEvent = { runId, conversationId, seq: ++this.#seq, at: clock.now(), body };
    this.#emitter.fire(event);
    return event;
  }

  #record(event: DurableEvent): Promise<void> {
    const { record, log } = this.#options;
    const written = this.#recorded.then(() => record(event));
    this.#recorded = written.catch((error: unknown) =>
      log(`the event ${event.body.kind} was not stored`, error),
    );
    return written;
  }
}
