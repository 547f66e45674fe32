import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, withLock } from './cache.mjs';
import { SetupFault } from './setupFault.mjs';

/** What a suite or a tool needs of the machine itself. Unit tests, checks and builds need nothing. */
export type SystemNeed = 'ssh' | 'browser' | 'compiler';

interface Provision {
  readonly isThere: () => boolean;
  readonly what: string;
  readonly debian: readonly string[];
}

const browsers = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const provisions: Record<SystemNeed, Provision> = {
  ssh: {
    isThere: () =>
      ['ssh', 'ssh-keygen', 'sftp', 'sshd', 'openssl', 'puttygen', 'sudo', 'rsync'].every(
        (name) => findProgram(name) !== undefined,
      ),
    what: 'OpenSSH client and server (ssh, ssh-keygen, sftp, sshd), openssl, puttygen, sudo and rsync',
    debian: ['openssh-client', 'openssh-server', 'openssl', 'putty-tools', 'sudo', 'rsync'],
  },
  browser: {
    isThere: () =>
      findBrowser() !== undefined &&
      (process.platform !== 'linux' || existsSync('/usr/share/fonts/truetype')),
    what: 'Chromium and a font',
    debian: ['chromium', 'fonts-dejavu-core'],
  },
  compiler: {
    isThere: () => ['g++', 'make', 'python3'].every((name) => findProgram(name) !== undefined),
    what: 'a C++ compiler, make and Python (two modules of the editor are compiled once)',
    debian: ['g++', 'make', 'python3'],
  },
};

/** The browser that shows the editor: `TERMIND_CHROMIUM`, or Chromium or Chrome where they usually are. */
export function findBrowser(): string | undefined {
  const named = process.env['TERMIND_CHROMIUM'];
  if (named !== undefined) return findProgram(named);
  return browsers.map(findProgram).find((file) => file !== undefined);
}

/** Absolute path of a program on the PATH or where system daemons live, `undefined` when there is none. */
export function findProgram(name: string): string | undefined {
  if (path.isAbsolute(name)) return existsSync(name) ? name : undefined;
  const folders = [
    ...(process.env['PATH'] ?? '').split(path.delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
    '/sbin',
  ];
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  for (const folder of folders) {
    for (const suffix of suffixes) {
      const file = path.join(folder, name + suffix);
      if (existsSync(file)) return file;
    }
  }
  return undefined;
}

/**
 * Makes sure that the machine has what is needed. On Debian as root the missing packages are installed and named;
 * anywhere else a SetupFault says what is missing and the command that installs it. Nothing happens when all is there.
 */
export async function ensureSystem(needs: readonly SystemNeed[]): Promise<void> {
  if (missing(needs).length === 0) return;
  await withLock(path.join(cacheFolder, 'apt.lock'), async () => {
    const lacking = missing(needs);
    if (lacking.length === 0) return;
    const packages = lacking.flatMap((provision) => provision.debian);
    const what = lacking.map((provision) => provision.what).join('; ');
    if (findProgram('apt-get') === undefined) {
      throw new SetupFault(
        what,
        `install it with your package manager (Debian calls it ${packages.join(' ')})`,
      );
    }
    const remedy = `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`;
    if (process.getuid?.() !== 0) throw new SetupFault(`${what}; installing it needs root`, remedy);
    console.error(`Installing ${packages.join(', ')} (once) …`);
    aptGet(['update'], remedy);
    aptGet(['install', '-y', '--no-install-recommends', ...packages], remedy);
    const still = missing(needs);
    if (still.length > 0) throw new SetupFault(still.map((provision) => provision.what).join('; '), remedy);
  });
}

function missing(needs: readonly SystemNeed[]): Provision[] {
  return needs.map((need) => provisions[need]).filter((provision) => !provision.isThere());
}

function aptGet(args: readonly string[], remedy: string): void {
  const run = spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (run.status === 0) return;
  const said = `${run.stdout}\n${run.stderr}`.trim().split('\n').slice(-5).join('\n');
  throw new SetupFault(`Debian packages; apt-get ${args[0] ?? ''} failed:\n${said}`, remedy);
}
