import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RanProgram {
  readonly program: string;
  readonly arguments: readonly string[];
}

/** Ends the words of one call in the log. */
const end = 'END-OF-CALL';

/** A real shell in an empty folder whose every program is a stub that writes down how it was called and does nothing. */
export class StubShell {
  readonly #root = mkdtempSync(join(tmpdir(), 'termind-stubs-'));
  readonly #bin = join(this.#root, 'bin');
  readonly #log = join(this.#root, 'log');
  /** Where lines run; also the home folder. */
  readonly folder = join(this.#root, 'folder');

  /** `programs` are the names that the stubs have; every other name is not found. */
  constructor(programs: Iterable<string>) {
    mkdirSync(this.#bin);
    mkdirSync(this.folder);
    const stub = join(this.#root, 'stub');
    // One write per call, so that the parts of a pipeline do not mix.
    writeFileSync(stub, `#!/bin/sh\nprintf '%s\\0' "\${0##*/}" "$@" ${end} >>"$STUB_LOG"\n`);
    chmodSync(stub, 0o755);
    for (const program of programs) symlinkSync(stub, join(this.#bin, program));
  }

  /** What the line ran with patterns left as they are, in no particular order (pipelines run at once), and the names of the files that it made. */
  run(
    shell: string,
    line: string,
  ): { readonly ran: readonly RanProgram[]; readonly made: readonly string[] } {
    writeFileSync(this.#log, '');
    spawnSync(shell, ['-f', '-c', line], {
      cwd: this.folder,
      env: { PATH: this.#bin, HOME: this.folder, STUB_LOG: this.#log },
      timeout: 10_000,
      stdio: ['ignore', 'ignore', 'ignore'],
    });
    const made = readdirSync(this.folder);
    for (const name of made) rmSync(join(this.folder, name), { recursive: true, force: true });
    return { ran: parseLog(readFileSync(this.#log, 'utf8')), made };
  }

  dispose(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

function parseLog(log: string): readonly RanProgram[] {
  const calls: RanProgram[] = [];
  let words: string[] = [];
  for (const word of log.split('\0')) {
    if (word !== end) words.push(word);
    else {
      const [program = '', ...rest] = words;
      calls.push({ program, arguments: rest });
      words = [];
    }
  }
  return calls;
}
