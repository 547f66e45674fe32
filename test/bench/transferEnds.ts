import { performance } from 'node:perf_hooks';
import { mustRun } from '../lab/run.ts';
import type { Sshd } from '../lab/sshd.ts';

export const mib = 2 ** 20;

/** As fast as `sftp` goes. */
export const tuning: readonly string[] = ['-B', '261120', '-R', '64', '-c', 'aes128-gcm@openssh.com'];

/** A program that hangs ends the benchmark. */
const deadlineMs = 600_000;

/** One line of a batch of OpenSSH's `sftp`, to `port` where a proxy stands in front of the server. */
export async function sftp(
  server: Sshd,
  line: string,
  { options = [], port = server.port }: { readonly options?: readonly string[]; readonly port?: number } = {},
): Promise<void> {
  const identity = server.sshArguments().slice(0, -3);
  const known = ['-o', `HostKeyAlias=[${server.host}]:${String(server.port)}`, '-o', 'CheckHostIP=no'];
  const destination = [...known, '-P', String(port), `${server.account.name}@${server.host}`];
  await mustRun('sftp', [...identity, ...options, '-b', '-', ...destination], {
    input: `${line}\n`,
    deadlineMs,
  });
}

/** Seconds that it takes. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
