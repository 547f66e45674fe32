import {
  type ClockPort,
  type ModelEvent,
  type ModelRequest,
  type ModelStreamPort,
  ProviderError,
} from '../../agentkit/index.ts';
import type { RequestSent, ResponseSeen } from '../ports/requestLog.ts';

/** Told of every attempt. Must return at once and must not throw. */
export interface AttemptListener {
  sent(request: ModelRequest, facts: Pick<RequestSent, 'requestId' | 'at' | 'model'>): void;
  seen(response: ResponseSeen): void;
}

/** A model whose attempts are told to a listener. Events pass through unchanged and unhurried. */
export class LoggedModel implements ModelStreamPort {
  readonly #model: ModelStreamPort;
  readonly #options: {
    readonly listener: AttemptListener;
    readonly clock: ClockPort;
    readonly newId: () => string;
  };

  constructor(
    model: ModelStreamPort,
    options: {
      readonly listener: AttemptListener;
      readonly clock: ClockPort;
      readonly newId: () => string;
    },
  ) {
    this.#model = model;
    this.#options = options;
  }

  get ref(): string {
    return this.#model.ref;
  }

  get tag(): string {
    return this.#model.tag;
  }

  get capabilities(): ModelStreamPort['capabilities'] {
    return this.#model.capabilities;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void, undefined> {
    const { listener, clock, newId } = this.#options;
    const requestId = newId();
    listener.sent(request, { requestId, at: clock.now(), model: this.ref });
    const tally = new Tally(clock);
    let failure: unknown;
    try {
      for await (const event of this.#model.stream(request, signal)) {
        tally.count(event);
        yield event;
      }
      tally.end();
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      listener.seen({ kind: 'response', requestId, at: clock.now(), ...tally.result(failure) });
    }
  }
}

/** Counts what one attempt brought. */
class Tally {
  readonly #clock: ClockPort;
  readonly #startedAt: number;
  readonly #calls = new Map<string | number, string>();
  #firstEventMs: number | undefined;
  #textLength = 0;
  #reasoningLength = 0;
  #webSearches = 0;
  #usage: ResponseSeen['usage'];
  #reason: string | undefined;
  #hasEnded = false;

  constructor(clock: ClockPort) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  count(event: ModelEvent): void {
    this.#firstEventMs ??= Math.round(this.#clock.monotonic() - this.#startedAt);
    switch (event.kind) {
      case 'textDelta':
        this.#textLength += event.text.length;
        return;
      case 'textSnapshot':
        this.#textLength = event.text.length;
        return;
      case 'reasoningDelta':
        this.#reasoningLength += event.text.length;
        return;
      case 'reasoningSnapshot':
        this.#reasoningLength = event.text.length;
        return;
      case 'toolCallDelta':
      case 'toolCallSnapshot':
        this.#calls.set(
          event.id ?? event.index,
          event.name ?? this.#calls.get(event.id ?? event.index) ?? '',
        );
        return;
      case 'webSearch':
        this.#webSearches++;
        return;
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage };
        return;
      case 'finished':
        this.#reason = event.reason;
        return;
      case 'alive':
      case 'providerItem':
    }
  }

  /** The provider closed the stream by itself. */
  end(): void {
    this.#hasEnded = true;
  }

  result(failure: unknown): Omit<ResponseSeen, 'kind' | 'requestId' | 'at'> {
    return {
      ...this.#outcome(failure),
      ...(this.#firstEventMs !== undefined && { firstEventMs: this.#firstEventMs }),
      durationMs: Math.round(this.#clock.monotonic() - this.#startedAt),
      textLength: this.#textLength,
      reasoningLength: this.#reasoningLength,
      calls: [...this.#calls.values()].filter((name) => name !== ''),
      webSearches: this.#webSearches,
      ...(this.#usage !== undefined && { usage: this.#usage }),
    };
  }

  #outcome(failure: unknown): Pick<ResponseSeen, 'outcome' | 'reason' | 'status' | 'detail'> {
    if (this.#reason !== undefined) return { outcome: 'finished', reason: this.#reason };
    if (failure instanceof ProviderError)
      return {
        outcome: 'failed',
        reason: failure.code,
        ...(failure.status !== undefined && { status: failure.status }),
        ...(failure.detail !== '' && { detail: failure.detail }),
      };
    return this.#hasEnded ? { outcome: 'failed', reason: 'endedEarly' } : { outcome: 'abandoned' };
  }
}
