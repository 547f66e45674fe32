/**
 * Walks a history with the calls that still wait for their result: every call is answered directly behind its message, in call order,
 * no id is used twice, and names are such that every protocol takes them. Source: agent runtime contract, section 7.
 */
export class CallWalk {
  readonly #seen = new Set<string>();
  readonly #say: (problem: string) => void;
  #waiting: string[] = [];

  constructor(say: (problem: string) => void) {
    this.#say = say;
  }

  call(id: string, name: string): void {
    if (!isFunctionName(name)) this.#say(`${JSON.stringify(name)} is no function name`);
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

/** Letters, digits, `_` and `-`; Gemini wants no digit and no hyphen in front. */
export function isFunctionName(name: string): boolean {
  return /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name);
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
