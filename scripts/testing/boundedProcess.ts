import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { root } from '../checkout.ts';

export interface BoundedProcess {
  readonly command: string;
  readonly args: readonly string[];
  /** The top of the checkout without it. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** After this the process and all it started are ended. */
  readonly boundMs: number;
  /** `show` passes output on as it comes, `keep` returns it. */
  readonly output: 'show' | 'keep';
}

export interface Ended {
  /** Exit status; `undefined` after a signal. */
  readonly status: number | undefined;
  readonly signal: string | undefined;
  readonly timedOut: boolean;
  readonly output: string;
  readonly seconds: number;
}

/** Time between asking a process to end, so that it can say what it was doing, and ending it. */
const graceMs = 2_000;

const running = new Set<ChildProcess>();
let watching = false;

/**
 * Runs a process in a group of its own and resolves when it has ended. The whole group is killed at the bound and when
 * this process ends, so that nothing a suite started outlives it.
 */
export function runBounded(request: BoundedProcess): Promise<Ended> {
  watchOwnEnd();
  const startedAt = performance.now();
  const child = spawn(request.command, request.args, {
    cwd: request.cwd ?? root,
    env: { ...process.env, ...request.env },
    detached: process.platform !== 'win32',
    stdio: [
      'ignore',
      request.output === 'show' ? 'inherit' : 'pipe',
      request.output === 'show' ? 'inherit' : 'pipe',
    ],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  let timedOut = false;
  let killer: NodeJS.Timeout | undefined;
  const bound = setTimeout(() => {
    timedOut = true;
    killGroup(child, 'SIGTERM');
    killer = setTimeout(() => killGroup(child, 'SIGKILL'), graceMs);
  }, request.boundMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => {
      clearTimeout(bound);
      clearTimeout(killer);
      killGroup(child, 'SIGKILL');
      running.delete(child);
      const seconds = (performance.now() - startedAt) / 1000;
      resolve({ status: status ?? undefined, signal: signal ?? undefined, timedOut, output, seconds });
    });
  });
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Gone already.
  }
}

function watchOwnEnd(): void {
  if (watching) return;
  watching = true;
  process.once('exit', () => {
    for (const child of running) killGroup(child, 'SIGKILL');
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, endWithChildren);
}

/** Passes the end on, so that what runs can clean up after itself, and goes when it has, at the latest after the grace. */
function endWithChildren(): void {
  setTimeout(() => process.exit(1), graceMs);
  const left = [...running];
  if (left.length === 0) process.exit(1);
  let open = left.length;
  for (const child of left) {
    killGroup(child, 'SIGTERM');
    // Whoever awaits this child removes its files first.
    child.once('close', () => --open === 0 && setImmediate(() => process.exit(1)));
  }
}
