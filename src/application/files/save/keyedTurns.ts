/** Work that is done one after the other for each key, in the order it came. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Settles as the work does. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const over: Promise<void> = turn.then(
      () => this.#leave(key, over),
      () => this.#leave(key, over),
    );
    this.#last.set(key, over);
    return turn;
  }

  #leave(key: string, turn: Promise<void>): void {
    if (this.#last.get(key) === turn) this.#last.delete(key);
  }
}
