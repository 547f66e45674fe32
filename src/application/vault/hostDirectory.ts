import { DisposableBag, Emitter, type Disposable, type Event } from '../../agentkit/index.ts';
import { localFault } from '../../domain/fault.ts';
import type { HostListing, HostRecord } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { buildTarget, type LocalFacts } from '../../domain/ssh/buildTarget.ts';
import type { Target } from '../../domain/ssh/target.ts';
import type { HostDirectory, HostStorePort, OpenSshConfigPort } from '../ports/hosts.ts';
import type { LogPort } from '../ports/prompts.ts';
import type { StoreStatePort } from '../ports/store.ts';

export interface VaultHostDirectoryOptions {
  readonly store: Pick<HostStorePort, 'list' | 'get'>;
  readonly config: OpenSshConfigPort;
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
  /** The vault's hosts as they were read last. */
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
    const live = aliases.status === 'fulfilled' ? aliases.value : [];
    const byAlias = new Map(live.map((listing) => [listing.alias, listing]));
    const stored = records.status === 'fulfilled' ? records.value : [];
    this.#tellOfDifference(stored);
    const vault = stored.map((record) => toListing(record, byAlias.get(record.alias), this.#options.local));
    const linked = new Set(vault.flatMap(({ id, alias }) => [id, alias]));
    const unlinked = live.filter(({ id, alias }) => !linked.has(id) && !linked.has(alias));
    return [...vault, ...unlinked].sort((a, b) => a.label.localeCompare(b.label));
  }

  async get(id: HostId): Promise<HostListing | undefined> {
    return (await this.list()).find((listing) => listing.id === id);
  }

  async target(id: HostId, signal: AbortSignal): Promise<Target> {
    const record = await this.#options.store.get(id);
    const listing = await this.get(id);
    if (listing === undefined) throw localFault('unknown-host');
    const asked = record === undefined ? listing.alias : (record.alias ?? record.addresses[0]);
    if (asked === undefined) throw localFault('config-error', { reason: `${listing.label} has no address` });
    const config = await this.#options.config.resolve(
      {
        alias: asked,
        ...(record?.user === undefined ? {} : { user: record.user }),
        ...(record?.port === undefined ? {} : { port: record.port }),
      },
      signal,
    );
    if (config.warning !== undefined) this.#options.log.warn('config', config.warning);
    return buildTarget({
      listing,
      record,
      config,
      asked,
      local: this.#options.local,
      chosenAgent: this.#options.chosenAgent(),
    });
  }

  dispose(): void {
    this.#bag.dispose();
  }

  /** A change of another window is told when it is read, however late its notice comes. */
  #tellOfDifference(records: readonly HostRecord[]): void {
    const seen = JSON.stringify(records.map(({ id, revision }) => [id, revision]));
    const before = this.#seen;
    this.#seen = seen;
    if (before !== undefined && before !== seen) this.#changed.fire();
  }

  async #aliases(): Promise<readonly HostListing[]> {
    const { hosts, notes } = await this.#options.config.list();
    for (const { path, line, message } of notes) {
      const note = `${path}:${String(line)}: ${message}`;
      if (!this.#told.has(note)) this.#options.log.warn('config', note);
      this.#told.add(note);
    }
    return hosts;
  }
}

/** A linked record shows the live values of its alias where it sets none of its own. */
function toListing(
  record: HostRecord,
  live: HostListing | undefined,
  local: Pick<LocalFacts, 'localUser'>,
): HostListing {
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
  };
}
