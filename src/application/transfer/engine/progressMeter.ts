import type { ClockPort, Disposable } from '../../../agentkit/index.ts';
import type { TransferProgress } from './transfer.ts';

/** Source: ssh.md 8.7, 8. */
const everyMs = 250;
const rateOverMs = 3_000;
const leastForEtaMs = 2_000;

/** What one file of a request tells. */
export type FileMeter = Pick<ProgressMeter, 'sized' | 'moved' | 'had'>;

/**
 * Counts what has been moved and tells about it at most four times a second, as long as it is not disposed; `finish` tells once more.
 * Source: ssh.md 8.7, 8.
 */
export class ProgressMeter implements Disposable {
  readonly #clock: ClockPort;
  readonly #tell: (progress: TransferProgress) => void;
  readonly #begun: number;
  readonly #samples: { readonly at: number; readonly moved: number }[] = [];
  #timer: Disposable | undefined;
  /** What has gone over the line since the beginning; what was there already is in `#done` only. */
  #moved = 0;
  #done = 0;
  #doneFiles = 0;
  readonly #sized = { bytes: 0, files: 0 };
  #files: number | undefined;

  constructor(clock: ClockPort, tell: ((progress: TransferProgress) => void) | undefined) {
    this.#clock = clock;
    this.#tell = tell ?? (() => {});
    this.#begun = clock.monotonic();
    if (tell !== undefined) this.#schedule();
  }

  /** So many files there are. */
  expect(files: number): void {
    this.#files = files;
  }

  /** So many of them have so many bytes; the total is known when all were told. */
  sized(bytes: number, files: number): void {
    this.#sized.bytes += bytes;
    this.#sized.files += files;
  }

  moved(bytes: number): void {
    this.#moved += bytes;
    this.#done += bytes;
  }

  /** Bytes that need not be moved. Negative: they have to be after all, again. */
  had(bytes: number): void {
    this.#done += bytes;
  }

  fileDone(): void {
    this.#doneFiles += 1;
  }

  finish(): void {
    this.dispose();
    this.#tell(this.#now());
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = this.#clock.after(everyMs, () => {
      this.#schedule();
      this.#tell(this.#now());
    });
  }

  #now(): TransferProgress {
    const now = this.#clock.monotonic();
    this.#samples.push({ at: now, moved: this.#moved });
    while (this.#samples.length > 1 && now - (this.#samples[0]?.at ?? now) > rateOverMs)
      this.#samples.shift();
    const first = this.#samples[0];
    const from = this.#samples.length < 2 || first === undefined ? { at: this.#begun, moved: 0 } : first;
    const elapsed = now - from.at;
    const bytesPerSecond = elapsed <= 0 ? 0 : ((this.#moved - from.moved) / elapsed) * 1_000;
    const files = this.#files;
    const bytes = this.#sized.files === files ? this.#sized.bytes : undefined;
    const canTell = now - this.#begun >= leastForEtaMs && bytes !== undefined && bytesPerSecond > 0;
    return {
      doneBytes: this.#done,
      totalBytes: bytes,
      bytesPerSecond,
      secondsLeft: canTell ? Math.max(0, bytes - this.#done) / bytesPerSecond : undefined,
      doneFiles: this.#doneFiles,
      totalFiles: files,
    };
  }
}
