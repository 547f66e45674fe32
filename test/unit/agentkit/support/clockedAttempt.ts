import { ProviderError, type ModelEvent } from '../../../../src/agentkit/model.ts';
import { defaultStreamClocks, underClocks } from '../../../../src/agentkit/streamClocks.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

type Open = (signal: AbortSignal) => AsyncIterable<ModelEvent>;

/** One attempt under the clocks of the runtime, read while a test goes on. `alive` is left out: it says how bytes arrived and not what. */
export class ClockedAttempt {
  readonly events: ModelEvent[] = [];
  /** Resolves with the failure, or with undefined when there was none. */
  readonly ended: Promise<ProviderError | undefined>;
  readonly #clock = new FakeClock();
  #isOver = false;
  #look = (): void => {};

  constructor(open: Open) {
    this.ended = this.#read(open);
  }

  /** Resolves when it has read so much, or is over. */
  async hasRead(expected: readonly ModelEvent[]): Promise<void> {
    while (!this.#isOver && spelled(this.events).length < expected.length)
      await new Promise<void>((resolve) => (this.#look = resolve));
  }

  /** Moves time on, one idle clock after the other, until it is over. */
  async outwaited(): Promise<void> {
    while (!this.#isOver) await this.#clock.advance(defaultStreamClocks.idleMs);
  }

  async #read(open: Open): Promise<ProviderError | undefined> {
    const limits = { clock: this.#clock, clocks: defaultStreamClocks };
    const { signal } = new AbortController();
    try {
      for await (const event of underClocks(open, limits, signal)) {
        if (event.kind !== 'alive') this.events.push(event);
        this.#look();
      }
      return undefined;
    } catch (error) {
      if (error instanceof ProviderError) return error;
      throw error;
    } finally {
      this.#isOver = true;
      this.#look();
    }
  }
}

/** With one event for each character of text, so that half a text is a prefix of the whole. */
export function spelled(events: readonly ModelEvent[]): readonly ModelEvent[] {
  return events.flatMap((event): readonly ModelEvent[] =>
    event.kind === 'textDelta' || event.kind === 'reasoningDelta'
      ? Array.from(event.text, (text) => ({ kind: event.kind, text }))
      : [event],
  );
}
