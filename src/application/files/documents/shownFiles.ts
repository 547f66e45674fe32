import type { ClockPort, Disposable } from '../../../agentkit/index.ts';

/** Source: ssh.md 8.2, "Watching". */
const firstMs = 3_000;
const longestMs = 60_000;
const growth = 1.5;
/** Of the delay, either way: editors that were opened together do not ask together for ever. */
const jitter = 0.2;

export interface ShownFilesOptions {
  readonly clock: ClockPort;
  /** Between 0 and 1. */
  readonly random: () => number;
  /** Looks at a file and resolves with whether it has changed. Never rejects. */
  readonly look: (key: string) => Promise<boolean>;
}

interface Shown {
  delayMs: number;
  timer: Disposable | undefined;
}

/** Looks again and again at the files that a person sees, less often while they stay the same. Disposing ends it. */
export class ShownFiles implements Disposable {
  readonly #options: ShownFilesOptions;
  readonly #shown = new Map<string, Shown>();

  constructor(options: ShownFilesOptions) {
    this.#options = options;
  }

  /** These are seen now, and no others. */
  show(keys: ReadonlySet<string>): void {
    for (const [key, shown] of this.#shown)
      if (!keys.has(key)) {
        shown.timer?.dispose();
        this.#shown.delete(key);
      }
    for (const key of keys) {
      if (this.#shown.has(key)) continue;
      const shown: Shown = { delayMs: firstMs, timer: undefined };
      this.#shown.set(key, shown);
      this.#wait(key, shown);
    }
  }

  dispose(): void {
    this.show(new Set());
  }

  #wait(key: string, shown: Shown): void {
    const { clock, random } = this.#options;
    const spread = 1 + jitter * (2 * random() - 1);
    shown.timer = clock.after(shown.delayMs * spread, () => void this.#look(key, shown));
  }

  async #look(key: string, shown: Shown): Promise<void> {
    const hasChanged = await this.#options.look(key);
    if (this.#shown.get(key) !== shown) return;
    shown.delayMs = hasChanged ? firstMs : Math.min(longestMs, shown.delayMs * growth);
    this.#wait(key, shown);
  }
}
