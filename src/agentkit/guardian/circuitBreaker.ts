import type { MessageId } from '../ids.ts';

const adverseInARow = 3;
const adverseInWindow = 10;
const windowGroups = 50;

/**
 * Keeps a run from asking the reviewer until it says yes. Results are grouped by the assistant message that made the calls; a group with
 * one adverse result is adverse. Open once the last 3 groups are adverse, or 10 of the last 50; it does not close again within the run.
 * Source: agent runtime contract, section 12.
 */
export class CircuitBreaker {
  readonly #groups = new Map<MessageId, 'favourable' | 'adverse'>();
  #isOpen = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Adverse: denied, or failed for another reason than that it was cancelled. A cancelled review is not handed in. */
  record(answer: MessageId, result: 'favourable' | 'adverse'): void {
    if (this.#groups.get(answer) !== 'adverse') this.#groups.set(answer, result);
    const last = [...this.#groups.values()].slice(-windowGroups);
    const isAdverse = (group: string): boolean => group === 'adverse';
    this.#isOpen ||=
      (last.length >= adverseInARow && last.slice(-adverseInARow).every(isAdverse)) ||
      last.filter(isAdverse).length >= adverseInWindow;
  }
}
