/** Something that holds a listener, timer, channel or process until it is disposed. Disposing twice is harmless. */
export interface Disposable {
  dispose(): void;
}

/** Subscribes a listener; disposing the result unsubscribes it. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** Owns what it is given. Adding to a closed bag disposes at once, so a late result cannot leak. */
export class DisposableBag implements Disposable {
  readonly #items = new Set<Disposable>();
  #closed = false;

  get isClosed(): boolean {
    return this.#closed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.#closed) item.dispose();
    else this.#items.add(item);
    return item;
  }

  /** Disposes one item now and forgets it. */
  drop(item: Disposable): void {
    if (this.#items.delete(item)) item.dispose();
  }

  dispose(): void {
    this.#closed = true;
    const items = [...this.#items].reverse();
    this.#items.clear();
    for (const item of items) item.dispose();
  }
}

/** A list of listeners. A listener that throws does not keep the others from being called; the error goes to `onError`. */
export class Emitter<T> implements Disposable {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void = () => {}) {
    this.#onError = onError;
  }

  readonly event: Event<T> = (listener) => {
    const own = (value: T): void => listener(value);
    this.#listeners.add(own);
    return { dispose: () => void this.#listeners.delete(own) };
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
