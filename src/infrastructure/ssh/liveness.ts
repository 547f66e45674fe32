import { Emitter, type ClockPort, type Disposable } from '../../agentkit/index.ts';
import type { Liveness } from '../../application/ports/transport.ts';

export interface LivenessOptions {
  readonly clock: ClockPort;
  /** 10 s by default; 0 switches probes off. Source: ssh.md 1.6. */
  readonly intervalMs: number;
  /** 3 by default: this many probes without any inbound byte, and one interval later the link is dead. */
  readonly maxSilentProbes: number;
  /** Sends a probe; the reply is told to `onReply`. */
  readonly probe: (onReply: () => void) => void;
  readonly onDead: () => void;
}

/** A probe that is this old without any inbound byte makes the connection suspect. Source: ssh.md 1.6. */
const suspectMs = 5_000;

/**
 * Finds out whether the other side is still there, and how far it is. A silent link is suspect at most 15 s and dead at most 45 s after
 * it died. After the machine slept, silence is measured anew. Source: ssh.md 1.6; TRAP-7.
 */
export class LivenessWatch implements Disposable {
  readonly #options: LivenessOptions;
  readonly #changed = new Emitter<Liveness>();
  #tick: Disposable | undefined;
  #suspicion: Disposable | undefined;
  /** Runs while the answer to `check` is waited for. */
  #check: Disposable | undefined;
  #isOver = false;
  #isSuspect = false;
  #silentProbes = 0;
  #dueAt = 0;
  #rttMs: number | undefined;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#schedule();
  }

  get onChange(): Emitter<Liveness>['event'] {
    return this.#changed.event;
  }

  /** Call for every inbound chunk. */
  noteInbound(): void {
    this.#silentProbes = 0;
    this.#check?.dispose();
    this.#check = undefined;
    this.#suspicion?.dispose();
    this.#suspicion = undefined;
    if (!this.#isSuspect) return;
    this.#isSuspect = false;
    this.#changed.fire({ k: 'alive', rttMs: this.#rttMs });
  }

  /** One probe at once, for a moment in which the line may have changed: dead when nothing arrives within `withinMs`. */
  check(withinMs: number): void {
    if (this.#isOver) return;
    this.#check?.dispose();
    this.#check = this.#options.clock.after(withinMs, () => {
      this.dispose();
      this.#options.onDead();
    });
    this.#sendProbe();
  }

  dispose(): void {
    this.#isOver = true;
    this.#check?.dispose();
    this.#tick?.dispose();
    this.#suspicion?.dispose();
    this.#changed.dispose();
  }

  #schedule(): void {
    const { clock, intervalMs } = this.#options;
    if (intervalMs <= 0) return;
    this.#dueAt = clock.monotonic() + intervalMs;
    this.#tick = clock.after(intervalMs, () => this.#onTick());
  }

  #onTick(): void {
    const { clock, intervalMs, maxSilentProbes, onDead } = this.#options;
    const wasAsleep = clock.monotonic() - this.#dueAt > intervalMs;
    if (wasAsleep) this.#silentProbes = 0;
    if (this.#silentProbes >= maxSilentProbes) {
      this.dispose();
      onDead();
      return;
    }
    this.#schedule();
    this.#sendProbe();
  }

  #sendProbe(): void {
    const { clock, probe } = this.#options;
    this.#silentProbes += 1;
    const sentAt = clock.monotonic();
    this.#suspicion ??= clock.after(suspectMs, () => {
      this.#isSuspect = true;
      this.#changed.fire({ k: 'suspect' });
    });
    probe(() => {
      this.#rttMs = Math.round(clock.monotonic() - sentAt);
      this.#changed.fire({ k: 'alive', rttMs: this.#rttMs });
    });
  }
}
