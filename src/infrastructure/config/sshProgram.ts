import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { abortReason, type ClockPort } from '../../agentkit/index.ts';
import { childEnvironment } from './childEnvironment.ts';

export interface EffectiveConfigRequest {
  readonly program: string;
  /** Read instead of the user's and the system's files. */
  readonly configFile: string | undefined;
  readonly alias: string;
  readonly user: string | undefined;
  readonly port: number | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What `ssh -G` printed, or its own words about why it refuses. */
export type EffectiveConfig =
  { readonly ok: true; readonly lines: readonly string[] } | { readonly ok: false; readonly why: string };

const usualLimitMs = 5_000;
const maxOutputBytes = 1024 * 1024;

/**
 * The ssh client: `configured` where it is set and can be run, otherwise the first on the PATH, on Windows also the system's own.
 * Undefined when there is none; a configured one that cannot be run is not replaced by another. Source: ssh.md 4.1.
 */
export async function findSshProgram(
  configured: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (configured !== undefined && configured !== '')
    return (await isExecutable(configured)) ? configured : undefined;
  const isWindows = process.platform === 'win32';
  const directories = (environment['PATH'] ?? environment['Path'] ?? '')
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory));
  if (isWindows)
    directories.push(path.join(environment['SystemRoot'] ?? 'C:\\Windows', 'System32', 'OpenSSH'));
  for (const directory of directories) {
    const program = path.join(directory, isWindows ? 'ssh.exe' : 'ssh');
    if (await isExecutable(program)) return program;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await fs.access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs `ssh -G` on one name: argument array, no shell, nothing on stdin, five seconds. The caller has made sure that the configuration
 * runs no programs that nobody allowed. Rejects only on abort. Source: ssh.md 4.1.
 */
export async function effectiveConfig(
  request: EffectiveConfigRequest,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<EffectiveConfig> {
  const run = await runSsh({ ...request, args: argumentsFor(request) }, clock, signal);
  if (run.failure !== undefined) return { ok: false, why: run.failure };
  if (run.code === 0) return { ok: true, lines: run.stdout.split(/\r?\n/).filter(Boolean) };
  return { ok: false, why: firstLines(run.stderr) || `it ended with status ${String(run.code)}` };
}

/** What `ssh -V` says, `OpenSSH_9.2p1 …`; empty when it says nothing in time. Rejects only on abort. */
export async function sshVersion(
  { program, environment }: Pick<EffectiveConfigRequest, 'program' | 'environment'>,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<string> {
  const run = await runSsh({ program, environment, args: ['-V'] }, clock, signal);
  return run.failure === undefined ? firstLines(run.stderr) : '';
}

/** Nothing is asked, forwarded, run, shared or learned; it is over as soon as the account is open. */
const debugOptions = [
  'BatchMode=yes',
  'StrictHostKeyChecking=yes',
  'UpdateHostKeys=no',
  'ClearAllForwardings=yes',
  'ControlMaster=no',
  'ControlPath=none',
  'PermitLocalCommand=no',
  'KnownHostsCommand=none',
];

const debugLimitMs = 20_000;

/**
 * What `ssh -vvv` writes about a connection until the account is open, it gives up, or 20 seconds are over: argument array, no shell,
 * nothing on stdin. Rejects only on abort. Source: ssh.md 1.10.
 */
export async function debugConnect(
  request: EffectiveConfigRequest,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<string> {
  const options = debugOptions.flatMap((option) => ['-o', option]);
  const args = ['-vvv', '-N', '-T', ...options, ...destinationOf(request)];
  const run = await runSsh(
    { ...request, args, limitMs: debugLimitMs, isEnough: signInWatch() },
    clock,
    signal,
  );
  return run.stderr;
}

/**
 * Tells when the account is open, by what is written so far, of which only the new lines are looked at. Servers on the way write here,
 * too: behind n proxy commands the account is open with the n-th sign-in through a proxy at the latest.
 */
function signInWatch(): (written: string) => boolean {
  let read = 0;
  const seen = { proxies: 0, signIns: 0, proxied: 0 };
  return (written) => {
    const end = written.lastIndexOf('\n') + 1;
    for (const line of written.slice(read, end).split('\n')) {
      if (line.startsWith('debug1: Executing proxy command')) seen.proxies += 1;
      if (!/^(?:debug1: )?Authenticated to /.test(line)) continue;
      seen.signIns += 1;
      if (line.includes('(via proxy)')) seen.proxied += 1;
    }
    read = Math.max(read, end);
    return seen.proxies === 0 ? seen.signIns > 0 : seen.proxied >= seen.proxies;
  };
}

interface SshRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It could not be started or did not end in time. */
  readonly failure: string | undefined;
}

function runSsh(
  {
    program,
    args,
    environment,
    limitMs = usualLimitMs,
    isEnough = () => false,
  }: Pick<EffectiveConfigRequest, 'program' | 'environment'> & {
    readonly args: readonly string[];
    readonly limitMs?: number;
    /** Told everything on stderr as it grows; true ends the program. */
    readonly isEnough?: (written: string) => boolean;
  },
  clock: ClockPort,
  signal: AbortSignal,
): Promise<SshRun> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal));
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...childEnvironment(environment), LC_ALL: 'C' },
      windowsHide: true,
    });
    const output = { stdout: '', stderr: '' };
    const limit = clock.after(limitMs, () =>
      settle(null, `it did not answer within ${String(limitMs / 1000)} seconds`),
    );
    const onAbort = (): void => {
      stop();
      reject(abortReason(signal));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        if (output[stream].length < maxOutputBytes) output[stream] += text;
        if (stream === 'stderr' && isEnough(output.stderr)) settle(null, undefined);
      });
    child.on('error', (error) => settle(null, error.message));
    child.on('close', (code) => settle(code, undefined));

    function settle(code: number | null, failure: string | undefined): void {
      stop();
      resolve({ code, failure, ...output });
    }
    function stop(): void {
      limit.dispose();
      signal.removeEventListener('abort', onAbort);
      child.kill('SIGKILL');
    }
  });
}

function argumentsFor(request: EffectiveConfigRequest): readonly string[] {
  return ['-G', ...destinationOf(request)];
}

function destinationOf(request: EffectiveConfigRequest): readonly string[] {
  return [
    ...(request.configFile === undefined ? [] : ['-F', request.configFile]),
    ...(request.user === undefined ? [] : ['-l', request.user]),
    ...(request.port === undefined ? [] : ['-p', String(request.port)]),
    '--',
    request.alias,
  ];
}

function firstLines(text: string): string {
  return text
    .replace(/[^\x20-\x7e\n]/g, '?')
    .split('\n')
    .filter(Boolean)
    .slice(0, 4)
    .join(' ')
    .slice(0, 1000);
}
