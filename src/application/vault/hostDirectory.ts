import { DisposableBag, Emitter, type Disposable, type Event } from '../../agentkit/index.ts';
import { localFault } from '../../domain/fault.ts';
import type { HostListing, HostRecord } from '../../domain/host/host.ts';
import { aliasHostId, type HostId } from '../../domain/host/hostId.ts';
import { withProductionMachines } from '../../domain/host/productionMachines.ts';
import {
  buildTarget,
  type LocalFacts,
  type ResolvedValues,
  type TargetSources,
} from '../../domain/ssh/buildTarget.ts';
import { describeElement, type JumpElement } from '../../domain/ssh/jumpChain.ts';
import { legacyInForce } from '../../domain/ssh/legacyAlgorithms.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type {
  ConfigListing,
  ConfigQuestion,
  HostDirectory,
  HostStorePort,
  OpenSshConfigPort,
} from '../ports/hosts.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { StoreStatePort } from '../ports/store.ts';
import { resolveRoute } from '../ssh/resolveRoute.ts';
import { withWay, type WaySources } from './hostWays.ts';

export interface VaultHostDirectoryOptions {
  readonly store: Pick<HostStorePort, 'list' | 'get'>;
  readonly config: Pick<OpenSshConfigPort, 'list' | 'resolve' | 'onDidChange'>;
  readonly changes: Pick<StoreStatePort, 'onDidChangeRows'>;
  readonly local: LocalFacts;
  /** The setting `termind.ssh.agent`. */
  readonly chosenAgent: () => string | undefined;
  readonly log: LogPort;
}

/**
 * The vault's hosts and the aliases of the OpenSSH configuration as one list. A record linked to an alias
 * stands for it. One source that cannot be read does not hide the other. Source: ssh.md 10.1; decisions 1 and 14.
 */
export class VaultHostDirectory implements HostDirectory, Disposable {
  readonly #options: VaultHostDirectoryOptions;
  readonly #bag = new DisposableBag();
  readonly #changed: Emitter<void>;
  /** Notes about configuration lines that the log has already. */
  readonly #told = new Set<string>();
  /** The hosts as they were read last. */
  #seen: string | undefined;

  constructor(options: VaultHostDirectoryOptions) {
    this.#options = options;
    this.#changed = this.#bag.add(
      new Emitter<void>((error) => options.log.error('hosts', 'a listener failed', error)),
    );
    this.#bag.add(options.config.onDidChange(() => this.#changed.fire()));
    this.#bag.add(
      options.changes.onDidChangeRows((area) => {
        if (area === 'hosts') this.#changed.fire();
      }),
    );
  }

  get onDidChange(): Event<void> {
    return this.#changed.event;
  }

  async list(): Promise<readonly HostListing[]> {
    const [records, aliases] = await Promise.allSettled([this.#options.store.list(), this.#aliases()]);
    if (records.status === 'rejected') {
      this.#options.log.warn('hosts', 'the vault cannot be read');
      if (aliases.status === 'rejected') throw records.reason;
    }
    const live = aliases.status === 'fulfilled' ? aliases.value.hosts : [];
    const byAlias = new Map(live.map((listing) => [listing.alias, listing]));
    const stored = records.status === 'fulfilled' ? records.value : [];
    const ways: WaySources = {
      records: stored,
      names: new Set(live.map(({ label }) => label)),
      configured: aliases.status === 'fulfilled' ? aliases.value.wayOf : () => undefined,
    };
    const vault = stored.map((record) =>
      withWay(toListing(record, byAlias.get(record.alias), this.#options.local), record, ways),
    );
    const linked = new Set(vault.flatMap(({ id, alias }) => [id, alias]));
    const unlinked = live
      .filter(({ id, alias }) => !linked.has(id) && !linked.has(alias))
      .map((listing) => withWay(listing, undefined, ways));
    const all = [...vault, ...unlinked].sort((a, b) => a.label.localeCompare(b.label));
    const hosts = withProductionMachines(all);
    this.#tellOfDifference(stored, hosts);
    return hosts;
  }

  async get(id: HostId): Promise<HostListing | undefined> {
    return (await this.list()).find((listing) => listing.id === id);
  }

  async target(id: HostId, signal: AbortSignal): Promise<Target> {
    const sources = await this.#sources(await this.#known(id), signal);
    return resolveRoute(
      sources,
      {
        find: (element, abort) => this.#jumpHost(element, abort),
        build: (found, carrier) => buildTarget(carrier === undefined ? found : { ...found, carrier }),
      },
      signal,
    );
  }

  /** What the OpenSSH configuration says about a host. Rejects as `target`. */
  async config(id: HostId, signal: AbortSignal): Promise<ResolvedValues> {
    return (await this.#sources(await this.#known(id), signal)).config;
  }

  async #known(
    id: HostId,
  ): Promise<{ readonly listing: HostListing; readonly record: HostRecord | undefined }> {
    const record = await this.#options.store.get(id);
    const listing = await this.get(id);
    if (listing === undefined) throw localFault('unknown-host');
    return { listing, record };
  }

  /** What `ssh` would connect to for a name in a chain: a record linked to that alias, an alias, a vault host of that label, or a name. */
  async #jumpHost(element: JumpElement, signal: AbortSignal): Promise<TargetSources> {
    const { alias: name, user, port } = element;
    const all = await this.list();
    const known =
      all.find((one) => one.alias === name) ??
      all.find((one) => one.source === 'vault' && one.label === name) ??
      unlistedHost(name, this.#options.local);
    const stored = known.source === 'vault' ? await this.#options.store.get(known.id) : undefined;
    const isOther = stored !== undefined && !isSameSignIn(known, element);
    const listing = isOther ? { ...known, id: aliasHostId(describeElement(element)) } : known;
    const record = isOther ? { ...stored, user: user ?? stored.user, port: port ?? stored.port } : stored;
    const typed = { ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port }) };
    return this.#sources({ listing, record, typed: { alias: name, ...typed } }, signal);
  }

  /** `typed` is what stands in a chain; without it the record or the alias is asked about. */
  async #sources(
    known: {
      readonly listing: HostListing;
      readonly record: HostRecord | undefined;
      readonly typed?: ConfigQuestion;
    },
    signal: AbortSignal,
  ): Promise<TargetSources> {
    const { listing, record, typed } = known;
    const { config: files, local, log } = this.#options;
    const asked =
      record === undefined ? (typed?.alias ?? listing.alias) : (record.alias ?? record.addresses[0]);
    if (asked === undefined) throw localFault('config-error', { reason: `${listing.label} has no address` });
    const user = record === undefined ? typed?.user : record.user;
    const port = record === undefined ? typed?.port : record.port;
    const config = await files.resolve(
      { alias: asked, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port }) },
      signal,
    );
    if (config.warning !== undefined) log.warn('config', config.warning);
    return { listing, record, config, asked, local, chosenAgent: this.#options.chosenAgent() };
  }

  dispose(): void {
    this.#bag.dispose();
  }

  /** A change of another window or of a file is told when it is read, however late its notice comes. */
  #tellOfDifference(records: readonly HostRecord[], hosts: readonly HostListing[]): void {
    const revisions = records.map(({ id, revision }) => [id, revision]);
    const seen = JSON.stringify([revisions, hosts]);
    const before = this.#seen;
    this.#seen = seen;
    if (before !== undefined && before !== seen) this.#changed.fire();
  }

  async #aliases(): Promise<ConfigListing> {
    const listing = await this.#options.config.list();
    for (const { path, line, message } of listing.notes) {
      const note = `${path}:${String(line)}: ${message}`;
      if (!this.#told.has(note)) this.#options.log.warn('config', note);
      this.#told.add(note);
    }
    return listing;
  }
}

/** What is kept for one user and port of a machine is for no other: a password above all. */
function isSameSignIn(known: HostListing, { user = known.user, port = known.port }: JumpElement): boolean {
  return user === known.user && port === known.port;
}

/** A name in a chain that neither the vault nor the configuration lists. */
function unlistedHost(name: string, local: Pick<LocalFacts, 'localUser'>): HostListing {
  return {
    id: aliasHostId(name),
    label: name,
    source: 'ssh_config',
    address: name,
    port: 22,
    user: local.localUser,
    group: undefined,
    tags: [],
    tier: undefined,
    alias: name,
  };
}

/** A linked record shows the live values of its alias where it sets none of its own. */
function toListing(
  record: HostRecord,
  live: HostListing | undefined,
  local: Pick<LocalFacts, 'localUser'>,
): HostListing {
  const legacy = legacyInForce(record.legacy, record.tier);
  return {
    id: record.id,
    label: record.label,
    source: 'vault',
    address: record.addresses[0] ?? live?.address ?? record.alias ?? '',
    port: record.port ?? live?.port ?? 22,
    user: record.user ?? live?.user ?? local.localUser,
    group: record.group,
    tags: record.tags,
    tier: record.tier,
    alias: record.alias,
    ...(legacy.length === 0 ? {} : { legacy }),
    ...(record.filesReadOnly === undefined ? {} : { filesReadOnly: record.filesReadOnly }),
  };
}
