import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { abortReason, type ClockPort } from '../../agentkit/index.ts';

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

const limitMs = 5_000;
const maxOutputBytes = 1024 * 1024;

/**
 * The ssh client: `configured` where it is set, otherwise the first on the PATH, on Windows also the system's own.
 * Undefined when there is none. Source: ssh.md 4.1.
 */
export async function findSshProgram(
  configured: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  if (configured !== undefined && configured !== '') return configured;
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
 * runs no programs. Rejects only on abort. Source: ssh.md 4.1.
 */
export function effectiveConfig(
  request: EffectiveConfigRequest,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<EffectiveConfig> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal));
    const child = spawn(request.program, argumentsFor(request), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: childEnvironment(request.environment),
      windowsHide: true,
    });
    const output = { stdout: '', stderr: '' };
    const limit = clock.after(limitMs, () =>
      settle({ ok: false, why: 'it did not answer within 5 seconds' }),
    );
    const onAbort = (): void => {
      stop();
      reject(abortReason(signal));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        if (output[stream].length < maxOutputBytes) output[stream] += text;
      });
    child.on('error', (error) => settle({ ok: false, why: error.message }));
    child.on('close', (code) =>
      settle(
        code === 0
          ? { ok: true, lines: output.stdout.split(/\r?\n/).filter(Boolean) }
          : { ok: false, why: firstLines(output.stderr) || `it ended with status ${String(code)}` },
      ),
    );

    function settle(result: EffectiveConfig): void {
      stop();
      resolve(result);
    }
    function stop(): void {
      limit.dispose();
      signal.removeEventListener('abort', onAbort);
      child.kill('SIGKILL');
    }
  });
}

function argumentsFor(request: EffectiveConfigRequest): readonly string[] {
  return [
    '-G',
    ...(request.configFile === undefined ? [] : ['-F', request.configFile]),
    ...(request.user === undefined ? [] : ['-l', request.user]),
    ...(request.port === undefined ? [] : ['-p', String(request.port)]),
    '--',
    request.alias,
  ];
}

/** The editor's own variables are nobody else's business. Source: vscode.md 16. */
function childEnvironment(environment: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !/^(?:ELECTRON_|VSCODE_)/i.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
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
