import { chmodSync, lstatSync, mkdtempSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { canCreateAccounts, newAccountName } from '../../test/lab/account.ts';
import { freePort, isPortFree } from '../../test/lab/freePort.ts';
import { isAlive } from '../../test/lab/processes.ts';
import { cacheFolder } from '../setup/cache.mjs';
import { SetupFault } from '../setup/setupFault.mjs';

const port = z.int().min(1).max(65_535);

/** What makes the next start the same lab again: a host key is known by address and port, a browser's storage too. */
const state = z.object({
  ports: z.object({ sshd: port, model: port, editor: port }),
  /** Only as root. The home is outside the cache, which other accounts may not enter. */
  account: z.object({ name: z.string(), home: z.string() }).optional(),
});
export type StartState = z.output<typeof state>;

/** The folder in which lab and editor profile live on between starts. */
export interface StartFolder {
  readonly lab: string;
  readonly profile: string;
  readonly state: StartState;
  /** Lets another start have the folder. */
  release(): Promise<void>;
}

export interface StartFolderOptions {
  /** Inside the cache when absent. */
  readonly folder?: string;
  /** Throws away what earlier starts left: conversations, hosts, known keys, the lab. */
  readonly isFresh: boolean;
  /** The port the editor must have; the one of last time, or a free one, when absent. */
  readonly editorPort?: number;
}

/** Rejects with a SetupFault while another start uses the folder, and when the wanted port is taken. */
export async function openStartFolder(options: StartFolderOptions): Promise<StartFolder> {
  const folder = options.folder ?? path.join(cacheFolder, 'start');
  const stateFile = path.join(folder, 'state.json');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const release = await claim(`${folder}.pid`);
  try {
    const before = await readState(stateFile);
    if (options.isFresh) {
      if (before?.account !== undefined)
        await rm(path.dirname(before.account.home), { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { mode: 0o700 });
    }
    const now = await nextState(options.isFresh ? undefined : before, options.editorPort);
    await writeFile(stateFile, JSON.stringify(now));
    return { lab: path.join(folder, 'lab'), profile: path.join(folder, 'profile'), state: now, release };
  } catch (error) {
    await release();
    throw error;
  }
}

async function claim(file: string): Promise<() => Promise<void>> {
  for (let attempt = 1; attempt <= 2; attempt++) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(String(process.pid));
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const owner = Number(await readFile(file, 'utf8').catch(() => ''));
    if (owner > 0 && isAlive(owner))
      throw new SetupFault(`the lab, which another npm start uses (process ${owner})`, `kill ${owner}`);
    await rm(file, { force: true });
  }
  throw new SetupFault('the lab, which another npm start has just taken', 'try again');
}

/** An unreadable file is as good as none: it holds nothing that cannot be made anew. */
async function readState(file: string): Promise<StartState | undefined> {
  try {
    return state.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

async function nextState(
  before: StartState | undefined,
  editorPort: number | undefined,
): Promise<StartState> {
  if (editorPort !== undefined && !(await isPortFree(editorPort)))
    throw new SetupFault(
      `port ${editorPort} on 127.0.0.1: another program listens there`,
      'npm start -- --port <another one>, or without --port',
    );
  const ports = {
    sshd: await sameOrFree(before?.ports.sshd),
    model: await sameOrFree(before?.ports.model),
    editor: editorPort ?? (await sameOrFree(before?.ports.editor)),
  };
  return canCreateAccounts() ? { ports, account: sameOrNewAccount(before?.account) } : { ports };
}

type Account = NonNullable<StartState['account']>;

/** The folder around the home is ours alone: in the shared one above, somebody else could put another in its place. */
function sameOrNewAccount(before: Account | undefined): Account {
  const around = before && lstatSync(path.dirname(before.home), { throwIfNoEntry: false });
  if (before !== undefined && around?.isDirectory() === true && around.uid === 0) return before;
  const folder = mkdtempSync('/var/tmp/termind-lab-');
  chmodSync(folder, 0o711);
  return { name: newAccountName(), home: path.join(folder, 'home') };
}

async function sameOrFree(before: number | undefined): Promise<number> {
  if (before === undefined) return freePort();
  if (await isPortFree(before)) return before;
  const other = await freePort();
  console.error(`Port ${before} is in use now; this start uses ${other} instead.`);
  return other;
}
