import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ClockPort } from '../../agentkit/index.ts';

/** Nobody waits longer for a name. */
const limitMs = 1_500;

/**
 * The program of this machine that listens on a TCP port, `nginx (1234)`. Undefined when the system does not tell, or not in time: for a
 * process of somebody else, and on Windows. Nothing is changed.
 */
export async function portOwner(port: number, clock: ClockPort): Promise<string | undefined> {
  const deadline = clock.monotonic() + limitMs;
  try {
    if (process.platform === 'linux') return await ownerByProc(port, () => clock.monotonic() > deadline);
    if (process.platform === 'darwin') return await ownerByLsof(port);
    return undefined;
  } catch {
    return undefined;
  }
}

/** Source: proc(5), `/proc/net/tcp` and `/proc/pid/fd`. */
async function ownerByProc(port: number, isLate: () => boolean): Promise<string | undefined> {
  const sockets = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const inode of listeningInodes(await fs.readFile(table, 'utf8').catch(() => ''), port))
      sockets.add(`socket:[${inode}]`);
  if (sockets.size === 0) return undefined;
  for (const pid of (await fs.readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (isLate()) return undefined;
    // Processes of others are closed to us, and some end meanwhile.
    for (const fd of await fs.readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const link = await fs.readlink(`/proc/${pid}/fd/${fd}`).catch(() => '');
      if (sockets.has(link)) return `${await nameOf(pid)} (${pid})`;
    }
  }
  return undefined;
}

async function nameOf(pid: string): Promise<string> {
  const name = (await fs.readFile(`/proc/${pid}/comm`, 'utf8')).trim();
  return name.replace(/[^\x20-\x7e]/g, '?');
}

/** State `0A` is a socket that listens; the tenth field is its inode. */
export function listeningInodes(table: string, port: number): readonly string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [, local = '', , state] = fields;
    const inode = fields[9];
    return state === '0A' && local.endsWith(suffix) && inode !== undefined && inode !== '0' ? [inode] : [];
  });
}

async function ownerByLsof(port: number): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)(
    '/usr/sbin/lsof',
    ['-nP', `-iTCP:${String(port)}`, '-sTCP:LISTEN', '-Fpc'],
    { timeout: limitMs, maxBuffer: 64 * 1024, env: { LC_ALL: 'C' } },
  );
  return lsofOwner(stdout);
}

/** One field a line, named by its first letter: `p` the process id, `c` the command. Source: lsof(8), OUTPUT FOR OTHER PROGRAMS. */
export function lsofOwner(output: string): string | undefined {
  const field = (letter: string): string | undefined =>
    output
      .split('\n')
      .find((line) => line.startsWith(letter))
      ?.slice(1);
  const pid = field('p');
  const command = field('c');
  return pid === undefined || command === undefined ? undefined : `${command} (${pid})`;
}
