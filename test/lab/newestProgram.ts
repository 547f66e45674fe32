import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureDebianRoot } from '../../scripts/setup/debianRoot.ts';
import { currentAccount } from './account.ts';
import { onProcessEnd } from './cleanUp.ts';
import { inPrivateRoot, prepareEtc } from './privateRoot.ts';

let etc: Promise<string> | undefined;

/**
 * What to start so that a program of the newer Debian runs with the machine's temporary and home folders, for example
 * `['/usr/bin/ssh', '-G', '-F', file, 'name']` as an oracle. See `privateRootObstacle`.
 */
export async function newestProgram(
  command: readonly [program: string, ...args: string[]],
): Promise<{ readonly program: string; readonly args: string[] }> {
  const root = await ensureDebianRoot();
  etc ??= makeEtc(root);
  return inPrivateRoot({ root, etc: await etc }, command);
}

async function makeEtc(root: string): Promise<string> {
  const folder = mkdtempSync('/tmp/termind-etc-');
  onProcessEnd(() => rmSync(folder, { recursive: true, force: true }));
  const made = path.join(folder, 'etc');
  await prepareEtc(made, { root, accounts: [currentAccount()] });
  return made;
}
