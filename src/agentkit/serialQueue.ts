import { abortReason } from './clock.ts';

/** Runs tasks one after another, in the order they came. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();

  /** Settles as the task does. An abort before its turn keeps the task from starting and rejects at once; a started task ends. */
  run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const stopped = (): void => reject(abortReason(signal));
      signal.addEventListener('abort', stopped, { once: true });
      this.#last = this.#last.then(async () => {
        signal.removeEventListener('abort', stopped);
        if (signal.aborted) return stopped();
        await task().then(resolve, reject);
      });
    });
  }
}
