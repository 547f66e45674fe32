import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { canCreateAccounts, createAccount, type LabAccount } from './account.ts';
import { onProcessEnd } from './cleanUp.ts';

const rules = '/etc/sudoers.d';

export interface SudoRules {
  /** Of the account; a generated one when absent. */
  readonly password?: string;
  /** What may be run without a password, as in sudoers; nothing when absent. */
  readonly withoutPassword?: string;
  /** Flags for `Defaults`, for example `requiretty`. */
  readonly defaults?: readonly string[];
}

/** Why this machine has no sudo for a lab account; undefined when it has. */
export function sudoObstacle(): string | undefined {
  if (!canCreateAccounts()) return 'only root can make an account and a rule for sudo';
  return existsSync('/usr/bin/sudo') && existsSync(rules) ? undefined : 'sudo is not installed';
}

/**
 * An account with a password that may run everything by the machine's own sudo. Its rule is a file of its own in `sudoers.d`, which goes
 * with the account. Whoever makes it disposes it, which also removes the account.
 */
export async function createSudoer(options: SudoRules = {}): Promise<LabAccount> {
  const { password } = options;
  const account = await createAccount({ hasPassword: true, ...(password === undefined ? {} : { password }) });
  mkdirSync(rules, { recursive: true });
  const file = path.join(rules, account.name);
  const lines = [
    `Defaults:${account.name} !lecture`,
    ...(options.defaults ?? []).map((flag) => `Defaults:${account.name} ${flag}`),
    `${account.name} ALL=(ALL) ALL`,
    ...(options.withoutPassword === undefined
      ? []
      : [`${account.name} ALL=(ALL) NOPASSWD: ${options.withoutPassword}`]),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o440 });
  const remove = (): void => rmSync(file, { force: true });
  const takeBack = onProcessEnd(remove);
  return {
    ...account,
    dispose() {
      takeBack();
      remove();
      account.dispose();
    },
  };
}
