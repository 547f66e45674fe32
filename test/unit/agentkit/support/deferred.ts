export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

/** A promise that a test settles. */
export function deferred<T = undefined>(): Deferred<T> & { resolve(value?: T): void } {
  let settle: ((value: T | PromiseLike<T>) => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  return {
    promise,
    resolve: (value) => settle?.(value as T),
    reject: (error) => fail?.(error),
  };
}
