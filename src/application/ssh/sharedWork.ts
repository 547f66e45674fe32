import { isAborted, untilAborted } from '../../agentkit/index.ts';

/**
 * Work that several callers wait for and that is done once. An abort stops one caller's waiting; when nobody waits any more the work
 * itself is aborted. Source: ssh.md 1.1 and 1.3.
 */
export class SharedWork<T> {
  readonly #abort = new AbortController();
  readonly #result: Promise<T>;
  #waiting = 0;
  #isSettled = false;

  constructor(run: (signal: AbortSignal) => Promise<T>) {
    this.#result = run(this.#abort.signal).finally(() => {
      this.#isSettled = true;
    });
    this.#result.catch(() => {}); // each caller gets it; without one nobody is to be told
  }

  /** False once it has settled or was given up; a new caller then needs new work. */
  get isOpen(): boolean {
    return !this.#isSettled && !isAborted(this.#abort.signal);
  }

  async join(signal: AbortSignal): Promise<T> {
    this.#waiting += 1;
    try {
      return await untilAborted(this.#result, signal);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#isSettled)
        this.#abort.abort(new Error('nobody waits for it any more'));
    }
  }

  /** Ends it for everybody. */
  abort(reason: Error): void {
    this.#abort.abort(reason);
  }
}
