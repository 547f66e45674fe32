import os from 'node:os';
import path from 'node:path';
import { Emitter, type ClockPort } from '../../agentkit/index.ts';
import type {
  ConfigExplanation,
  ConfigListing,
  ConfigNote,
  ConfigQuestion,
  HostKeyPlaces,
  KnownHostsPaths,
  NamePlaces,
  OpenSshConfigPort,
  ProgramFileState,
  ResolvedConfig,
  SelfTest,
  SshDebug,
} from '../../application/ports/hosts.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import type { ProgramConsents } from '../../application/vault/programConsents.ts';
import { compareWithSsh } from '../../domain/config/compareWithSsh.ts';
import type { SourceRef } from '../../domain/config/configFile.ts';
import { configuredWay, type ConfiguredWay } from '../../domain/config/configuredWay.ts';
import { effectiveValues } from '../../domain/config/effectiveValues.ts';
import { expandHome } from '../../domain/config/expandTokens.ts';
import { aliasesWithForwards } from '../../domain/config/aliasesWithForwards.ts';
import { listAliases, type AliasListing } from '../../domain/config/listAliases.ts';
import { readPrinted, valuesOf, type PrintedConfig } from '../../domain/config/printedConfig.ts';
import { uncheckedNames } from '../../domain/config/uncheckedNames.ts';
import { parseRelease, releaseName, type Release } from '../../domain/config/release.ts';
import { resolveAlias, type OwnResolution } from '../../domain/config/resolveAlias.ts';
import { localFault } from '../../domain/fault.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { aliasHostId } from '../../domain/host/hostId.ts';
import { readConfigTree, type ConfigTree, type RootFile } from './configTree.ts';
import { programFiles } from './programFiles.ts';
import { ResolveByHand, type HandResolution } from './resolveByHand.ts';
import { SshClient, type SshAnswer } from './sshClient.ts';
import { stampOf } from './stampOf.ts';
import { DirectoryWatch } from './watchDirectories.ts';

export interface OpenSshConfigOptions {
  /** The setting `termind.ssh.configFile`: read instead of the user's and the system's file. */
  readonly configFile: () => string | undefined;
  /** The setting `termind.ssh.path`. */
  readonly sshProgram: () => string | undefined;
  /** False in an untrusted workspace, where `ssh -G` is not started. */
  readonly mayRunPrograms: () => boolean;
  /** Decides about the programs of `Match exec`. */
  readonly consents: ProgramConsents;
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
  readonly release: Release;
  readonly hosts: readonly HostListing[];
  readonly aliases: ReadonlyMap<string, AliasListing>;
  readonly notes: readonly ConfigNote[];
  readonly wayOf: ConfigListing['wayOf'];
}

/** One question, answered by both readers as far as they were asked. */
interface Answered {
  readonly tree: ConfigTree;
  readonly hand: HandResolution;
  readonly ssh: SshAnswer;
  readonly resolved: ResolvedConfig;
}

/**
 * The user's OpenSSH configuration, read live. Listing uses our own reading only; resolving asks `ssh -G` where there is one and nothing
 * stands against running it. One owner disposes it. Source: ssh.md 4.
 */
export class OpenSshConfig implements OpenSshConfigPort {
  readonly #options: OpenSshConfigOptions;
  readonly #home: string;
  readonly #localUser: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #changed: Emitter<void>;
  readonly #watch: DirectoryWatch;
  readonly #client: SshClient;
  /** What was said about an alias when it was resolved last, with the files as they are. */
  readonly #warnings = new Map<string, string>();
  #loaded: Loaded | undefined;
  #loading: Promise<Loaded> | undefined;
  /** Worked out when somebody asks. */
  #withForwards: { readonly of: Loaded; readonly names: ReadonlySet<string> } | undefined;

  constructor(options: OpenSshConfigOptions) {
    const user = os.userInfo();
    this.#options = options;
    this.#home = options.home ?? user.homedir;
    this.#localUser = options.localUser ?? user.username;
    this.#environment = options.environment ?? process.env;
    this.#changed = new Emitter((error) => options.log.error('config', 'a listener failed', error));
    this.#watch = new DirectoryWatch(options.clock, () => this.#changed.fire());
    this.#client = new SshClient({
      configured: options.sshProgram,
      mayRun: options.mayRunPrograms,
      environment: this.#environment,
      clock: options.clock,
    });
  }

  get onDidChange(): OpenSshConfigPort['onDidChange'] {
    return this.#changed.event;
  }

  async list(): Promise<ConfigListing> {
    const { hosts, notes, wayOf } = await this.#load();
    return { hosts, notes, wayOf };
  }

  async sourceOf(alias: string): Promise<SourceRef | undefined> {
    return (await this.#load()).aliases.get(alias)?.at;
  }

  async warnings(): Promise<ReadonlyMap<string, string>> {
    const { aliases, tree } = await this.#load();
    const warnings = new Map<string, string>();
    const files = new Map(programFiles(tree).map((file) => [file.path, file]));
    for (const { alias, programs } of aliases.values())
      for (const at of programs) {
        const file = files.get(at.path);
        if (file !== undefined && this.#options.consents.decided(file) !== true)
          warnings.set(
            alias,
            `match exec in ${at.path}:${String(at.line)} is not allowed, so its block does not apply`,
          );
      }
    for (const [alias, warning] of this.#warnings) warnings.set(alias, warning);
    return warnings;
  }

  async uncheckedNames(names: readonly string[]): Promise<ReadonlyMap<string, SourceRef>> {
    const { tree } = await this.#load();
    return uncheckedNames(tree.config, { names, localUser: this.#localUser });
  }

  async aliasesWithForwards(): Promise<ReadonlySet<string>> {
    const loaded = await this.#load();
    if (this.#withForwards?.of !== loaded) {
      const aliases = loaded.aliases.keys();
      const names = aliasesWithForwards(loaded.tree.config, { aliases, localUser: this.#localUser });
      this.#withForwards = { of: loaded, names };
    }
    return this.#withForwards.names;
  }

  async hostKeyPlaces(names: readonly string[]): Promise<HostKeyPlaces> {
    const { tree } = await this.#load();
    const usual = this.#usualKnownHosts();
    const paths = (written: readonly string[] | undefined): readonly string[] | undefined =>
      written?.map((file) => expandHome(file, this.#home) ?? file).filter((file) => path.isAbsolute(file));
    const byName: [string, NamePlaces][] = [...new Set(names)].map((alias) => {
      const own = resolveAlias(tree.config, { alias, localUser: this.#localUser });
      const { values } = this.#effective(own, { alias });
      return [
        alias,
        {
          hostName: own.hostName,
          port: own.port,
          alias: values.get('hostkeyalias')?.[0],
          user: paths(values.get('userknownhostsfile')) ?? usual.user,
          global: paths(values.get('globalknownhostsfile')) ?? usual.global,
        },
      ];
    });
    return { usual, byName: new Map(byName) };
  }

  async programs(): Promise<readonly ProgramFileState[]> {
    const { tree } = await this.#load();
    return programFiles(tree).map((file) => ({ ...file, consent: this.#options.consents.known(file) }));
  }

  async resolve(question: ConfigQuestion, signal: AbortSignal): Promise<ResolvedConfig> {
    const { resolved } = await this.#answer(question, signal);
    this.#remember(question.alias, resolved.warning);
    return resolved;
  }

  async explain(question: ConfigQuestion, signal: AbortSignal): Promise<ConfigExplanation> {
    const { hand, ssh, resolved } = await this.#answer(question, signal);
    const { own } = hand;
    return {
      resolved,
      winners: own.origins,
      losers: own.losers,
      blocks: own.blocks,
      notes: (await this.#load()).notes,
      check: await this.#selfTest(question, { own: this.#effective(own, question).values, ssh }, signal),
    };
  }

  async debug(question: ConfigQuestion, signal: AbortSignal): Promise<SshDebug> {
    const { ssh } = await this.#answer(question, signal);
    if (ssh.k !== 'printed') return ssh;
    return this.#client.debug({ ...question, configFile: this.#configFile() }, signal);
  }

  dispose(): void {
    this.#watch.dispose();
    this.#changed.dispose();
  }

  async #answer(question: ConfigQuestion, signal: AbortSignal): Promise<Answered> {
    const { alias } = question;
    if (alias === '' || alias.startsWith('-'))
      throw localFault('config-error', {
        reason: `the name "${alias}" is refused because it could be an option`,
      });
    const version = await this.#client.version(signal);
    const { tree } = await this.#load(parseRelease(version));
    signal.throwIfAborted();
    const hand = new ResolveByHand({
      tree,
      version,
      consents: this.#options.consents,
      localUser: this.#localUser,
      local: this.#localFacts(),
      clock: this.#options.clock,
    });
    const decided = await hand.decidePrograms(question, signal);
    const ssh: SshAnswer = decided.areProgramsAllowed
      ? await this.#client.ask({ ...question, configFile: this.#configFile() }, signal)
      : { k: 'notRun', why: 'programs' };
    if (ssh.k === 'printed') {
      const settled = hand.asSsh(question, ssh.lines);
      return { tree, hand: settled, ssh, resolved: this.#printed(settled.own, ssh.lines) };
    }
    const settled = await hand.lookUpNames(question, signal);
    return { tree, hand: settled, ssh, resolved: this.#byHand(question, settled, ssh) };
  }

  #remember(alias: string, warning: string | undefined): void {
    if (this.#warnings.get(alias) === warning) return;
    if (warning === undefined) this.#warnings.delete(alias);
    else this.#warnings.set(alias, warning);
    this.#changed.fire();
  }

  #printed(own: OwnResolution, lines: readonly string[]): ResolvedConfig {
    return { values: valuesOf(readPrinted(lines), own.values), ...provenance(own), by: 'ssh -G' };
  }

  /** In the spelling of `ssh -G`: resolved name, port, user and the default files of known host keys included. */
  #byHand(question: ConfigQuestion, { own, notes }: HandResolution, ssh: SshAnswer): ResolvedConfig {
    const effective = this.#effective(own, question);
    const values = new Map(effective.values);
    const usual = this.#usualKnownHosts();
    for (const [keyword, paths] of [
      ['userknownhostsfile', usual.user],
      ['globalknownhostsfile', usual.global],
    ] as const)
      if (!values.has(keyword)) values.set(keyword, paths);
    const refusal = ssh.k === 'refused' ? `ssh refuses this configuration: ${ssh.why}` : undefined;
    const own_ =
      effective.refusal === undefined ? undefined : `ssh would refuse this name: ${effective.refusal}`;
    const [warning] = [refusal, this.#absentProgram(ssh), ...notes, own_].filter(
      (text) => text !== undefined,
    );
    const base: ResolvedConfig = { values, ...provenance(own), by: 'own parser' };
    return warning === undefined ? base : { ...base, warning };
  }

  async #selfTest(
    question: ConfigQuestion,
    { own, ssh }: { readonly own: PrintedConfig; readonly ssh: SshAnswer },
    signal: AbortSignal,
  ): Promise<SelfTest> {
    if (ssh.k !== 'printed') return ssh;
    const defaults = await this.#client.ask({ alias: question.alias, configFile: 'none' }, signal);
    const differences = compareWithSsh(own, {
      printed: readPrinted(ssh.lines),
      defaults: readPrinted(defaults.k === 'printed' ? defaults.lines : []),
    });
    const release = parseRelease(await this.#client.version(signal));
    return { k: 'compared', release: release === undefined ? '' : releaseName(release), differences };
  }

  #absentProgram(ssh: SshAnswer): string | undefined {
    const configured = this.#options.sshProgram() ?? '';
    if (configured === '' || ssh.k !== 'notRun' || ssh.why !== 'noProgram') return undefined;
    return `the program of termind.ssh.path cannot be run: ${configured}`;
  }

  #effective(own: OwnResolution, { alias }: ConfigQuestion): ReturnType<typeof effectiveValues> {
    const facts = { ...this.#localFacts(), localUser: this.#localUser, alias };
    return effectiveValues(own, { ...facts, release: this.#loaded?.release });
  }

  #localFacts(): {
    readonly localHost: string;
    readonly home: string;
    readonly userId: number | undefined;
    readonly environment: Readonly<Record<string, string | undefined>>;
  } {
    return {
      localHost: os.hostname(),
      home: this.#home,
      userId: process.getuid?.(),
      environment: this.#environment,
    };
  }

  #usualKnownHosts(): KnownHostsPaths {
    const both = (folder: string, name: string): readonly string[] => [
      path.join(folder, name),
      path.join(folder, `${name}2`),
    ];
    return {
      user: both(path.join(this.#home, '.ssh'), 'known_hosts'),
      global: both(path.dirname(this.#systemFile()), 'ssh_known_hosts'),
    };
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
      {
        path: path.join(userDirectory, 'config'),
        includeDirectory: userDirectory,
        isRequired: false,
        isPrivate: true,
      },
      { path: systemFile, includeDirectory: path.dirname(systemFile), isRequired: false, isSystem: true },
    ];
  }

  /** The configuration as it is now, read with the rules of a release once one is known. Concurrent callers share one reading. */
  async #load(release: Release = this.#loaded?.release): Promise<Loaded> {
    const loaded = await (this.#loading ??= this.#reload(release).finally(() => {
      this.#loading = undefined;
    }));
    return release === undefined || loaded.release === release ? loaded : this.#load(release);
  }

  async #reload(release: Release): Promise<Loaded> {
    const roots = this.#roots();
    const known = this.#loaded;
    if (
      known !== undefined &&
      known.release === release &&
      known.stamp === (await stampOf(known.tree, roots))
    )
      return known;
    const rules = { release, environment: this.#environment };
    const tree = await readConfigTree(roots, { home: this.#home, rules });
    const stamp = await stampOf(tree, roots);
    const { aliases, problems } = listAliases(tree.config, this.#localUser);
    const loaded: Loaded = {
      tree,
      stamp,
      release,
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
      aliases: new Map(aliases.map((listing) => [listing.alias, listing])),
      notes: [...tree.config.problems, ...problems],
      wayOf: rememberedWays(tree, this.#localUser),
    };
    this.#watch.set(tree.directories);
    this.#loaded = loaded;
    if (known?.stamp !== stamp) this.#warnings.clear();
    // Watching may miss a change, for example behind a link; whoever reads finds it, and everybody is told.
    if (known !== undefined) this.#changed.fire();
    return loaded;
  }
}

/** Each name is read once: hosts are listed often. */
function rememberedWays({ config }: ConfigTree, localUser: string): ConfigListing['wayOf'] {
  const known = new Map<string, ConfiguredWay>();
  return ({ alias, user, port }) => {
    const key = JSON.stringify([alias, user, port]);
    const way = known.get(key) ?? configuredWay(config, { alias, user, port, localUser });
    known.set(key, way);
    return way;
  };
}

function defaultSystemFile(environment: Readonly<Record<string, string | undefined>>): string {
  if (process.platform !== 'win32') return '/etc/ssh/ssh_config';
  return path.join(environment['ProgramData'] ?? 'C:\\ProgramData', 'ssh', 'ssh_config');
}

function provenance(own: OwnResolution): Pick<ResolvedConfig, 'origin' | 'asWritten'> {
  return {
    origin: (keyword) => {
      const first = own.origins.get(keyword)?.[0];
      return first === undefined ? undefined : `${first.path}:${String(first.line)}`;
    },
    asWritten: (keyword) => (own.origins.has(keyword) ? own.values.get(keyword)?.join(' ') : undefined),
  };
}
