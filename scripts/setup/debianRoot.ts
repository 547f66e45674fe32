import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, cached } from './cache.mjs';
import { SetupFault } from './setupFault.mjs';
import { findProgram } from './systemPackages.ts';

const runFile = promisify(execFile);

/** The release whose servers stand beside the machine's own: it has OpenSSH 10, dropbear and tinysshd. */
const release = 'trixie';

/** What runs inside. Its dependencies come along; no script of a package is run, so nothing is started or configured. */
const packages = [
  ...['openssh-server', 'openssh-client', 'openssh-sftp-server', 'dropbear-bin', 'tinysshd'],
  ...['libpam-google-authenticator', 'libpam-modules', 'libpam-runtime', 'passwd'],
  ...['bash', 'coreutils', 'findutils', 'grep', 'sed', 'procps', 'util-linux'],
];

const signedBy = '/usr/share/keyrings/debian-archive-keyring.gpg';
const boundMs = 5 * 60_000;

/** Why there is no use in such a folder on this machine; undefined when there is. Does not look whether the network works. */
export function debianRootObstacle(): string | undefined {
  if (process.platform !== 'linux') return 'it is a folder of Debian programs, and this is no Linux';
  if (process.getuid?.() !== 0) return 'only root can run servers in a root directory of their own';
  const lacking = ['apt-get', 'dpkg-deb'].find((name) => findProgram(name) === undefined);
  if (lacking !== undefined) return `it is made with ${lacking}, which this machine does not have`;
  return undefined;
}

/**
 * A folder with the programs of a newer Debian, complete with their libraries, to be used as a root directory. About 120 MB
 * in the cache, made once in a few seconds, from the mirror that the machine's own apt uses and with the machine's keys. The
 * machine itself is not changed. Rejects with a SetupFault when it cannot be had.
 */
export function ensureDebianRoot(): Promise<string> {
  const content = createHash('sha256').update(packages.join()).digest('hex').slice(0, 8);
  return cached(`debian-${release}-${process.arch}-${content}`, async (folder) => {
    console.error(`Setting up servers of Debian ${release} (once) …`);
    const apt = path.join(folder, '.apt');
    await download(apt);
    await unpack(path.join(apt, 'archives'), folder);
    await rm(apt, { recursive: true });
  });
}

/** Downloads the packages and all they depend on, with an apt that has its own lists and believes nothing is installed. */
async function download(apt: string): Promise<void> {
  const at = (name: string): string => path.join(apt, name);
  for (const name of ['lists/partial', 'archives/partial']) await mkdir(at(name), { recursive: true });
  await writeFile(at('status'), '');
  const source = ['Types: deb', `URIs: ${await mirror()}`, `Suites: ${release}`, 'Components: main'];
  await writeFile(at('from.sources'), [...source, `Signed-By: ${signedBy}`, ''].join('\n'));
  const settings = {
    'Dir::Etc::sourcelist': at('from.sources'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': at('lists'),
    'Dir::State::status': at('status'),
    'Dir::Cache::archives': at('archives'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    'APT::Sandbox::User': '',
    'Debug::NoLocking': '1',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await mustRun('apt-get', [...options, '-q', 'update']);
  const install = ['install', '--download-only', '--no-install-recommends', ...packages];
  await mustRun('apt-get', [...options, '-q', '-y', ...install]);
}

/** The address of the Debian mirror in the machine's apt configuration. */
async function mirror(): Promise<string> {
  const format = '$(SITE) $(REPO_URI) $(RELEASE) $(COMPONENT)';
  const targets = async (): Promise<string> =>
    mustRun('apt-get', ['indextargets', '--format', format, 'Created-By: Packages', 'Origin: Debian']);
  let said = await targets();
  if (said.trim() === '') {
    // Who a source is, is known from its lists only.
    await mustRun('apt-get', ['-q', 'update']);
    said = await targets();
  }
  for (const line of said.split('\n')) {
    const [, uri, suite, component] = line.split(' ');
    if (uri !== undefined && suite?.endsWith('-security') === false && component === 'main') return uri;
  }
  throw new SetupFault(
    `servers of Debian ${release}; apt knows no Debian mirror`,
    'add a Debian source to apt, then run the same command again',
  );
}

async function unpack(archives: string, into: string): Promise<void> {
  const files = (await readdir(archives)).filter((name) => name.endsWith('.deb'));
  // Its links (bin to usr/bin and so on) have to be there before anything is laid behind them.
  files.sort((a, b) => Number(b.startsWith('base-files_')) - Number(a.startsWith('base-files_')));
  for (const name of files) await mustRun('dpkg-deb', ['-x', path.join(archives, name), into]);
  // Nothing in a cache should run with the rights of another user.
  await mustRun('chmod', ['-R', 'ug-s', path.join(into, 'usr')]);
}

async function mustRun(program: string, args: readonly string[]): Promise<string> {
  try {
    const limits = { timeout: boundMs, maxBuffer: 16 << 20, killSignal: 'SIGKILL' as const };
    const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
    return (await runFile(program, [...args], { ...limits, env })).stdout;
  } catch (error) {
    const said = String(error instanceof Error ? error.message : error)
      .trim()
      .split('\n')
      .slice(-5)
      .join('\n');
    throw new SetupFault(
      `servers of Debian ${release} for tests; ${program} failed:\n${said}`,
      `make the Debian mirror reachable (apt-get update tells) and ${cacheFolder} writable, then run the same command again`,
    );
  }
}
