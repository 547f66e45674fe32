import type { Event } from '../../agentkit/index.ts';
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
}

/** A name as it would be typed behind `ssh`, with what `-l` and `-p` would add. */
export interface ConfigQuestion {
  readonly alias: string;
  readonly user?: string;
  readonly port?: number;
}

/** The user's OpenSSH configuration, live. Listing never runs a program and never resolves a name. Source: ssh.md 4. */
export interface OpenSshConfigPort {
  list(): Promise<{ readonly hosts: readonly HostListing[]; readonly notes: readonly ConfigNote[] }>;
  /**
   * `ssh -G` where a binary exists and no file would make it run a program, otherwise our own reading. Rejects with `config-error` for
   * a name that could be an option and with `config-consent` when a program decides about this name.
   */
  resolve(question: ConfigQuestion, signal: AbortSignal): Promise<ResolvedConfig>;
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

/** Hosts without secrets; the only list the tools and the trees see. Serial ports are never in it. */
export interface HostDirectory {
  list(): Promise<readonly HostListing[]>;
  get(id: HostId): Promise<HostListing | undefined>;
  /** Everything needed to connect. Rejects with `unknown-host`, `config-error`, `config-consent`. */
  target(id: HostId, signal: AbortSignal): Promise<Target>;
  readonly onDidChange: Event<void>;
}
