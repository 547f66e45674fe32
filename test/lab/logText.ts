interface Waiter {
  readonly pattern: RegExp;
  readonly fromOffset: number;
  readonly settle: (match: RegExpExecArray | Error) => void;
}

export interface WaitOptions {
  /** Only text behind this offset counts; the start of the log when absent. */
  readonly fromOffset?: number;
  /** Rejects after this long; 10 s when absent. */
  readonly deadlineMs?: number;
}

/** Text that grows, and that can be waited for. */
export class LogText {
  #text = '';
  #ended: string | undefined;
  readonly #waiters = new Set<Waiter>();

  get text(): string {
    return this.#text;
  }

  /** What came so far is given up; offsets begin anew. */
  forget(): void {
    this.#text = '';
  }

  append(text: string): void {
    this.#text += text;
    for (const waiter of [...this.#waiters]) this.#offer(waiter);
  }

  /** Nothing more will come: whoever still waits is rejected with `reason` and the text so far. */
  end(reason: string): void {
    this.#ended = reason;
    for (const waiter of [...this.#waiters]) waiter.settle(this.#failure(waiter.pattern, reason));
  }

  /** Resolves with the first match, past or future. Rejects at the deadline and when the text ends. */
  waitFor(pattern: RegExp, options: WaitOptions = {}): Promise<RegExpExecArray> {
    const deadlineMs = options.deadlineMs ?? 45_000;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => waiter.settle(this.#failure(pattern, `nothing within ${deadlineMs} ms`)),
        deadlineMs,
      );
      const waiter: Waiter = {
        pattern: new RegExp(pattern.source, pattern.flags.replace('g', '')),
        fromOffset: options.fromOffset ?? 0,
        settle: (match) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          if (match instanceof Error) reject(match);
          else resolve(match);
        },
      };
      this.#waiters.add(waiter);
      this.#offer(waiter);
      if (this.#waiters.has(waiter) && this.#ended !== undefined) this.end(this.#ended);
    });
  }

  #offer(waiter: Waiter): void {
    const match = waiter.pattern.exec(this.#text.slice(waiter.fromOffset));
    if (match !== null) waiter.settle(match);
  }

  #failure(pattern: RegExp, reason: string): Error {
    return new Error(`Waited for ${String(pattern)}: ${reason}. Text so far:\n${this.#text}`);
  }
}
