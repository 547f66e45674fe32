import { execFile } from 'node:child_process';
import { quotePosix } from '../../../domain/ssh/quote.ts';

/** Programs that give a child a terminal on this machine. */
export interface LocalPty {
  /** A program and its arguments that run `command` in a terminal of `size` and write the terminal's path as their first line. */
  run(
    command: readonly string[],
    size: { readonly rows: number; readonly cols: number },
  ): readonly [program: string, args: readonly string[]];
  /** A program and its arguments that change the size of the terminal at `path`. */
  resize(
    path: string,
    size: { readonly rows: number; readonly cols: number },
  ): readonly [program: string, args: readonly string[]];
}

const answerMs = 5_000;

/**
 * The pair `script` and `stty` of util-linux and coreutils; undefined where there is no such `script`. Those of macOS and BSD take no
 * pipe for their input, that of busybox tells no status. Source: script(1), stty(1).
 */
export function findLocalPty(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): Promise<LocalPty | undefined> {
  if (platform !== 'linux') return Promise.resolve(undefined);
  return new Promise((resolve) => {
    execFile('script', ['--version'], { env: environment, timeout: answerMs }, (error, stdout) =>
      resolve(error === null && stdout.includes('util-linux') ? scriptOf(environment['SHELL']) : undefined),
    );
  });
}

/** The modes of the terminal are those that `ssh` asks the server for, so they are the usual ones. `script` reads its command by `$SHELL`. */
function scriptOf(shell: string | undefined): LocalPty {
  const sized = (size: { readonly rows: number; readonly cols: number }): readonly string[] => [
    ...['rows', String(Math.floor(size.rows))],
    ...['cols', String(Math.floor(size.cols))],
  ];
  return {
    run: (command, size) => {
      const restored = shell === undefined ? 'unset SHELL' : `export SHELL=${quotePosix(shell)}`;
      const words = command.map(quotePosix).join(' ');
      const line = `stty sane ${sized(size).join(' ')}; tty; ${restored}; exec ${words}`;
      return ['script', ['-q', '-e', '-f', '-c', line, '/dev/null']];
    },
    resize: (path, size) => ['stty', ['-F', path, ...sized(size)]],
  };
}
