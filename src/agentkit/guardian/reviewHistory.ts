import { createHash } from 'node:crypto';
import type { ModelItem } from '../model.ts';
import type { UserWords } from '../userWords.ts';
import { reviewLimits } from './limits.ts';

/** What a reviewer was shown and answered before: pairs of a request and its verdict, without what it looked at in between. */
export interface ReviewHistory {
  readonly items: readonly ModelItem[];
  /** Marks of the words of the user that stand in it, in order. */
  readonly sent: readonly string[];
}

const empty: ReviewHistory = { items: [], sent: [] };

/** Where a review starts: what stands before it, and what it says. */
export interface ReviewStart {
  readonly history: ReviewHistory;
  readonly prompt: string;
}

/**
 * The histories of reviews by conversation and tool set; the 64 that were used last are kept. Append-only: a review continues one with
 * the words that are new, or starts anew where the words of the user are no extension of those that were sent (they were edited away)
 * and where it would grow above 160,000 characters. Source: agent runtime contract, section 12.
 */
export class ReviewHistories {
  readonly #kept = new Map<string, ReviewHistory>();

  /** `prompt` makes the text of a review that tells these words. */
  start(
    key: string,
    words: readonly UserWords[],
    prompt: (fresh: readonly UserWords[]) => string,
  ): ReviewStart {
    const history = this.#kept.get(key) ?? empty;
    const marks = words.map(markOf);
    const isExtension = history.sent.every((mark, index) => marks[index] === mark);
    if (isExtension) {
      const text = prompt(words.slice(history.sent.length));
      if (charactersOf(history) + text.length <= reviewLimits.historyCharacters)
        return { history, prompt: text };
    }
    this.#kept.delete(key);
    return { history: empty, prompt: prompt(words) };
  }

  /** Lets go of the histories whose key begins so. */
  forget(beginning: string): void {
    for (const key of [...this.#kept.keys()]) if (key.startsWith(beginning)) this.#kept.delete(key);
  }

  /** Continues the history that `start` gave. One that another review continued meanwhile stays as that left it. */
  append(key: string, { history, words, items }: ReviewOutcomeItems): void {
    if ((this.#kept.get(key) ?? empty) !== history) return;
    this.#kept.delete(key);
    this.#kept.set(key, { items: [...history.items, ...items], sent: words.map(markOf) });
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > reviewLimits.histories) this.#kept.delete(oldest);
  }
}

/** A review that came to a verdict. */
export interface ReviewOutcomeItems {
  /** What it continued. */
  readonly history: ReviewHistory;
  /** All words of the user that it knew. */
  readonly words: readonly UserWords[];
  readonly items: readonly ModelItem[];
}

function charactersOf({ items }: ReviewHistory): number {
  return items.reduce((sum, { text }) => sum + text.length, 0);
}

function markOf({ provenance, id, text }: UserWords): string {
  return createHash('sha256')
    .update(JSON.stringify([provenance, id, text]), 'utf8')
    .digest('base64');
}
