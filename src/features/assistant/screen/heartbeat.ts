import type { ClockPort, Disposable } from '../../../agentkit/index.ts';
import { limits } from '../../../webview/assistant/protocol.ts';

export interface HeartbeatActions {
  ping(n: number): void;
  /** The page stopped answering: load it anew. */
  replace(): void;
  /** Loading anew did not help: show the static page. */
  giveUp(): void;
}

const replacementWindowMs = 60_000;
const replacementsAllowed = 2;

/**
 * Asks a visible page for a sign of life. Two missed answers load it anew; the third time within a minute it is given up. Beats only
 * between `start` and `stop`. Source: vscode.md section 5.
 */
export class Heartbeat implements Disposable {
  readonly #clock: ClockPort;
  readonly #actions: HeartbeatActions;
  #timer: Disposable | undefined;
  #sent = 0;
  #answered = 0;
  #replacedAt: number[] = [];

  constructor(clock: ClockPort, actions: HeartbeatActions) {
    this.#clock = clock;
    this.#actions = actions;
  }

  start(): void {
    this.stop();
    this.#answered = this.#sent;
    this.#schedule();
  }

  stop(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  /** Only the newest ping counts: an old answer says nothing about now. */
  pong(n: number): void {
    if (n === this.#sent) this.#answered = n;
  }

  /** The person asked for it: start counting replacements anew. */
  forgive(): void {
    this.#replacedAt = [];
  }

  dispose(): void {
    this.stop();
  }

  #schedule(): void {
    this.#timer = this.#clock.after(limits.pingMs, () => this.#beat());
  }

  #beat(): void {
    if (this.#sent - this.#answered >= limits.missedPongs) {
      this.stop();
      this.#replace();
      return;
    }
    this.#sent += 1;
    this.#actions.ping(this.#sent);
    this.#schedule();
  }

  #replace(): void {
    const now = this.#clock.monotonic();
    this.#replacedAt = this.#replacedAt.filter((at) => now - at < replacementWindowMs);
    if (this.#replacedAt.length >= replacementsAllowed) {
      this.#actions.giveUp();
      return;
    }
    this.#replacedAt.push(now);
    this.#actions.replace();
  }
}
