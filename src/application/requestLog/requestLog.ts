import { randomUUID } from 'node:crypto';
import {
  type AgentEvent,
  type CallId,
  type ClockPort,
  type ConversationId,
  type Event,
  type JsonObject,
  type Message,
  type MessageId,
  type ModelRequest,
  type ModelStreamPort,
  parseJsonObject,
  type Redactor,
  type RunId,
} from '../../agentkit/index.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { LogEntry, RequestLogPort, RequestSent } from '../ports/requestLog.ts';
import { LoggedModel } from './loggedModel.ts';
import { entryOf } from './eventEntries.ts';
import { itemOf, itemsOf, type LogItem } from './logParts.ts';
import { LogRecorder } from './logRecorder.ts';

/** Conversations whose stored parts are remembered; those that were used last stay. */
const maxRecorders = 16;

export interface RequestLogOptions {
  readonly store: RequestLogPort;
  readonly redactor: Redactor;
  readonly clock: ClockPort;
  readonly log: LogPort;
  /** Names requests; tests give their own. */
  readonly newId?: () => string;
}

/**
 * Writes the request logs of this window. The loop knows nothing of it: models are wrapped, and runs are listened to. Nothing waits
 * for it. Source: vscode.md section 10.
 */
export class RequestLog {
  readonly #options: RequestLogOptions;
  readonly #recorders = new Map<ConversationId, ConversationRecord>();

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  /** The same model; every request of it is logged with the conversation. */
  watch(id: ConversationId, model: ModelStreamPort): ModelStreamPort {
    const { clock, newId = randomUUID } = this.#options;
    const listener = {
      sent: (request: ModelRequest, facts: Pick<RequestSent, 'requestId' | 'at' | 'model'>) =>
        this.#of(id).sent(request, facts),
      seen: (response: LogEntry) => this.#of(id).record(response),
    };
    return new LoggedModel(model, { listener, clock, newId });
  }

  /** Logs the retries, answers, calls and the end of a run until it has ended. */
  follow(id: ConversationId, run: { readonly onEvent: Event<AgentEvent> }): void {
    const listening = run.onEvent((event) => {
      this.#of(id).take(event);
      if (event.body.kind === 'runFinished') listening.dispose();
    });
  }

  /** Resolves when everything logged so far is stored or lost. */
  async drain(): Promise<void> {
    await Promise.all([...this.#recorders.values()].map((record) => record.drain()));
  }

  #of(id: ConversationId): ConversationRecord {
    const record = this.#recorders.get(id) ?? new ConversationRecord(id, this.#options);
    this.#recorders.delete(id);
    this.#recorders.set(id, record);
    const [oldest] = this.#recorders.keys();
    if (oldest !== undefined && this.#recorders.size > maxRecorders) this.#recorders.delete(oldest);
    return record;
  }
}

/** What is logged of one conversation. */
class ConversationRecord {
  readonly #id: ConversationId;
  readonly #recorder: LogRecorder;
  /** Messages that came to be in the run and that no request carried yet. */
  readonly #unsent = new Map<MessageId, LogItem>();
  /** Arguments as the model wrote them, by call. */
  readonly #written = new Map<CallId, JsonObject>();
  #runId: RunId | undefined;

  constructor(id: ConversationId, { store, redactor, log }: RequestLogOptions) {
    this.#id = id;
    this.#recorder = new LogRecorder({ id, store, redactor, log });
  }

  sent(request: ModelRequest, facts: Pick<RequestSent, 'requestId' | 'at' | 'model'>): void {
    for (const { id } of request.items) this.#unsent.delete(id);
    const { reasoning, responseSchema, cacheKey } = request;
    const entry: RequestSent = {
      kind: 'request',
      ...facts,
      ...(this.#runId !== undefined && { runId: this.#runId }),
      purpose: cacheKey.startsWith(`${this.#id}:`) ? cacheKey.slice(this.#id.length + 1) : 'turn',
      ...(reasoning !== undefined && { reasoning }),
      ...(responseSchema !== undefined && { responseSchema: responseSchema.name }),
    };
    this.#recorder.record(entry, itemsOf(request));
  }

  record(entry: LogEntry): void {
    this.#recorder.record(entry);
  }

  drain(): Promise<void> {
    return this.#recorder.drain();
  }

  take(event: AgentEvent): void {
    const { body } = event;
    const entry = entryOf(event, (call) => this.#written.get(call));
    switch (body.kind) {
      case 'runStarted':
        this.#runId = event.runId;
        this.#keepUnsent(body.prompt);
        break;
      case 'steeringDelivered':
        this.#keepUnsent(body.message);
        break;
      case 'messageFinished':
        this.#keepUnsent(body.message);
        for (const call of body.message.calls)
          this.#written.set(call.id, parseJsonObject(call.argumentsText) ?? {});
        break;
      case 'toolFinished':
        this.#keepUnsent(body.message);
        break;
      default:
    }
    if (entry === undefined) return;
    this.#recorder.record(entry, body.kind === 'runFinished' ? this.#takeUnsent() : []);
  }

  #takeUnsent(): readonly LogItem[] {
    const left = [...this.#unsent.values()];
    this.#unsent.clear();
    this.#written.clear();
    return left;
  }

  #keepUnsent(message: Message): void {
    this.#unsent.set(message.id, itemOf(message));
  }
}
