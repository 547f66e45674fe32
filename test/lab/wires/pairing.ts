/**
 * Walks a history with the calls that still wait for their result: every call is answered directly behind its message, in call order,
 * and no id is used twice. Source: agent runtime contract, section 7.
 */
export class CallWalk {
  readonly #seen = new Set<string>();
  readonly #say: (problem: string) => void;
  #waiting: string[] = [];

  constructor(say: (problem: string) => void) {
    this.#say = say;
  }

  call(id: string): void {
    if (this.#seen.has(id)) this.#say(`the call id ${id} was used before`);
    this.#seen.add(id);
    this.#waiting.push(id);
  }

  result(id: string): void {
    const expected = this.#waiting.shift();
    if (expected === undefined) this.#say(`a result for ${id} without a call in front of it`);
    else if (expected !== id) this.#say(`a result for ${id} where that of ${expected} is due`);
  }

  /** Anything that is no result. */
  other(what: string): void {
    if (this.#waiting.length > 0) this.#say(`${what} comes before the result of ${this.#waiting.join(', ')}`);
    this.#waiting = [];
  }

  end(): void {
    if (this.#waiting.length > 0) this.#say(`nothing answers ${this.#waiting.join(', ')}`);
  }
}

export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value);
  } catch {
    return false;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
