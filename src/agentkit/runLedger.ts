import type { ClockPort } from './clock.ts';
import type { EndedRunState, LiveRunState, RunState } from './events.ts';
import type { Disposable } from './lifetime.ts';

/** What can be outstanding, from the highest precedence to the lowest. Source: agent runtime contract, section 6. */
const precedence = [
  'waitingForApproval',
  'waitingForUser',
  'waitingForHost',
  'callingTools',
  'writing',
  'reasoning',
  'waitingForFirstToken',
] as const satisfies readonly LiveRunState[];
export type Outstanding = (typeof precedence)[number];

/**
 * The run state, derived from what is outstanding and never asserted: every wait is written in when it begins and struck out when it
 * ends, and the state is the entry of highest precedence. With nothing outstanding the run is on its way to the model: `connecting`.
 */
export class RunLedger {
  readonly #clock: ClockPort;
  readonly #onChange: (state: RunState, since: number) => void;
  readonly #open = new Map<Outstanding, number>();
  #state: RunState | undefined;
  #ended: EndedRunState | undefined;

  constructor(clock: ClockPort, onChange: (state: RunState, since: number) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** `connecting` before the first change. */
  get state(): RunState {
    return this.#state ?? 'connecting';
  }

  /** Announces the state for the first time. */
  begin(): void {
    this.#derive();
  }

  /** Writes one entry in; disposing strikes it out. Entries of the same kind add up. */
  hold(what: Outstanding): Disposable {
    this.#open.set(what, (this.#open.get(what) ?? 0) + 1);
    this.#derive();
    let held = true;
    return {
      dispose: () => {
        if (!held) return;
        held = false;
        this.#open.set(what, (this.#open.get(what) ?? 1) - 1);
        this.#derive();
      },
    };
  }

  /** Final: later entries change nothing. */
  end(state: EndedRunState): void {
    this.#ended = state;
    this.#derive();
  }

  #derive(): void {
    const state = this.#ended ?? precedence.find((what) => (this.#open.get(what) ?? 0) > 0) ?? 'connecting';
    if (state === this.#state) return;
    this.#state = state;
    this.#onChange(state, this.#clock.now());
  }
}
