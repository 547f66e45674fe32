import type { Event } from '../../agentkit/index.ts';
import {
  configForwards,
  usualSocketRules,
  type ConfigForwards,
} from '../../domain/forward/configForwards.ts';
import {
  asForwardId,
  type ForwardBind,
  type ForwardPlace,
  type ForwardSpec,
} from '../../domain/forward/forward.ts';
import type { PermittedOpens } from '../../domain/forward/permittedOpens.ts';
import { forwardText } from '../../domain/forward/forwardText.ts';
import { localFault } from '../../domain/fault.ts';
import type { HostListing, HostRecord } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { HostDirectory, HostStorePort, ResolvedConfig } from '../ports/hosts.ts';
import type { LogPort } from '../ports/prompts.ts';
import { linkedRecord } from '../vault/linkedRecord.ts';
import type { KnownForward } from './knownForward.ts';

export interface ForwardDirectoryOptions {
  readonly hosts: Pick<HostDirectory, 'list' | 'get' | 'onDidChange'>;
  readonly store: Pick<HostStorePort, 'get' | 'list' | 'put'>;
  readonly config: {
    /** What the configuration says about a host; may ask about its programs. */
    resolve(id: HostId, signal: AbortSignal): Promise<Pick<ResolvedConfig, 'values' | 'origin'>>;
    /** Names with forwards, by our own reading only. */
    aliasesWithForwards(): Promise<ReadonlySet<string>>;
  };
  readonly log: LogPort;
}

/** Forwards of hosts: those that are stored, which can be changed, and those of the OpenSSH configuration, which cannot. */
export class ForwardDirectory {
  readonly #options: ForwardDirectoryOptions;

  constructor(options: ForwardDirectoryOptions) {
    this.#options = options;
  }

  /** Something that hosts or configurations say has changed. */
  get onDidChange(): Event<void> {
    return this.#options.hosts.onDidChange;
  }

  /** Hosts that have any. Nothing is run and nothing is resolved. */
  async hosts(): Promise<readonly HostListing[]> {
    const { hosts, store, config } = this.#options;
    const [listings, records, aliases] = await Promise.all([
      hosts.list(),
      store.list(),
      config.aliasesWithForwards(),
    ]);
    const stored = new Set(records.filter(({ forwards = [] }) => forwards.length > 0).map(({ id }) => id));
    return listings.filter((host) => stored.has(host.id) || isAmong(aliases, host));
  }

  /** Without a look at the configuration of hosts that none of its lines gives a forward. */
  async mayHave(id: HostId): Promise<boolean> {
    const record = await this.#options.store.get(id);
    if ((record?.forwards ?? []).length > 0) return true;
    const host = await this.#options.hosts.get(id);
    return host !== undefined && isAmong(await this.#options.config.aliasesWithForwards(), host);
  }

  /** All of one host. A configuration that cannot be read hides the stored ones as little as the other way round. */
  async of(id: HostId, signal: AbortSignal): Promise<readonly KnownForward[]> {
    const { hosts, store, log } = this.#options;
    const host = await hosts.get(id);
    if (host === undefined) throw localFault('unknown-host');
    const [record, read] = await Promise.all([
      store.get(id),
      this.#configured(host, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        log.warn(
          'forwards',
          `a configuration could not be read: ${error instanceof Error ? error.name : 'error'}`,
        );
        return 'unread' as const;
      }),
    ]);
    const config = read === 'unread' ? undefined : read;
    const sockets = config?.sockets ?? usualSocketRules;
    // A limit that cannot be read is not taken for none.
    const permittedOpens: PermittedOpens = config?.permittedOpens ?? (read === 'unread' ? [] : 'any');
    const stored = (record?.forwards ?? []).map((spec) => ({
      ...spec,
      host,
      sockets,
      ...(isRemoteSocks(spec) ? { permittedOpens } : {}),
      failsTheConnection: false,
    }));
    return [...stored, ...(config === undefined ? [] : ofConfig(host, config))];
  }

  /** Those that start at the first use of Termind in a window. Configurations of other hosts are not looked at. */
  async atFirstUse(signal: AbortSignal): Promise<readonly KnownForward[]> {
    const isWanted = ({ autoStart }: ForwardSpec): boolean => autoStart === 'firstUse';
    const records = (await this.#options.store.list()).filter(({ forwards = [] }) => forwards.some(isWanted));
    const found = await Promise.all(records.map(({ id }) => this.of(id, signal)));
    return found.flat().filter(isWanted);
  }

  /** Whether the host is there, and with it the forward, unless that is one of the configuration, which may be read wrongly for a moment. */
  async isThere({ id, host, configOrigin }: KnownForward): Promise<boolean> {
    if ((await this.#options.hosts.get(host.id)) === undefined) return false;
    if (configOrigin !== undefined) return true;
    const record = await this.#options.store.get(host.id);
    return (record?.forwards ?? []).some((spec) => spec.id === id);
  }

  /** Adds or replaces one. A host that lives in the configuration alone becomes a record that is linked to its alias. */
  async put(host: HostListing, spec: ForwardSpec): Promise<void> {
    const { store } = this.#options;
    const record = (await store.get(host.id)) ?? linkedRecord(host);
    const others = (record.forwards ?? []).filter(({ id }) => id !== spec.id);
    await store.put({ ...record, forwards: [...others, spec] });
  }

  async remove(host: HostId, forward: ForwardSpec['id']): Promise<void> {
    const { store } = this.#options;
    const record = await store.get(host);
    if (record === undefined) return;
    await store.put({ ...record, forwards: (record.forwards ?? []).filter(({ id }) => id !== forward) });
  }

  async #configured(host: HostListing, signal: AbortSignal): Promise<ConfigForwards | undefined> {
    const { config } = this.#options;
    const record = await this.#options.store.get(host.id);
    const isAsked = isAmong(await config.aliasesWithForwards(), host) || needsRules(record);
    return isAsked ? configForwards(await config.resolve(host.id, signal)) : undefined;
  }
}

function isAmong(aliases: ReadonlySet<string>, { alias, address }: HostListing): boolean {
  return aliases.has(alias ?? address);
}

/** The configuration says how sockets are made, and where clients of a remote SOCKS forward may go. */
function needsRules(record: HostRecord | undefined): boolean {
  return (record?.forwards ?? []).some((spec) => 'path' in spec.bind || isRemoteSocks(spec));
}

function isRemoteSocks({ kind, destination }: ForwardPlace): boolean {
  return kind === 'remote' && destination === undefined;
}

function ofConfig(host: HostListing, config: ConfigForwards): readonly KnownForward[] {
  return config.forwards.map(({ origin, ...written }) => {
    const place = config.isForEverybody ? forEverybody(written) : written;
    return {
      ...place,
      id: asForwardId(`config:${host.id}:${forwardText(place)}`),
      autoStart: 'withConnection',
      host,
      configOrigin: origin ?? '',
      sockets: config.sockets,
      failsTheConnection: config.failsTheConnection,
      ...(isRemoteSocks(place) ? { permittedOpens: config.permittedOpens } : {}),
    };
  });
}

/** `GatewayPorts` is about listeners on this machine. Source: ssh_config(5). */
function forEverybody(place: ForwardPlace): ForwardPlace {
  const { bind } = place;
  if (place.kind === 'remote' || 'path' in bind || bind.host !== undefined) return place;
  const open: ForwardBind = { host: '', port: bind.port };
  return { ...place, bind: open };
}
