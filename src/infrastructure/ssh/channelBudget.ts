/** The usual `MaxSessions` of OpenSSH. Source: ssh.md 1.5. */
const assumedLimit = 10;

/** Counts the channels of one connection that `MaxSessions` counts, and learns the limit from a refusal. Source: ssh.md 1.5. */
export class ChannelBudget {
  #limit = assumedLimit;
  #used = 0;
  #everGranted = false;

  get used(): number {
    return this.#used;
  }

  get limit(): number {
    return this.#limit;
  }

  /** False when the connection is known to carry no further channel. */
  take(): boolean {
    if (this.#used >= this.#limit) return false;
    this.#used += 1;
    return true;
  }

  granted(): void {
    this.#everGranted = true;
  }

  /** The server refused to open a channel that was taken. After a success this tells the limit. */
  refused(): void {
    this.giveBack();
    if (this.#everGranted) this.#limit = Math.max(1, this.#used);
  }

  /** The channel's `close` has arrived. */
  giveBack(): void {
    this.#used = Math.max(0, this.#used - 1);
  }
}
