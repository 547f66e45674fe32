import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canCreateAccounts } from '../../lab/account.ts';
import { startSshd, type Sshd, type SshdOptions } from '../../lab/sshd.ts';

/**
 * A server whose account has no start-up files of somebody's own, where the lab may make one: those of this machine can take seconds,
 * and signals are not passed on for root.
 */
export function startLabHost(options: SshdOptions = {}): Promise<Sshd> {
  return startSshd({ ...(canCreateAccounts() ? { account: {} } : {}), ...options });
}

/** A folder that the account of the host may write into. Whoever makes it removes it. */
export function sharedFolder(): { readonly path: string; remove(): void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'termind-shared-')));
  chmodSync(path, 0o777);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
