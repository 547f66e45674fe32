import { sortedJson, type Json } from '../json.ts';
import type { CutBody, LineCursor } from './lineCursor.ts';

export const commaCost = 1;

export function itemsBody(items: readonly Json[]): CutBody {
  return {
    lines: items.length,
    empty: [],
    leastBytes: items.length,
    whole: () => items,
    front: () => new ItemCursor(items, 'front'),
    back: () => new ItemCursor(items, 'back'),
  };
}

class ItemCursor implements LineCursor {
  readonly #items: readonly Json[];
  readonly #side: 'front' | 'back';
  #taken = 0;

  constructor(items: readonly Json[], side: 'front' | 'back') {
    this.#items = items;
    this.#side = side;
  }
  get taken(): number {
    return this.#taken;
  }
  cost(): number {
    return this.nextBytes() + commaCost;
  }
  take(): void {
    this.#taken++;
  }
  value(): readonly Json[] {
    return this.#side === 'front'
      ? this.#items.slice(0, this.#taken)
      : this.#items.slice(this.#items.length - this.#taken);
  }
  position(): { items: number; textLines: number } {
    return { items: this.#taken, textLines: 0 };
  }
  nextBytes(): number {
    const index = this.#side === 'front' ? this.#taken : this.#items.length - 1 - this.#taken;
    return jsonBytes(this.#items[index] ?? null);
  }
}

/** UTF-8 bytes of the value as it stands inside a result. */
export function jsonBytes(value: Json): number {
  return Buffer.byteLength(sortedJson(value).replaceAll('</', '<\\/'), 'utf8');
}
