import type { Event } from '../../agentkit/index.ts';
import type { ConfigDifference } from '../../domain/config/compareWithSsh.ts';
import type { SourceRef } from '../../domain/config/configFile.ts';
import type { ConfiguredWay } from '../../domain/config/configuredWay.ts';
import type { HostFacts, HostListing, HostRecord } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { Target } from '../../domain/ssh/target.ts';

/** The vault's rows of hosts. One row per record with a revision. Writes reject with `stale-write`, `store-busy`, … */
export interface HostStorePort {
  list(): Promise<readonly HostRecord[]>;
  get(id: HostId): Promise<HostRecord | undefined>;
  /** Inserts when `revision` is 0, otherwise updates exactly that revision. Resolves with the stored record. */
  put(record: HostRecord): Promise<HostRecord>;
  remove(id: HostId): Promise<void>;
  recordConnect(entry: { readonly hostId: HostId; readonly at: number; readonly ok: boolean }): Promise<void>;
  /** Newest first, at most 50. */
  recents(): Promise<readonly { readonly hostId: HostId; readonly at: number; readonly ok: boolean }[]>;
  facts(id: HostId): Promise<HostFacts>;
  /** Merges; only actual answers are stored. */
  learn(id: HostId, facts: HostFacts): Promise<void>;
}

/** Notes about lines that cannot be used; they never hide later hosts. */
export interface ConfigNote {
  readonly path: string;
  readonly line: number;
  readonly message: string;
  /** `ssh` itself refuses the whole configuration because of it, while we go on without the line. */
  readonly isRefusedBySsh: boolean;
}

/** Absolute paths of known_hosts files, those of the user and those of the machine. */
export interface KnownHostsPaths {
  readonly user: readonly string[];
  readonly global: readonly string[];
}

/** Under what the host key of a name is searched, and in which files. */
export interface NamePlaces extends KnownHostsPaths {
  readonly hostName: string;
  readonly port: number;
  /** HostKeyAlias. */
  readonly alias: string | undefined;
}

export interface HostKeyPlaces {
  /** For a name that the configuration says nothing about. */
  readonly usual: KnownHostsPaths;
  readonly byName: ReadonlyMap<string, NamePlaces>;
}

/** A name as it would be typed behind `ssh`, with what `-l` and `-p` would add. */
export interface ConfigQuestion {
  readonly alias: string;
  readonly user?: string;
  readonly port?: number;
}

/** One reading of the files. */
export interface ConfigListing {
  readonly hosts: readonly HostListing[];
  readonly notes: readonly ConfigNote[];
  /** Of any name, listed or not. */
  readonly wayOf: (question: ConfigQuestion) => ConfiguredWay;
}

/** The user's OpenSSH configuration, live. Listing never runs a program and never resolves a name. Source: ssh.md 4. */
export interface OpenSshConfigPort {
  list(): Promise<ConfigListing>;
  /**
   * `ssh -G` where a binary exists and nothing stands against running it, otherwise our own reading. A person is asked once for each
   * file whose programs decide about this name. Rejects with `config-error` for a name that could be an option and with
   * `config-consent` when the question about programs was closed without an answer.
   */
  resolve(question: ConfigQuestion, signal: AbortSignal): Promise<ResolvedConfig>;
  /** The same with everything a person may want to know about it. Rejects as `resolve`. Source: ssh.md 4.5. */
  explain(question: ConfigQuestion, signal: AbortSignal): Promise<ConfigExplanation>;
  /**
   * What `ssh -vvv` writes about a connection of its own, as far as the sign-in: without questions, without forwards or a command, without
   * learning keys, and for at most 20 seconds. Programs of the configuration are asked about as in `resolve`. Rejects as `resolve`.
   * Source: ssh.md 1.10.
   */
  debug(question: ConfigQuestion, signal: AbortSignal): Promise<SshDebug>;
  /**
   * By alias, what a person should know before it connects: a program that decides about it and is not allowed, or what was said when it
   * was resolved last. `onDidChange` fires when one changes.
   */
  warnings(): Promise<ReadonlyMap<string, string>>;
  /** Those of the names whose `StrictHostKeyChecking` is `no` or `off`, with the line that says so. Runs nothing. Source: ssh.md 3.1. */
  uncheckedNames(names: readonly string[]): Promise<ReadonlyMap<string, SourceRef>>;
  /** Where `ssh` looks for the host keys of each name, by our own reading: nothing is run and no name is resolved. Source: ssh.md 3.2. */
  hostKeyPlaces(names: readonly string[]): Promise<HostKeyPlaces>;
  /** The `Host` line that lists an alias; undefined when no file does. */
  sourceOf(alias: string): Promise<SourceRef | undefined>;
  /** Aliases with forwards, by our own reading: nothing is run. */
  aliasesWithForwards(): Promise<ReadonlySet<string>>;
  /** The files that hold programs now, with what was decided about each. */
  programs(): Promise<readonly ProgramFileState[]>;
  readonly onDidChange: Event<void>;
  dispose(): void;
}

/** Keyword (lower case) to values in order; accumulating keywords have several. `hostname`, `port` and `user` are always there. */
export interface ResolvedConfig {
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** `path:line` of the line that won; undefined for a default. */
  readonly origin: (keyword: string) => string | undefined;
  /** The value as the winning line has it, for lists of algorithms with `+`, `-` or `^`; undefined for a default. Source: ssh.md 5.1. */
  readonly asWritten: (keyword: string) => string | undefined;
  readonly by: 'ssh -G' | 'own parser';
  /** Why `ssh` itself would not do this, or what only `ssh` could have decided. Shown to the person. */
  readonly warning?: string;
}

/** A resolution with its provenance, and what `ssh` says about the same name. */
export interface ConfigExplanation {
  readonly resolved: ResolvedConfig;
  /** For each keyword the lines that gave the value, and those that hold for the name and came too late. */
  readonly winners: ReadonlyMap<string, readonly SourceRef[]>;
  readonly losers: ReadonlyMap<string, readonly SourceRef[]>;
  /** The `Host` and `Match` lines that hold for the name. */
  readonly blocks: readonly SourceRef[];
  /** Lines that are not used, in whatever block. */
  readonly notes: readonly ConfigNote[];
  readonly check: SelfTest;
}

/** Our own reading against `ssh -G`. */
export type SelfTest =
  | { readonly k: 'compared'; readonly release: string; readonly differences: readonly ConfigDifference[] }
  | { readonly k: 'refused'; readonly why: string }
  /** No `ssh` was run: there is none, this folder is not trusted, or programs in a file are not allowed. */
  | { readonly k: 'notRun'; readonly why: 'noProgram' | 'untrusted' | 'programs' };

/** What came of running `ssh -vvv`; where `ssh -G` is refused or was not run, it is not run either. */
export type SshDebug =
  { readonly k: 'ran'; readonly text: string } | Exclude<SelfTest, { readonly k: 'compared' }>;

/** A file of the configuration with lines that run programs. */
export interface ProgramFile {
  readonly path: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly contentHash: string;
  readonly commands: readonly { readonly line: number; readonly command: string }[];
}

export interface ProgramFileState extends ProgramFile {
  readonly consent: ProgramConsent | undefined;
}

/** What a person decided about the programs of one content of a file. Source: ssh.md 4.3. */
export interface ProgramConsent {
  readonly path: string;
  readonly contentHash: string;
  readonly isAllowed: boolean;
  /** Milliseconds UTC. */
  readonly at: number;
}

/** Decisions about programs, kept between sessions: one for each file. */
export interface ProgramConsentStorePort {
  get(path: string): ProgramConsent | undefined;
  list(): readonly ProgramConsent[];
  put(consent: ProgramConsent): Promise<void>;
  remove(path: string): Promise<void>;
}

/**
 * Asks whether the programs of a file may run, showing each. No answer is undefined. `host` is the name whose connection asks.
 */
export interface ProgramConsentPromptPort {
  ask(
    question: { readonly file: ProgramFile; readonly host: string },
    signal: AbortSignal,
  ): Promise<'allow' | 'deny' | undefined>;
}

/** Hosts without secrets; the only list the tools and the trees see. Serial ports are never in it. */
export interface HostDirectory {
  list(): Promise<readonly HostListing[]>;
  get(id: HostId): Promise<HostListing | undefined>;
  /** Everything needed to connect. Rejects with `unknown-host`, `config-error`, `config-consent`. */
  target(id: HostId, signal: AbortSignal): Promise<Target>;
  readonly onDidChange: Event<void>;
}
