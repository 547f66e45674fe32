import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import { newAccountName, type AccountRequest, type LabAccount } from './account.ts';
import { onProcessEnd } from './cleanUp.ts';
import { privateHomes } from './privateRoot.ts';
import { processesOfUser, signalEach } from './processes.ts';

const usersGroup = 100;

/**
 * Somebody who exists only inside a private root: the files of the machine do not know them. The id is a random one far above what
 * systems give out. The home has the same path inside and outside. Removed by `dispose` and at the end of this process.
 */
export async function createPrivateAccount(request: AccountRequest = {}): Promise<LabAccount> {
  const uid = randomInt(1_000_000, 2_000_000_000);
  mkdirSync(privateHomes, { recursive: true, mode: 0o755 });
  const home = request.home ?? mkdtempSync(`${privateHomes}/home-`);
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
