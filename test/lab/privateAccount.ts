import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import fs from 'node:fs/promises';
import { newAccountName, type AccountRequest, type LabAccount } from './account.ts';
import { onProcessEnd } from './cleanUp.ts';
import { privateHomes } from './privateRoot.ts';
import { isAlive, processesOfUser, signalEach } from './processes.ts';

const usersGroup = 100;

/**
 * Somebody who exists only inside a private root: the files of the machine do not know them. The id is a random one far above what
 * systems give out. The home has the same path inside and outside. Removed by `dispose` and at the end of this process;
 * one whose process was killed is removed by the next call.
 */
export async function createPrivateAccount(request: AccountRequest = {}): Promise<LabAccount> {
  const uid = randomInt(1_000_000, 2_000_000_000);
  mkdirSync(privateHomes, { recursive: true, mode: 0o755 });
  removeAbandonedHomes();
  const home = request.home ?? mkdtempSync(`${privateHomes}/home-${process.pid}-`);
  let isDone = false;
  const dispose = (): void => {
    if (isDone) return;
    isDone = true;
    takeBack();
    signalEach(processesOfUser(uid), 'SIGKILL');
    if (request.home === undefined) rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  };
  const takeBack = onProcessEnd(dispose);
  await fs.chown(home, uid, usersGroup);
  await fs.chmod(home, 0o700);
  return {
    name: request.name ?? newAccountName(),
    uid,
    gid: usersGroup,
    home,
    shell: request.shell ?? '/bin/bash',
    isDedicated: true,
    ...(request.hasPassword === true ? { password: randomBytes(12).toString('base64url') } : {}),
    dispose,
  };
}

/** What still runs in the name of a killed process's account is ended with its home. */
function removeAbandonedHomes(): void {
  for (const name of readdirSync(privateHomes)) {
    const owner = Number(/^home-(\d+)-/.exec(name)?.[1]);
    const home = `${privateHomes}/${name}`;
    if (!Number.isInteger(owner) || isAlive(owner)) continue;
    const uid = statSync(home, { throwIfNoEntry: false })?.uid ?? 0;
    if (uid !== 0) signalEach(processesOfUser(uid), 'SIGKILL');
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}
