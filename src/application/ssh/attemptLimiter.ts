/** At most this many attempts in a minute reach one server, so that none bans us. Source: ssh.md 1.7. */
const attemptsPerWindow = 6;
const windowMs = 60_000;

/** Counts the attempts of their own accord for each server address. Times are monotonic milliseconds. */
export class AttemptLimiter {
  readonly #attempts = new Map<string, readonly number[]>();

  /** How long an attempt at `address` has to wait; 0 = not at all. */
  waitMs(address: string, now: number): number {
    const recent = this.#recent(address, now);
    const oldest = recent.at(-attemptsPerWindow);
    return oldest === undefined ? 0 : oldest + windowMs - now;
  }

  note(address: string, now: number): void {
    for (const known of this.#attempts.keys())
      if (this.#recent(known, now).length === 0) this.#attempts.delete(known);
    this.#attempts.set(address, [...this.#recent(address, now), now]);
  }

  #recent(address: string, now: number): readonly number[] {
    return (this.#attempts.get(address) ?? []).filter((at) => now - at < windowMs);
  }
}
