import type { ClockPort } from '../../agentkit/index.ts';
import type { HostListing, HostRecord } from '../../domain/host/host.ts';
import { authorityPort, authorityRecord, type AuthorityLine } from '../../domain/trust/authorityLine.ts';
import {
  fleetTrust,
  hostsKeptFor,
  type FleetHost,
  type FleetProblem,
  type FleetTrust,
  type PlacedRecord,
} from '../../domain/trust/fleetTrust.ts';
import { knownHostsLine } from '../../domain/trust/knownHostsLine.ts';
import { fleetCertificates, type FleetCertificate } from '../../domain/trust/seenCertificate.ts';
import { storeSource } from '../../domain/trust/storeSource.ts';
import { searchedName } from '../../domain/trust/trustRecord.ts';
import type { HostDirectory, HostKeyPlaces, HostStorePort, OpenSshConfigPort } from '../ports/hosts.ts';
import type {
  KnownHostRow,
  KnownHostsFilesPort,
  KnownHostsStorePort,
  TrustAuditLine,
} from '../ports/knownHosts.ts';
import type { LogPort } from '../ports/prompts.ts';

export interface FleetTrustReaderOptions {
  readonly hosts: Pick<HostDirectory, 'list'>;
  readonly hostStore: Pick<HostStorePort, 'list'>;
  readonly config: Pick<OpenSshConfigPort, 'hostKeyPlaces'>;
  readonly store: Pick<KnownHostsStorePort, 'rows' | 'audit' | 'certificates'>;
  readonly files: Pick<KnownHostsFilesPort, 'list'>;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/** What was read, and what could not be. */
export interface FleetReading {
  readonly trust: FleetTrust;
  readonly certificates: readonly FleetCertificate[];
  /** Files with at least one line, or that cannot be read; in the order in which they were read. */
  readonly files: readonly FleetFile[];
  /** Files beyond the most that are read. */
  readonly unreadFiles: number;
}

export interface FleetFile {
  readonly path: string;
  readonly keys: number;
  readonly isUnreadable: boolean;
}

/** Keys as text. `leftOut` counts rows of the store that the format cannot say exactly. */
export interface ExportedKeys {
  readonly text: string;
  readonly keys: number;
  readonly leftOut: number;
  /** The files that were looked for, whether or not there is one. */
  readonly sources: readonly string[];
}

interface ReadRecords {
  readonly records: readonly PlacedRecord[];
  readonly problems: readonly FleetProblem[];
  readonly files: readonly FleetFile[];
  readonly unreadFiles: number;
  readonly hosts: readonly FleetHost[];
  readonly paths: readonly string[];
}

/** A configuration with `%h` in a path may name one file for each host. */
const mostFiles = 200;

/**
 * Reads what is kept about the host keys of every listed host: the app-managed store and the known_hosts files that the configuration
 * names for them. Opens no connection and runs no program. Source: ssh.md 3.5; decisions 25.
 */
export class FleetTrustReader {
  readonly #options: FleetTrustReaderOptions;

  constructor(options: FleetTrustReaderOptions) {
    this.#options = options;
  }

  /** A file that cannot be read hides nothing else. Rejects with the faults of the store and of the configuration, and on abort. */
  async read(signal: AbortSignal): Promise<FleetReading> {
    const { records, problems, hosts, files, unreadFiles } = await this.#records(signal);
    const { store, clock } = this.#options;
    const changes = (await store.audit()).map(changeOf);
    const certificates = fleetCertificates(await store.certificates(), { hosts, now: clock.now() });
    signal.throwIfAborted();
    const trust = fleetTrust({ records, hosts, problems, changes });
    return { trust, certificates, files, unreadFiles };
  }

  /** Everything as one known_hosts file, each line once. Rejects as `read`. */
  async exportText(signal: AbortSignal): Promise<ExportedKeys> {
    const { records, paths } = await this.#records(signal);
    const lines = records.map(({ record }) => knownHostsLine(record));
    const said = new Set(lines.filter((line) => line !== undefined));
    return {
      text: [...said].map((line) => `${line}\n`).join(''),
      keys: said.size,
      leftOut: lines.filter((line) => line === undefined).length,
      sources: paths,
    };
  }

  /** The listed hosts that a line of an authority would cover. Rejects as `read`. */
  async coveredBy(line: AuthorityLine, signal: AbortSignal): Promise<readonly FleetHost[]> {
    const { hosts } = await this.#hosts(signal);
    return hostsKeptFor(authorityRecord(line), hosts);
  }

  async #hosts(
    signal: AbortSignal,
  ): Promise<{ readonly hosts: readonly FleetHost[]; readonly places: HostKeyPlaces }> {
    const { hosts, hostStore, config } = this.#options;
    const [listings, stored] = await Promise.all([hosts.list(), hostStore.list()]);
    const places = await config.hostKeyPlaces(listings.map(askedName));
    signal.throwIfAborted();
    const recordOf = new Map(stored.map((record) => [record.id, record]));
    return { hosts: listings.map((listing) => fleetHost(listing, recordOf.get(listing.id), places)), places };
  }

  async #records(signal: AbortSignal): Promise<ReadRecords> {
    const { hosts, places } = await this.#hosts(signal);
    const rows = readRows(await this.#options.store.rows());
    const paths = pathsOf(places);
    const files = await this.#files(paths.slice(0, mostFiles), signal);
    return {
      records: [...rows.records, ...files.records],
      problems: [...rows.problems, ...files.problems],
      files: files.files,
      paths,
      unreadFiles: Math.max(0, paths.length - mostFiles),
      hosts,
    };
  }

  async #files(
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Pick<ReadRecords, 'records' | 'problems' | 'files'>> {
    const records: PlacedRecord[] = [];
    const problems: FleetProblem[] = [];
    const files: FleetFile[] = [];
    for (const path of paths) {
      signal.throwIfAborted();
      try {
        const known = await this.#options.files.list(path);
        for (const record of known.records)
          records.push({ record, place: { k: 'file', path, line: record.line ?? 1 } });
        for (const problem of known.problems) problems.push(problem);
        if (known.records.length + known.problems.length > 0)
          files.push({ path, keys: known.records.length, isUnreadable: false });
      } catch (error) {
        this.#options.log.error('trust', 'a known_hosts file could not be shown', error);
        files.push({ path, keys: 0, isUnreadable: true });
      }
    }
    return { records, problems, files };
  }
}

/** The name that the configuration is asked about, as when connecting. */
function askedName({ alias, address }: HostListing): string {
  return alias ?? address;
}

/** Every file once: first those of the user, in the order of the hosts. */
function pathsOf({ usual, byName }: HostKeyPlaces): readonly string[] {
  const all = [usual, ...byName.values()];
  return [...new Set([...all.flatMap(({ user }) => user), ...all.flatMap(({ global }) => global)])];
}

function fleetHost(listing: HostListing, record: HostRecord | undefined, places: HostKeyPlaces): FleetHost {
  const found = places.byName.get(askedName(listing));
  const alias = found?.alias;
  return {
    label: listing.label,
    trust: {
      name: alias ?? (found?.hostName ?? listing.address).toLowerCase(),
      isAlias: alias !== undefined,
      port: record?.port ?? found?.port ?? listing.port,
    },
  };
}

/** A damaged row counts for nothing and is named. */
function readRows(rows: readonly KnownHostRow[]): Pick<ReadRecords, 'records' | 'problems'> {
  const records: PlacedRecord[] = [];
  const problems: FleetProblem[] = [];
  for (const row of rows) {
    const [record] = storeSource([row]).records;
    const { origin, addedAt, lastUsedAt } = row;
    if (record !== undefined) records.push({ record, place: { k: 'store', origin, addedAt, lastUsedAt } });
    else problems.push({ source: 'store', line: undefined, message: `the row of ${row.name} is damaged` });
  }
  return { records, problems };
}

function changeOf({
  at,
  name,
  port,
  oldKey,
  newKey,
  actor,
  reason,
}: TrustAuditLine): FleetTrust['changes'][0] {
  return {
    at,
    name: searchedName({ name, port, isAlias: port === authorityPort }),
    oldKey,
    newKey,
    actor,
    reason,
  };
}
