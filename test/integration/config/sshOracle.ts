import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ConfigProblem } from '../../../src/domain/config/configFile.ts';
import type { NameLookup } from '../../../src/domain/config/canonicalName.ts';
import { compareWithSsh } from '../../../src/domain/config/compareWithSsh.ts';
import { effectiveValues } from '../../../src/domain/config/effectiveValues.ts';
import { readPrinted, type PrintedConfig } from '../../../src/domain/config/printedConfig.ts';
import { parseRelease } from '../../../src/domain/config/release.ts';
import { programKey, resolveAlias, type Findings } from '../../../src/domain/config/resolveAlias.ts';
import { readConfigTree } from '../../../src/infrastructure/config/configTree.ts';
import { caseEnvironment, type ConfigCase } from './configFiles.ts';

/** What both sides say about one case; equal texts mean agreement. */
export interface Comparison {
  /** The `keyword value` lines on which they differ; or the numbers of the lines that are refused. */
  readonly ssh: readonly string[];
  readonly own: readonly string[];
  readonly isRefused: boolean;
}

/** One ssh client to compare with. Dispose of its folder with `close`. */
export class SshOracle {
  readonly #start: Start;
  readonly #folder: string;
  readonly #defaults: PrintedConfig;
  readonly #version: string;

  private constructor(
    start: Start,
    found: { readonly folder: string; readonly defaults: PrintedConfig; readonly version: string },
  ) {
    this.#start = start;
    this.#folder = found.folder;
    this.#defaults = found.defaults;
    this.#version = found.version;
  }

  static async open(start: Start): Promise<SshOracle> {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-config-'));
    const { stderr: version } = await run(await start(['-V']));
    const { stdout } = await run(await start(['-G', '-F', '/dev/null', '--', 'web']));
    return new SshOracle(start, {
      folder,
      defaults: readPrinted(stdout.split('\n').filter(Boolean)),
      version,
    });
  }

  get release(): number {
    return parseRelease(this.#version) ?? 0;
  }

  /** What it prints without any file. */
  get keywords(): readonly string[] {
    return [...this.#defaults.keys()];
  }

  close(): Promise<void> {
    return fs.rm(this.#folder, { recursive: true });
  }

  /** `more` are further files by their name in `@FOLDER@`. */
  async compare(asked: ConfigCase, more: Readonly<Record<string, string>> = {}): Promise<Comparison> {
    const folder = path.join(this.#folder, randomUUID());
    await fs.mkdir(folder);
    try {
      const place = (text: string): string =>
        text
          .replaceAll('@INCLUDE@', path.join(folder, 'a.inc'))
          .replaceAll('@HOME@', `~/${path.relative(os.homedir(), path.join(folder, 'a.inc'))}`)
          .replaceAll('@FOLDER@', folder);
      const file = path.join(folder, 'config');
      await fs.writeFile(file, place(asked.main), { mode: 0o600 });
      await fs.writeFile(path.join(folder, 'a.inc'), asked.included, { mode: 0o600 });
      for (const [name, text] of Object.entries(more))
        await fs.writeFile(path.join(folder, name), place(text), { mode: 0o600 });
      const [ssh, own] = await Promise.all([this.#ask(file, asked), this.#own(file, asked)]);
      return compared(ssh, own, this.#defaults);
    } finally {
      await fs.rm(folder, { recursive: true });
    }
  }

  async #ask(file: string, { alias, user, port }: ConfigCase): Promise<Answer> {
    const command = await this.#start([
      ...['-G', '-F', file],
      ...(user === undefined ? [] : ['-l', user]),
      ...(port === undefined ? [] : ['-p', String(port)]),
      ...['--', alias],
    ]);
    return run(command);
  }

  async #own(file: string, { alias, user, port }: ConfigCase): Promise<Own> {
    const environment = { ...caseEnvironment, PATH: process.env['PATH'] };
    const rules = { release: this.release, environment };
    const root = { path: file, includeDirectory: path.join(os.homedir(), '.ssh'), isRequired: true };
    const { config } = await readConfigTree([root], { home: os.homedir(), rules });
    const local = { localHost: os.hostname(), home: os.homedir(), userId: process.getuid?.(), environment };
    const localUser = os.userInfo().username;
    const programs = new Map<string, boolean>();
    const names = new Map<string, NameLookup>();
    const interfaces = Object.values(os.networkInterfaces()).flatMap((list = []) =>
      list.map(({ address }) => address),
    );
    const version = /OpenSSH_[^ ,]+/.exec(this.#version)?.[0];
    for (;;) {
      const findings: Findings = { local, programs, names, interfaces, version };
      const own = resolveAlias(config, { alias, user, port, localUser, findings });
      const [wanted] = own.programs;
      if (wanted?.expanded !== undefined) {
        programs.set(
          programKey(wanted),
          (await run({ program: '/bin/sh', args: ['-c', wanted.expanded] })).code === 0,
        );
        continue;
      }
      if (own.wantedName !== undefined) {
        names.set(own.wantedName, { isFound: false, alias: undefined });
        continue;
      }
      const effective = effectiveValues(own, { ...local, localUser, alias, release: this.release });
      return { ...effective, problems: config.problems };
    }
  }
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
}
/** What to run for ssh with these arguments. */
export type Start = (args: readonly string[]) => Promise<Command>;
/** The ssh of this machine. */
export const ownSsh: Start = (args) => Promise.resolve({ program: 'ssh', args });

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Own {
  readonly values: PrintedConfig;
  readonly refusal: string | undefined;
  readonly problems: readonly ConfigProblem[];
}

function run({ program, args }: Command): Promise<Answer> {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', ...caseEnvironment };
  return new Promise((resolve) => {
    const child = execFile(program, args, { env, timeout: 20_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
    child.stdin?.end();
  });
}

function compared(ssh: Answer, own: Own, defaults: PrintedConfig): Comparison {
  if (ssh.code !== 0) {
    // ssh stops at the end of the file that is wrong, with what it said about that file before.
    const [, file] = /^(.+): terminating, \d+ bad configuration options$/m.exec(ssh.stderr) ?? [];
    if (file !== undefined) {
      const said = [...ssh.stderr.matchAll(/^(.+?):? line (\d+): (?!Unsupported option|Deprecated)/gm)];
      const own_ = own.problems.filter(
        ({ path: at, isRefusedBySsh }) => isRefusedBySsh && at === path.resolve(file),
      );
      return {
        ssh: unique(said.flatMap(([, at, line = '']) => (at === file ? line : []))),
        own: unique(own_.map(({ line }) => String(line))),
        isRefused: true,
      };
    }
    const why = ssh.stderr.trim();
    return {
      ssh: [why],
      own: [
        own.refusal !== undefined ||
        own.problems.some(({ isRefusedBySsh }) => isRefusedBySsh) ||
        isSomebodyElse(why)
          ? why
          : 'accepted',
      ],
      isRefused: true,
    };
  }
  const printed = readPrinted(ssh.stdout.split('\n').filter(Boolean));
  const differences = compareWithSsh(own.values, { printed, defaults });
  const blamed = own.problems.filter(({ isRefusedBySsh }) => isRefusedBySsh);
  const lines = (side: 'ssh' | 'own'): readonly string[] =>
    differences.flatMap((difference) => difference[side].map((line) => `${difference.keyword} ${line}`));
  return {
    ssh: lines('ssh'),
    own: [...lines('own'), ...blamed.map(({ line, message }) => `line ${String(line)}: ${message}`)],
    isRefused: false,
  };
}

/** Refusals that have nothing to do with the configuration as such. */
function isSomebodyElse(why: string): boolean {
  return /jumphost loop|Could not resolve|Cannot fork into background|ProxyUseFDPass are incompatible|Bad SSH2|Bad key types|Cannot forward agent socket|must specify a subsystem/.test(
    why,
  );
}

function unique(lines: readonly string[]): readonly string[] {
  return [...new Set(lines)].sort();
}
