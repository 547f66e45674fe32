import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SetupFault } from './setupFault.mjs';

/** Where toolchains and editors live, outside the checkout so that clones share them. */
export const cacheFolder = process.env['TERMIND_CACHE'] ?? path.join(homedir(), '.cache', 'termind-dev');

const lockPatienceMs = 10 * 60_000;

/**
 * Resolves to `name` inside the cache, building it first when it is not there. A build works in a folder of its own
 * that is renamed when it is complete, so a folder that exists is whole; two processes never build the same one.
 * @param {string} name
 * @param {(folder: string) => Promise<void>} build fills an empty folder; what it leaves on rejection is removed
 * @returns {Promise<string>}
 */
export async function cached(name, build) {
  const target = path.join(cacheFolder, name);
  if (existsSync(target)) return target;
  return withLock(`${target}.lock`, async () => {
    if (existsSync(target)) return target;
    const draft = `${target}.draft-${randomBytes(4).toString('hex')}`;
    await mkdir(draft);
    try {
      await build(draft);
      await rename(draft, target);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      throw error;
    }
    return target;
  });
}

/**
 * Runs `work` while no other process of ours holds the same lock file. A lock whose owner is dead is taken over;
 * a living owner is waited for, at most ten minutes.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true }).catch((cause) => {
    throw new SetupFault(
      `a folder to write to (${folder}: ${cause.code})`,
      'set TERMIND_CACHE to one that you may write to',
    );
  });
  const giveUpAt = Date.now() + lockPatienceMs;
  while (!(await claim(file))) {
    if (Date.now() > giveUpAt)
      throw new SetupFault(`a set-up that another process holds (${file})`, `rm ${file}`);
    await delay(200);
  }
  const release = () => rm(file, { force: true });
  try {
    return await work();
  } finally {
    await release();
  }
}

/** @param {string} file */
async function claim(file) {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
  if (await isAbandoned(file)) {
    // Renamed before it is removed: of two processes that see the same dead owner only one gets the file.
    const grave = `${file}.${randomBytes(4).toString('hex')}`;
    await rename(file, grave).then(
      () => rm(grave, { force: true }),
      () => undefined,
    );
  }
  return false;
}

/** @param {string} file */
async function isAbandoned(file) {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  const owner = Number(text);
  if (!Number.isInteger(owner) || owner <= 0) {
    // Created and not yet written, or its writer died between the two.
    const age = await stat(file).then(
      (s) => Date.now() - s.mtimeMs,
      () => 0,
    );
    return age > 5_000;
  }
  try {
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH';
  }
}
