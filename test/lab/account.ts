import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import { chownSync, existsSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onProcessEnd } from './cleanUp.ts';
import { isAlive, processesOfUser, signalEach } from './processes.ts';
import { run } from './run.ts';

const prefix = 'termind-lab-';

/** Somebody who can log in at a lab sshd. */
export interface LabAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly shell: string;
  /** Only for a dedicated account that was asked for with a password. */
  readonly password?: string;
  /** True for an account the lab made and removes. */
  readonly isDedicated: boolean;
  /** Removes a dedicated account with its home and whatever still runs in its name; otherwise does nothing. */
  dispose(): void;
}

export interface AccountRequest {
  /** Begins with `termind-lab-`; a random name when absent. */
  readonly name?: string;
  /** Absolute path of the login shell; `/bin/bash` when absent. */
  readonly shell?: string;
  /** A generated password when true. Without one only keys and certificates open the account. */
  readonly hasPassword?: boolean;
  /** This password in place of a generated one. One line. */
  readonly password?: string;
  /** Home folder to use, which then outlives the account; a temporary one when absent. */
  readonly home?: string;
}

/** The account that runs the lab. Its own login shell and home count; `dispose` does nothing. */
export function currentAccount(): LabAccount {
  const { username, uid, gid, homedir, shell } = os.userInfo();
  return {
    name: username,
    uid,
    gid,
    home: homedir,
    shell: shell ?? '/bin/sh',
    isDedicated: false,
    dispose() {},
  };
}

/** True where the lab may create accounts, which password log-in and a choice of login shell need. */
export function canCreateAccounts(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Creates a system account with a random name. Rejects when not root. It is removed by `dispose` and at the end of
 * this process; one whose process was killed is removed by the next call.
 */
export async function createAccount(request: AccountRequest = {}): Promise<LabAccount> {
  if (!canCreateAccounts())
    throw new Error(
      'A lab account (password log-in, another login shell) needs root to create it; run as root or use key log-in as yourself.',
    );
  removeAbandonedAccounts();
  const name = request.name ?? newAccountName();
  const home = request.home ?? (await fs.mkdtemp(path.join(os.tmpdir(), 'termind-lab-home-')));
  const shell = request.shell ?? '/bin/bash';
  await fs.mkdir(home, { recursive: true });
  await withAccountLock(() =>
    // A star is no valid hash but, unlike an exclamation mark, does not lock the account for keys.
    run('useradd', ['-M', '-N', '-d', home, '-s', shell, '-c', `owner ${process.pid}`, '-p', '*', name]),
  );
  const dispose = removeOnce(name, { home, isKept: request.home !== undefined });
  try {
    const { uid, gid } = idsOf(name);
    await fs.chown(home, uid, gid);
    await fs.chmod(home, 0o700);
    const base = { name, uid, gid, home, shell, isDedicated: true, dispose };
    if (request.hasPassword !== true && request.password === undefined) return base;
    const password = request.password ?? randomBytes(12).toString('base64url');
    await withAccountLock(() => run('chpasswd', ['-c', 'SHA512'], { input: `${name}:${password}\n` }));
    return { ...base, password };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** A name that no other lab uses. */
export function newAccountName(): string {
  return `${prefix}${randomBytes(4).toString('hex')}`;
}

/** The account files have one lock for the machine; another suite may hold it for a moment. */
async function withAccountLock(command: () => ReturnType<typeof run>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const result = await command();
    if (result.status === 0) return;
    if (attempt === 20 || !/lock/.test(result.stderr))
      throw new Error(`Account set-up failed: ${result.stderr.trim()}`);
    await delay(250);
  }
}

function idsOf(name: string): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`The account ${name} was not created.`);
  return { uid: Number(uid), gid: Number(gid) };
}

function removeOnce(name: string, { home, isKept }: { home: string; isKept: boolean }): () => void {
  let isDone = false;
  const remove = (): void => {
    if (isDone) return;
    isDone = true;
    takeBack();
    removeAccount(name);
    if (!isKept) rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    else if (existsSync(home)) chownSync(home, 0, 0); // the id may go to somebody else
  };
  const takeBack = onProcessEnd(remove);
  return remove;
}

/** `-f` because a process that was just killed may still be listed. A busy lock gets three tries of 15 s each. */
function removeAccount(name: string): void {
  signalEach(processesOfUser(idsOf(name).uid), 'SIGKILL');
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      execFileSync('userdel', ['-f', name], { stdio: 'pipe' });
      return;
    } catch (error) {
      if (!readFileSync('/etc/passwd', 'utf8').includes(`${name}:`)) return;
      if (attempt === 3) console.error(`lab: the account ${name} could not be removed: ${String(error)}`);
    }
  }
}

function removeAbandonedAccounts(): void {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , , , comment] = line.split(':');
    const owner = /^owner (\d+)$/.exec(comment ?? '')?.[1];
    if (name?.startsWith(prefix) === true && owner !== undefined && !isAlive(Number(owner)))
      removeAccount(name);
  }
}
