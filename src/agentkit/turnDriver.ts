import { isAborted, type ClockPort } from './clock.ts';
import type { AgentEventBody } from './events.ts';
import type { MessageId } from './ids.ts';
import type { Disposable } from './lifetime.ts';
import { ProviderError, type ModelEvent, type ModelRequest, type ModelStreamPort } from './model.ts';
import { planRetry } from './modelRetry.ts';
import type { LiveRedaction, Redactor } from './redactor.ts';
import { RunFailed } from './runFailure.ts';
import type { Outstanding, RunLedger } from './runLedger.ts';
import { underClocks, type StreamClocks } from './streamClocks.ts';
import { TurnAssembly, type AssembledTurn } from './turnAssembly.ts';

export interface TurnDriverOptions {
  readonly model: ModelStreamPort;
  readonly clock: ClockPort;
  readonly clocks: StreamClocks;
  /** 0 to 1. */
  readonly random: () => number;
  readonly ledger: RunLedger;
  /** What is shown while it arrives passes it; what comes back is as it arrived. */
  readonly redactor: Pick<Redactor, 'live'>;
  readonly emit: (body: AgentEventBody) => void;
}

export type DrivenTurn = AssembledTurn & { readonly reasoningMs: number | undefined };

/**
 * Gets one complete answer from the model: streams, and after a failure waits and starts over. What a failed attempt brought is
 * discarded; views are told by `modelRetryScheduled`. Source: agent runtime contract, section 21.
 */
export class TurnDriver {
  readonly #options: TurnDriverOptions;

  constructor(options: TurnDriverOptions) {
    this.#options = options;
  }

  /**
   * Resolves with a finished answer, or with what had arrived when `signal` was aborted (stop `cancelled`, no calls). Rejects with
   * `ProviderError` when it is not retryable or the attempts are used up, and with `RunFailed` when the provider wants too long a pause.
   */
  async drive(request: ModelRequest, messageId: MessageId, signal: AbortSignal): Promise<DrivenTurn> {
    const { clock, emit, random } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const reading = new AttemptReading(this.#options, messageId, attempt);
      try {
        return await this.#read(reading, request, signal);
      } catch (error) {
        if (isAborted(signal)) return reading.result();
        if (!(error instanceof ProviderError)) throw error;
        const plan = planRetry(error, attempt, random);
        if (plan.kind === 'giveUp') throw error;
        if (plan.kind === 'tooLong')
          throw new RunFailed(
            'modelRetryTooLong',
            { seconds: String(Math.ceil(plan.retryAfterMs / 1000)) },
            error,
          );
        emit({ kind: 'modelRetryScheduled', attempt, delayMs: plan.delayMs, reason: error.code });
        try {
          await clock.sleep(plan.delayMs, signal);
        } catch (stopped) {
          if (isAborted(signal)) return { ...new TurnAssembly().result(), reasoningMs: undefined };
          throw stopped;
        }
      } finally {
        reading.dispose();
      }
    }
  }

  async #read(reading: AttemptReading, request: ModelRequest, signal: AbortSignal): Promise<DrivenTurn> {
    const { model, clock, clocks } = this.#options;
    const events = underClocks((attempt) => model.stream(request, attempt), { clock, clocks }, signal);
    for await (const event of events) reading.accept(event);
    if (!reading.isFinished) throw new ProviderError({ code: 'endedEarly', retryable: true });
    return reading.result();
  }
}

/** One attempt as views and the ledger see it. */
class AttemptReading implements Disposable {
  readonly #options: TurnDriverOptions;
  readonly #messageId: MessageId;
  readonly #attempt: number;
  readonly #assembly = new TurnAssembly();
  readonly #shown: Readonly<Record<'messageDelta' | 'reasoningDelta', LiveRedaction>>;
  #phase: Outstanding | undefined;
  #held: Disposable | undefined;
  #hasContent = false;
  #reasoningFrom: number | undefined;
  #reasoningMs: number | undefined;

  constructor(options: TurnDriverOptions, messageId: MessageId, attempt: number) {
    this.#options = options;
    this.#messageId = messageId;
    this.#attempt = attempt;
    const { redactor } = options;
    this.#shown = { messageDelta: redactor.live(), reasoningDelta: redactor.live() };
  }

  get isFinished(): boolean {
    return this.#assembly.isFinished;
  }

  accept(event: ModelEvent): void {
    if (this.isFinished) return this.#assembly.accept(event);
    const before = this.#assembly.text;
    const thoughtBefore = this.#assembly.reasoning;
    this.#assembly.accept(event);
    this.#enter(phaseOf(event) ?? this.#phase ?? 'waitingForFirstToken');
    if (event.kind === 'alive') return;
    this.#announce();
    this.#measureReasoning(event);
    if (event.kind === 'textDelta') this.#show('messageDelta', event.text);
    if (event.kind === 'reasoningDelta') this.#show('reasoningDelta', event.text);
    if (event.kind === 'textSnapshot') this.#show('messageDelta', appended(before, event.text));
    if (event.kind === 'reasoningSnapshot') this.#show('reasoningDelta', appended(thoughtBefore, event.text));
    const isOver = event.kind === 'finished';
    if (isOver || phaseOf(event) === 'writing') this.#showRest('reasoningDelta');
    if (isOver) this.#showRest('messageDelta');
  }

  result(): DrivenTurn {
    return { ...this.#assembly.result(), reasoningMs: this.#reasoningMs };
  }

  dispose(): void {
    this.#held?.dispose();
  }

  #enter(phase: Outstanding): void {
    if (phase === this.#phase) return;
    const next = this.#options.ledger.hold(phase);
    this.#held?.dispose();
    this.#held = next;
    this.#phase = phase;
  }

  #announce(): void {
    if (this.#hasContent) return;
    this.#hasContent = true;
    const { emit } = this.#options;
    if (this.#attempt > 1) emit({ kind: 'modelRetryRecovered', attempt: this.#attempt });
    emit({ kind: 'messageStarted', messageId: this.#messageId });
  }

  /** From the first piece of reasoning to the first of anything else. */
  #measureReasoning(event: ModelEvent): void {
    const now = this.#options.clock.monotonic();
    if (phaseOf(event) === 'reasoning') this.#reasoningFrom ??= now;
    else if (this.#reasoningFrom !== undefined) this.#reasoningMs ??= Math.round(now - this.#reasoningFrom);
  }

  #show(kind: 'messageDelta' | 'reasoningDelta', text: string): void {
    this.#emit(kind, this.#shown[kind].push(text));
  }

  #showRest(kind: 'messageDelta' | 'reasoningDelta'): void {
    this.#emit(kind, this.#shown[kind].end());
  }

  #emit(kind: 'messageDelta' | 'reasoningDelta', text: string): void {
    if (text !== '') this.#options.emit({ kind, messageId: this.#messageId, text });
  }
}

/** What a snapshot adds. One that rewrites earlier text adds nothing here; it reaches views with `messageFinished`. */
function appended(before: string, snapshot: string): string {
  return snapshot.startsWith(before) ? snapshot.slice(before.length) : '';
}

function phaseOf(event: ModelEvent): Outstanding | undefined {
  switch (event.kind) {
    case 'reasoningDelta':
    case 'reasoningSnapshot':
      return 'reasoning';
    case 'textDelta':
    case 'textSnapshot':
    case 'toolCallDelta':
    case 'toolCallSnapshot':
      return 'writing';
    case 'alive':
    case 'providerItem':
    case 'webSearch':
    case 'usage':
    case 'finished':
      return undefined;
  }
}
