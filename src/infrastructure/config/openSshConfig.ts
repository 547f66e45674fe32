import os from 'node:os';
import path from 'node:path';
import fs from 'node:fs/promises';
import { Emitter, type ClockPort } from '../../agentkit/index.ts';
import type {
  ConfigNote,
  ConfigQuestion,
  OpenSshConfigPort,
  ResolvedConfig,
} from '../../application/ports/hosts.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import type { ParsedConfig } from '../../domain/config/assembleConfig.ts';
import { expandHome } from '../../domain/config/expandTokens.ts';
import { keywordKind } from '../../domain/config/keywords.ts';
import { listAliases } from '../../domain/config/listAliases.ts';
import { resolveAlias, type OwnResolution } from '../../domain/config/resolveAlias.ts';
import { localFault } from '../../domain/fault.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { aliasHostId } from '../../domain/host/hostId.ts';
import { readConfigTree, type ConfigTree, type RootFile } from './configTree.ts';
import { effectiveConfig, findSshProgram } from './sshProgram.ts';
import { DirectoryWatch } from './watchDirectories.ts';

export interface OpenSshConfigOptions {
  /** The setting `termind.ssh.configFile`: read instead of the user's and the system's file. */
  readonly configFile: () => string | undefined;
  /** The setting `termind.ssh.path`. */
  readonly sshProgram: () => string | undefined;
  /** False in an untrusted workspace, where `ssh -G` is not started. */
  readonly mayRunPrograms: () => boolean;
  readonly clock: ClockPort;
  readonly log: LogPort;
  /** Those of this machine and this user when absent. */
  readonly home?: string;
  readonly localUser?: string;
  readonly systemFile?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

interface Loaded {
  readonly tree: ConfigTree;
  readonly stamp: string;
  readonly hosts: readonly HostListing[];
  readonly notes: readonly ConfigNote[];
}

/**
 * The user's OpenSSH configuration, read live. Listing uses our own reading only; resolving asks `ssh -G` where there is one and no file
 * would make it run a program. One owner disposes it. Source: ssh.md 4.
 */
export class OpenSshConfig implements OpenSshConfigPort {
  readonly #options: OpenSshConfigOptions;
  readonly #home: string;
  readonly #localUser: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #changed: Emitter<void>;
  readonly #watch: DirectoryWatch;
  #loaded: Loaded | undefined;
  #loading: Promise<Loaded> | undefined;

  constructor(options: OpenSshConfigOptions) {
    const user = os.userInfo();
    this.#options = options;
    this.#home = options.home ?? user.homedir;
    this.#localUser = options.localUser ?? user.username;
    this.#environment = options.environment ?? process.env;
    this.#changed = new Emitter((error) => options.log.error('config', 'a listener failed', error));
    this.#watch = new DirectoryWatch(options.clock, () => this.#changed.fire());
  }

  get onDidChange(): OpenSshConfigPort['onDidChange'] {
    return this.#changed.event;
  }

  async list(): Promise<{ readonly hosts: readonly HostListing[]; readonly notes: readonly ConfigNote[] }> {
    const { hosts, notes } = await this.#load();
    return { hosts, notes };
  }

  async resolve(question: ConfigQuestion, signal: AbortSignal): Promise<ResolvedConfig> {
    const { alias } = question;
    if (alias === '' || alias.startsWith('-'))
      throw localFault('config-error', {
        reason: `the name "${alias}" is refused because it could be an option`,
      });
    const { tree } = await this.#load();
    signal.throwIfAborted();
    const own = resolveAlias(tree.config, { ...question, localUser: this.#localUser });
    const [program] = own.programs;
    if (program !== undefined)
      throw localFault('config-consent', {
        path: program.at.path,
        line: String(program.at.line),
        command: program.command,
      });
    return this.#askSsh(question, { config: tree.config, own }, signal);
  }

  dispose(): void {
    this.#watch.dispose();
    this.#changed.dispose();
  }

  /** `ssh -G`, unless it is missing, not allowed or could run a program; then our own reading. */
  async #askSsh(
    question: ConfigQuestion,
    { config, own }: { readonly config: ParsedConfig; readonly own: OwnResolution },
    signal: AbortSignal,
  ): Promise<ResolvedConfig> {
    if (config.programs.length > 0 || !this.#options.mayRunPrograms()) return this.#ownConfig(own);
    const program = await findSshProgram(this.#options.sshProgram(), this.#environment);
    if (program === undefined) return this.#ownConfig(own);
    const answer = await effectiveConfig(
      {
        program,
        configFile: this.#configFile(),
        alias: question.alias,
        user: question.user,
        port: question.port,
        environment: this.#environment,
      },
      this.#options.clock,
      signal,
    );
    if (answer.ok) return { values: printedValues(answer.lines, own), ...provenance(own), by: 'ssh -G' };
    return { ...this.#ownConfig(own), warning: `ssh refuses this configuration: ${answer.why}` };
  }

  /** In the spelling of `ssh -G`: resolved name, port, user and the default files of known host keys included. */
  #ownConfig(own: OwnResolution): ResolvedConfig {
    const values = new Map(own.values);
    values.set('hostname', [own.hostName]);
    values.set('port', [String(own.port)]);
    values.set('user', [own.user]);
    const system = path.dirname(this.#systemFile());
    for (const [keyword, folder, name] of [
      ['userknownhostsfile', path.join(this.#home, '.ssh'), 'known_hosts'],
      ['globalknownhostsfile', system, 'ssh_known_hosts'],
    ] as const)
      if (!values.has(keyword)) values.set(keyword, [path.join(folder, name), path.join(folder, `${name}2`)]);
    const [undecided] = own.undecided;
    const base: ResolvedConfig = { values, ...provenance(own), by: 'own parser' };
    if (undecided === undefined) return base;
    return { ...base, warning: `match ${undecided.kind} in ${place(undecided.at)} was not evaluated` };
  }

  #systemFile(): string {
    return this.#options.systemFile ?? defaultSystemFile(this.#environment);
  }

  #configFile(): string | undefined {
    const configured = this.#options.configFile();
    if (configured === undefined || configured === '') return undefined;
    return path.resolve(this.#home, expandHome(configured, this.#home) ?? configured);
  }

  #roots(): readonly RootFile[] {
    const userDirectory = path.join(this.#home, '.ssh');
    const configured = this.#configFile();
    if (configured !== undefined)
      return [{ path: configured, includeDirectory: userDirectory, isRequired: true }];
    const systemFile = this.#systemFile();
    return [
      { path: path.join(userDirectory, 'config'), includeDirectory: userDirectory, isRequired: false },
      { path: systemFile, includeDirectory: path.dirname(systemFile), isRequired: false },
    ];
  }

  /** The configuration as it is now. Concurrent callers share one reading. */
  #load(): Promise<Loaded> {
    this.#loading ??= this.#reload().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #reload(): Promise<Loaded> {
    const roots = this.#roots();
    const known = this.#loaded;
    if (known !== undefined && known.stamp === (await stampOf(known.tree, roots))) return known;
    const tree = await readConfigTree(roots, {
      home: this.#home,
      rules: { release: undefined, environment: this.#environment },
    });
    const stamp = await stampOf(tree, roots);
    const { aliases, problems } = listAliases(tree.config, this.#localUser);
    const loaded: Loaded = {
      tree,
      stamp,
      hosts: aliases.map(({ alias, hostName, port, user }) => ({
        id: aliasHostId(alias),
        label: alias,
        source: 'ssh_config',
        address: hostName,
        port,
        user,
        group: undefined,
        tags: [],
        tier: undefined,
        alias,
      })),
      notes: [...tree.config.problems, ...problems].map((problem) => ({
        path: problem.path,
        line: problem.line,
        message: problem.message,
      })),
    };
    this.#watch.set(tree.directories);
    this.#loaded = loaded;
    // Watching may miss a change, for example behind a link; whoever reads finds it, and everybody is told.
    if (known !== undefined) this.#changed.fire();
    return loaded;
  }
}

function defaultSystemFile(environment: Readonly<Record<string, string | undefined>>): string {
  if (process.platform !== 'win32') return '/etc/ssh/ssh_config';
  return path.join(environment['ProgramData'] ?? 'C:\\ProgramData', 'ssh', 'ssh_config');
}

/** Changes whenever a file of the configuration or the content of a directory with includes does. */
async function stampOf(tree: ConfigTree, roots: readonly RootFile[]): Promise<string> {
  const marks = await Promise.all(
    [...tree.files, ...tree.directories].map(async (at) => {
      const stat = await fs.stat(at, { bigint: true }).catch(() => undefined);
      if (stat === undefined) return `${at} -`;
      return `${at} ${String(stat.mtimeNs)} ${String(stat.isDirectory() ? 0 : stat.size)} ${String(stat.ino)}`;
    }),
  );
  return JSON.stringify([roots.map((root) => root.path), marks]);
}

function provenance(own: OwnResolution): Pick<ResolvedConfig, 'origin' | 'asWritten'> {
  return {
    origin: (keyword) => {
      const first = own.origins.get(keyword)?.[0];
      return first === undefined ? undefined : place(first);
    },
    asWritten: (keyword) => (own.origins.has(keyword) ? own.values.get(keyword)?.join(' ') : undefined),
  };
}

function place(at: { readonly path: string; readonly line: number }): string {
  return `${at.path}:${String(at.line)}`;
}

/**
 * `keyword value` per line, repeated keywords in order. Lists of paths are printed without quotes, so our own reading tells where one
 * ends when both agree on the whole.
 */
function printedValues(lines: readonly string[], own: OwnResolution): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const line of lines) {
    const cut = line.indexOf(' ');
    const keyword = (cut < 0 ? line : line.slice(0, cut)).toLowerCase();
    const value = cut < 0 ? '' : line.slice(cut + 1);
    const list = values.get(keyword) ?? [];
    list.push(...(isPathList(keyword) ? splitPaths(value, own.values.get(keyword)) : [value]));
    values.set(keyword, list);
  }
  return values;
}

function isPathList(keyword: string): boolean {
  return keywordKind(keyword) === 'words' && keyword.endsWith('knownhostsfile');
}

function splitPaths(printed: string, own: readonly string[] | undefined): readonly string[] {
  if (own !== undefined && own.some((word) => word.includes(' ')) && printed.split(' ').length !== own.length)
    return own;
  return printed.split(' ').filter(Boolean);
}
