import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { debianRootObstacle } from '../../scripts/setup/debianRoot.ts';
import type { LabAccount } from './account.ts';
import { mustRun } from './run.ts';

let known: { readonly obstacle: string | undefined } | undefined;

/**
 * Why nothing can run in a root directory of its own here, for the reason of a skipped test; undefined when it can. It needs root
 * on a Linux with apt, and a kernel that gives a mount namespace.
 */
export function privateRootObstacle(): string | undefined {
  known ??= { obstacle: findObstacle() };
  return known.obstacle;
}

function findObstacle(): string | undefined {
  const obstacle = debianRootObstacle();
  if (obstacle !== undefined) return obstacle;
  const attempt = spawnSync('unshare', ['--mount', 'true'], { encoding: 'utf8' });
  if (attempt.status === 0) return undefined;
  return `the system gives no mount namespace: ${attempt.stderr.trim() || String(attempt.error ?? '')}`;
}

/** Where homes of private accounts are. Unlike with temporary folders, nobody else may write above them: servers look at that. */
export const privateHomes = '/var/lib/termind-lab';

/** Folders of the machine that are there inside as well, under the same names, so that paths mean the same on both sides. */
const sharedFolders = ['/tmp', '/home', '/root', '/dev', '/proc', '/sys', privateHomes];

/**
 * In a mount namespace of its own, which ends with the process: nothing of the machine is changed. `$0` is the root directory,
 * `$1` its `etc` for this once, the rest the program and its arguments. Every step replaces the process by the next, so that the
 * program has the id that `spawn` tells.
 */
const script = `set -e
root=$0; etc=$1; shift
for folder in ${sharedFolders.join(' ')}; do
  mkdir -p "$folder" "$root$folder"
  mount --rbind "$folder" "$root$folder"
done
mount -t tmpfs tmpfs "$root/run"; mkdir -m 755 "$root/run/sshd"
mount --bind "$etc" "$root/etc"
exec chroot "$root" "$@"`;

export interface PrivateRootOptions {
  /** See `ensureDebianRoot`. */
  readonly root: string;
  /** A folder that stands for `/etc`; {@link prepareEtc} makes it. */
  readonly etc: string;
}

/** What to start so that `program` runs with `root` as its root directory. */
export function inPrivateRoot(
  { root, etc }: PrivateRootOptions,
  [program, ...args]: readonly [program: string, ...args: string[]],
): { readonly program: string; readonly args: string[] } {
  return {
    program: 'unshare',
    args: ['--mount', '--propagation', 'private', 'sh', '-c', script, root, etc, program, ...args],
  };
}

/** Where PAM is asked, and how it decides. The lines are those of `/etc/pam.d/sshd`. Source: pam.conf(5). */
export type PamLines = readonly string[];

export interface EtcContent {
  readonly root: string;
  /** Everybody who exists inside, besides `root` and the accounts that the programs need. */
  readonly accounts: readonly LabAccount[];
  readonly pam?: PamLines;
  /** The passwords have expired: whoever logs in has to choose a new one. */
  readonly mustChangePassword?: boolean;
}

/** Days since the epoch, as shadow(5) counts: some day in the past. */
const aDay = 20_000;

/** Fills `folder` with what programs look up in `/etc`. Passwords of the machine are not copied. */
export async function prepareEtc(folder: string, content: EtcContent): Promise<void> {
  const at = (name: string): string => path.join(folder, name);
  await fs.mkdir(at('pam.d'), { recursive: true });
  await fs.chmod(folder, 0o755);
  for (const name of ['security', 'login.defs', 'ssh'])
    await fs.cp(path.join(content.root, 'etc', name), at(name), { recursive: true });
  const people = content.accounts.filter(({ name }) => name !== 'root');
  const lastChange = content.mustChangePassword === true ? 0 : aDay;
  // A star, unlike an exclamation mark, does not lock an account for keys.
  const shadow = [`root:*:${aDay}:0:99999:7:::`, `sshd:*:${aDay}:0:99999:7:::`];
  for (const { name, password } of people) {
    const hash = password === undefined ? '*' : await hashOf(content.root, password);
    shadow.push(`${name}:${hash}:${lastChange}:0:99999:7:::`);
  }
  const files: Readonly<Record<string, readonly string[]>> = {
    'nsswitch.conf': ['passwd: files', 'group: files', 'shadow: files', 'hosts: files dns'],
    hosts: ['127.0.0.1 localhost', '::1 localhost'],
    shells: ['/bin/sh', '/bin/bash'],
    passwd: [
      'root:x:0:0:root:/root:/bin/bash',
      'sshd:x:101:65534::/run/sshd:/usr/sbin/nologin',
      ...people.map((one) => `${one.name}:x:${one.uid}:${one.gid}::${one.home}:${one.shell}`),
    ],
    group: ['root:x:0:', 'tty:x:5:', 'shadow:x:42:', 'users:x:100:', 'nogroup:x:65534:'],
    shadow,
    'pam.d/sshd': content.pam ?? ['auth required pam_deny.so', 'account required pam_permit.so'],
    'pam.d/other': ['auth required pam_deny.so', 'account required pam_deny.so'],
  };
  for (const [name, lines] of Object.entries(files)) await fs.writeFile(at(name), `${lines.join('\n')}\n`);
  await fs.chmod(at('shadow'), 0o600);
}

/** As `crypt(3)` makes it; the password goes over standard input, where no list of processes shows it. */
async function hashOf(root: string, password: string): Promise<string> {
  const salt = randomBytes(9).toString('base64url').replaceAll(/[-_]/g, 'x');
  const program = 'chomp(my $p = <STDIN>); print crypt($p, "\\$6\\$$ARGV[0]\\$")';
  const own = { root, etc: path.join(root, 'etc') };
  const command = inPrivateRoot(own, ['/usr/bin/perl', '-e', program, salt]);
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  return mustRun(command.program, command.args, { input: `${password}\n`, env });
}
