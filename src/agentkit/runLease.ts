import type { ClockPort } from './clock.ts';
import type { RunId } from './ids.ts';
import { DisposableBag, type Disposable } from './lifetime.ts';
import type { RunStorePort } from './runStore.ts';

/** Source: agent runtime contract, section 23. */
const renewEveryMs = 10_000;
const lapsesAfterMs = 45_000;

export interface RunLeaseOptions {
  readonly runId: RunId;
  readonly store: Pick<RunStorePort, 'renewLease'>;
  readonly clock: ClockPort;
  /** Called once when the lease belongs to another window, or could not be renewed for so long that it may. */
  readonly onLost: () => void;
  readonly log: (message: string, cause: unknown) => void;
}

/** Keeps the lease of a live run fresh, so that no other window takes the run for dead. Disposing stops renewing. */
export class RunLease implements Disposable {
  readonly #options: RunLeaseOptions;
  readonly #timers = new DisposableBag();
  #renewedAt: number;

  /** The lease was taken just now. */
  constructor(options: RunLeaseOptions) {
    this.#options = options;
    this.#renewedAt = options.clock.monotonic();
    this.#schedule();
  }

  dispose(): void {
    this.#timers.dispose();
  }

  #schedule(): void {
    const timer = this.#timers.add(
      this.#options.clock.after(renewEveryMs, () => {
        this.#timers.drop(timer);
        void this.#renew();
      }),
    );
  }

  async #renew(): Promise<void> {
    const isHeld = await this.#tryRenew();
    if (this.#timers.isClosed) return;
    if (isHeld) return this.#schedule();
    this.dispose();
    this.#options.onLost();
  }

  async #tryRenew(): Promise<boolean> {
    const { store, runId, clock, log } = this.#options;
    try {
      if (!(await store.renewLease(runId))) return false;
      this.#renewedAt = clock.monotonic();
      return true;
    } catch (error) {
      log('the lease of a run could not be renewed', error);
      return clock.monotonic() - this.#renewedAt + renewEveryMs < lapsesAfterMs;
    }
  }
}
