import { readFile, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { ClockPort } from '../clock.ts';
import { quotaProblem, type ScratchUsage, type UsageChange } from './limits.ts';

const ledgerSchema = z.object({ bytes: z.int().min(0), files: z.int().min(0) });

/** The whole tree is counted again after this long, in case something else than scratch changed it. */
const trustedForMs = 10_000;

/**
 * How full scratch is, kept in a small file beside the root so that not every write counts 512 files. Used under the scratch lock
 * only. Without the file, after a holder died, before a refusal and every 10 seconds the tree itself is counted.
 */
export class UsageLedger {
  readonly #path: string;
  readonly #clock: ClockPort;
  #countedAt: number | undefined;

  constructor(options: { readonly path: string; readonly clock: ClockPort }) {
    this.#path = options.path;
    this.#clock = options.clock;
  }

  /** The usage before the change. Throws the quota error when it does not fit, by a fresh count. */
  async admit(change: UsageChange, count: () => Promise<ScratchUsage>): Promise<ScratchUsage> {
    const isTrusted =
      this.#countedAt !== undefined && this.#clock.monotonic() - this.#countedAt < trustedForMs;
    const recorded = isTrusted ? await this.#read() : undefined;
    if (recorded !== undefined && quotaProblem(recorded, change) === undefined) return recorded;
    const counted = await count();
    await this.record(counted);
    this.#countedAt = this.#clock.monotonic();
    const problem = quotaProblem(counted, change);
    if (problem !== undefined) throw problem;
    return counted;
  }

  async record(usage: ScratchUsage): Promise<void> {
    await writeFile(this.#path, JSON.stringify(usage), { mode: 0o600 });
  }

  /** The next operation of any process counts. */
  async forget(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  async #read(): Promise<ScratchUsage | undefined> {
    try {
      return ledgerSchema.safeParse(JSON.parse(await readFile(this.#path, 'utf8'))).data;
    } catch {
      return undefined;
    }
  }
}
