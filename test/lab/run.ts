import { spawn } from 'node:child_process';

export interface RunOptions {
  /** Written to standard input, which is then closed. */
  readonly input?: string | Buffer;
  /** Replaces the whole environment. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The program is killed and the promise rejects after this long; 30 s when absent. */
  readonly deadlineMs?: number;
}

export interface RunResult {
  /** Exit status, or `undefined` when a signal ended the program. */
  readonly status: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs one program to its end, without a shell and in a session of its own, so that it cannot reach the terminal of
 * whoever runs the tests. Rejects when the program cannot be started or misses its deadline; a non-zero exit status
 * is a result.
 */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const deadlineMs = options.deadlineMs ?? 45_000;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: options.env, cwd: options.cwd, detached: true, stdio: 'pipe' });
    const out = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (out[name] += text));
    const deadline = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${program} did not end within ${deadlineMs} ms. ${out.stderr.trim()}`));
    }, deadlineMs);
    child.once('error', (error) => {
      clearTimeout(deadline);
      reject(new Error(`${program} could not be started.`, { cause: error }));
    });
    child.once('close', (status) => {
      clearTimeout(deadline);
      resolve({ status: status ?? undefined, ...out });
    });
    child.stdin.on('error', () => {}); // a program that does not read its input is no failure of ours
    child.stdin.end(options.input);
  });
}

/** As {@link run}, and rejects with the program's own words unless it exits with status 0. Returns its output. */
export async function mustRun(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const result = await run(program, args, options);
  if (result.status === 0) return result.stdout;
  throw new Error(
    `${program} failed (${result.status ?? 'signal'}): ${result.stderr.trim() || result.stdout.trim()}`,
  );
}
