/** Shows one input box or dialog after the other across the window. Source: decisions 15. */
export class PromptQueue {
  #tail: Promise<unknown> = Promise.resolve();

  /** `ask` is called when everything before it is over. Resolves with `refused` when `signal` aborts first, and then `ask` may go unasked. */
  next<T>(signal: AbortSignal, refused: T, ask: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(async () => {
      if (signal.aborted) return refused;
      const aborted = new Promise<T>((resolve) => {
        signal.addEventListener('abort', () => resolve(refused), { once: true });
      });
      return Promise.race([ask(), aborted]);
    });
    this.#tail = turn.catch(() => undefined);
    return turn;
  }
}
