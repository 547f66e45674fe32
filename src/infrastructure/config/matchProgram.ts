import { spawn } from 'node:child_process';
import { abortReason, type ClockPort } from '../../agentkit/index.ts';
import { childEnvironment } from './childEnvironment.ts';

/** How a program of `Match exec` ended; `failed` is none of the two answers, so its block does not match. */
export type ProgramOutcome = 'yes' | 'no' | 'failed';

const limitMs = 5_000;

/**
 * Runs one command of `Match exec` by the user's shell: nothing on stdin, output dropped, in a process group of its own that is ended with
 * it, at most five seconds. Its exit status decides. The caller has the person's consent. Rejects only on abort. Source: ssh.md 4.3;
 * ssh_config(5), Match.
 */
export function runMatchProgram(
  command: string,
  {
    environment,
    clock,
  }: { readonly environment: Readonly<Record<string, string | undefined>>; readonly clock: ClockPort },
  signal: AbortSignal,
): Promise<ProgramOutcome> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal));
    const isWindows = process.platform === 'win32';
    const shell = isWindows ? (environment['ComSpec'] ?? 'cmd.exe') : (environment['SHELL'] ?? '/bin/sh');
    const child = spawn(shell, isWindows ? ['/d', '/s', '/c', `"${command}"`] : ['-c', command], {
      stdio: 'ignore',
      env: childEnvironment(environment),
      detached: !isWindows,
      windowsHide: true,
      windowsVerbatimArguments: isWindows,
    });
    const limit = clock.after(limitMs, () => settle('failed'));
    const onAbort = (): void => {
      end();
      reject(abortReason(signal));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    child.on('error', () => settle('failed'));
    child.on('exit', (code) => settle(code === null ? 'failed' : code === 0 ? 'yes' : 'no'));

    function settle(outcome: ProgramOutcome): void {
      end();
      resolve(outcome);
    }
    function end(): void {
      limit.dispose();
      signal.removeEventListener('abort', onAbort);
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        endGroup(child.pid);
    }
    function endGroup(pid: number): void {
      try {
        process.kill(isWindows ? pid : -pid, 'SIGKILL');
      } catch {
        // it is gone already
      }
    }
  });
}
