import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, open, readFile, unlink, type FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { AgentError } from '../agentError.ts';
import type { ClockPort } from '../clock.ts';
import type { Disposable } from '../lifetime.ts';
import { errorCode } from './ioError.ts';
import type { LockOwnerPort } from './lockOwner.ts';

/** Source: agent runtime contract, section 10. */
const longestSilenceMs = 10_000;
const longestWaitMs = 10_000;
/** A holder shows every two seconds that it lives; one that did not for this long checks that it still holds. */
const heartbeatMs = 2_000;
const doubtfulAfterMs = 5_000;
const shortestPauseMs = 2;
const longestPauseMs = 25;

const holderSchema = z.object({
  pid: z.int(),
  startToken: z.string(),
  machine: z.string(),
  at: z.number(),
  token: z.string(),
});
type Holder = z.output<typeof holderSchema>;

/** What a waiter saw of a lock file. `holder` is undefined while it is being written. */
interface Sighting {
  readonly raw: string;
  readonly holder: Holder | undefined;
  /** When its holder last showed a sign of life: the time in it, or its modification time. */
  readonly lastSignMs: number;
}

export interface HeldLock {
  /** Rejects when the lock may have been taken over. Cheap while it cannot have been. */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

export interface ScratchLockOptions {
  /** Of the lock file; its folder exists. A second file, `<path>.takeover`, exists while a dead holder is replaced. */
  readonly path: string;
  readonly clock: ClockPort;
  readonly owner: LockOwnerPort;
  /** Called before an abandoned lock is removed: what its holder was about to change is unknown. */
  readonly onAbandoned: () => Promise<void>;
  readonly log: (message: string) => void;
}

/**
 * One lock for all processes that use one scratch root, held for one operation only. It names owner and time; a dead owner is
 * replaced at once, one that is silent for 10 seconds too. Only whoever holds the take-over file removes a lock that is not its own,
 * and only the one it judged, so that two waiters never replace each other.
 * Source: agent runtime contract, section 10.
 */
export class ScratchLock {
  readonly #options: ScratchLockOptions;

  constructor(options: ScratchLockOptions) {
    this.#options = options;
  }

  /** Rejects with `scratchBusy` after 10 seconds, or with the signal's reason. */
  async acquire(signal: AbortSignal): Promise<HeldLock> {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    const watched = new Watched(clock);
    for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      signal.throwIfAborted();
      const handle = await this.#create();
      if (handle !== undefined) return this.#hold(handle);
      const seen = await this.#look();
      if (seen !== undefined && this.#isAbandoned(seen, watched) && (await this.#remove(seen))) continue;
      if (clock.monotonic() - startedAt >= longestWaitMs) throw new AgentError('scratchBusy');
      await clock.sleep(pauseMs * (0.5 + Math.random()), signal);
    }
  }

  /** The lock file, written; undefined when there is one already. */
  async #create(): Promise<FileHandle | undefined> {
    const { path, clock, owner } = this.#options;
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, 'wx', 0o600);
      const holder: Holder = { ...owner.self, at: clock.now(), token: randomUUID() };
      await handle.writeFile(JSON.stringify(holder));
      return handle;
    } catch (error) {
      await handle?.close();
      if (handle !== undefined) await unlink(path);
      if (isTaken(error)) return undefined;
      throw error;
    }
  }

  async #look(): Promise<Sighting | undefined> {
    const { path } = this.#options;
    try {
      const [raw, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), lstat(path)]);
      const holder = parseHolder(raw);
      return { raw, holder, lastSignMs: Math.max(mtimeMs, holder?.at ?? 0) };
    } catch (error) {
      if (isGoneOrTaken(error)) return undefined;
      throw error;
    }
  }

  #isAbandoned(seen: Sighting, watched: Watched): boolean {
    const { clock, owner } = this.#options;
    if (seen.holder !== undefined && owner.isGone(seen.holder)) return true;
    return watched.unchangedMs(seen) >= longestSilenceMs || clock.now() - seen.lastSignMs >= longestSilenceMs;
  }

  /** Removes the lock that was judged. False when another waiter is at it, or the lock is another by now. */
  async #remove(judged: Sighting): Promise<boolean> {
    const { path, log, onAbandoned } = this.#options;
    const takeover = `${path}.takeover`;
    try {
      await (await open(takeover, 'wx', 0o600)).close();
    } catch (error) {
      if (!isTaken(error)) throw error;
      await this.#dropStaleTakeover(takeover);
      return false;
    }
    try {
      if ((await this.#look())?.raw !== judged.raw) return false;
      await onAbandoned();
      await removeIfThere(path);
      log(`replaced the scratch lock of process ${judged.holder?.pid ?? 'unknown'}`);
      return true;
    } finally {
      await removeIfThere(takeover);
    }
  }

  /** A process that died while it replaced another. */
  async #dropStaleTakeover(takeover: string): Promise<void> {
    try {
      const { mtimeMs } = await lstat(takeover);
      if (this.#options.clock.now() - mtimeMs >= longestSilenceMs) await unlink(takeover);
    } catch (error) {
      if (!isGoneOrTaken(error)) throw error;
    }
  }

  #hold(handle: FileHandle): HeldLock {
    const { path, clock } = this.#options;
    let lastSignMs = clock.monotonic();
    let beat: Disposable | undefined;
    const schedule = (): void => {
      beat = clock.after(heartbeatMs, () => {
        const now = new Date(clock.now());
        handle.utimes(now, now).then(
          () => (lastSignMs = clock.monotonic()),
          () => undefined,
        );
        schedule();
      });
    };
    schedule();
    const isOwn = async (): Promise<boolean> => {
      if (clock.monotonic() - lastSignMs < doubtfulAfterMs) return true;
      return Promise.all([handle.stat({ bigint: true }), lstat(path, { bigint: true })]).then(
        ([own, found]) => isSameFile(own, found),
        () => false,
      );
    };
    return {
      assertHeld: async () => {
        if (!(await isOwn())) throw new AgentError('scratchBusy');
      },
      release: async () => {
        beat?.dispose();
        const mayRemove = await isOwn();
        await handle.close();
        if (mayRemove) await removeIfThere(path);
      },
    };
  }
}

/** How long a waiter has seen the same lock without a sign of life, by its own clock. */
class Watched {
  readonly #clock: ClockPort;
  #key = '';
  #since = 0;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  unchangedMs(seen: Sighting): number {
    const key = `${seen.lastSignMs}:${seen.raw}`;
    const now = this.#clock.monotonic();
    if (key !== this.#key) {
      this.#key = key;
      this.#since = now;
    }
    return now - this.#since;
  }
}

function parseHolder(raw: string): Holder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(raw)).data;
  } catch {
    return undefined;
  }
}

async function removeIfThere(file: string): Promise<void> {
  await unlink(file).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

function isSameFile(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/** Windows answers so while a removed file is still open somewhere. */
const stillOpen: ReadonlySet<string> = new Set(
  process.platform === 'win32' ? ['EPERM', 'EACCES', 'EBUSY'] : [],
);

function isTaken(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  return code === 'EEXIST' || stillOpen.has(code);
}

function isGoneOrTaken(error: unknown): boolean {
  return errorCode(error) === 'ENOENT' || isTaken(error);
}
