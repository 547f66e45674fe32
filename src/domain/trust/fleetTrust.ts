import { isLiteralPattern } from '../config/hostPattern.ts';
import { asciiLower } from '../config/asciiCase.ts';
import { fingerprintOf } from './hostKey.ts';
import {
  fallbackName,
  isKeptFor,
  searchedName,
  type Marker,
  type TrustName,
  type TrustRecord,
} from './trustRecord.ts';

/** A listed host with the name that its key is searched under. */
export interface FleetHost {
  readonly label: string;
  readonly trust: TrustName;
}

/** Where a key is kept: a row of the app-managed store, or a line of a file. Times are milliseconds UTC. */
export type FleetPlace =
  | {
      readonly k: 'store';
      /** `asked`, `accept-new`, `replaced`, `rotation`, … */
      readonly origin: string;
      readonly addedAt: number;
      readonly lastUsedAt: number | undefined;
    }
  | { readonly k: 'file'; readonly path: string; readonly line: number };

/** A record with its place, as it comes in. */
export interface PlacedRecord {
  readonly record: TrustRecord;
  readonly place: FleetPlace;
}

/** A change of a key that was trusted. */
export interface FleetChange {
  readonly at: number;
  /** As `searchedName` gives it. */
  readonly name: string;
  /** Type and fingerprint, as `ssh-ed25519 SHA256:…`. */
  readonly oldKey: string;
  readonly newKey: string | undefined;
  readonly actor: 'person' | 'server';
  readonly reason: string | undefined;
}

/** A line of a file or a row of the store that is not used, and why. */
export interface FleetProblem {
  /** `store` or the path of a file. */
  readonly source: string;
  readonly line: number | undefined;
  readonly message: string;
}

export interface FleetSources {
  readonly records: readonly PlacedRecord[];
  readonly hosts: readonly FleetHost[];
  readonly problems: readonly FleetProblem[];
  readonly changes: readonly FleetChange[];
}

/** One key, as people look at it. */
export interface FleetKey {
  readonly marker: Marker;
  /** As they stand there; undefined when the line holds a hash of the name. */
  readonly names: readonly string[] | undefined;
  readonly keyType: string;
  /** `SHA256:…`. */
  readonly fingerprint: string;
  readonly place: FleetPlace;
  /** Those of the listed hosts that it is kept for; of a hashed name only when hashes were compared. */
  readonly hosts: readonly FleetHost[];
}

/** A key that more than one machine has. */
export interface SharedKey {
  readonly keyType: string;
  readonly fingerprint: string;
  /** Labels of listed hosts, otherwise the names of a line. */
  readonly machines: readonly string[];
}

/** What is known about the host keys of the whole vault. Source: ssh.md 3.5. */
export interface FleetTrust {
  readonly keys: readonly FleetKey[];
  readonly authorities: readonly FleetKey[];
  readonly shared: readonly SharedKey[];
  /** Changes of several names within a day, each group oldest first, newest group first. */
  readonly together: readonly (readonly FleetChange[])[];
  readonly problems: readonly FleetProblem[];
  /** Newest first. */
  readonly changes: readonly FleetChange[];
  /** False when there are too many hashed names to compare each with every host. */
  readonly areHashesCompared: boolean;
}

/** Hashes of one survey; some hundred milliseconds of a window that answers nothing else meanwhile. */
const mostHashes = 50_000;
const dayMs = 86_400_000;

/** Puts everything together that is kept about host keys. Pure; nothing is judged. */
export function fleetTrust({ records, hosts, problems, changes }: FleetSources): FleetTrust {
  const hashed = records.filter(({ record }) => record.names.k === 'hashed').length;
  const areHashesCompared = hashed * hosts.length * 2 <= mostHashes;
  const hostsOf = hostFinder(hosts, areHashesCompared);
  const all = records.map(({ record, place }): FleetKey => ({
    marker: record.marker,
    names: namesOf(record),
    keyType: record.keyType,
    fingerprint: fingerprintOf(record.blob),
    place,
    hosts: hostsOf(record),
  }));
  const sorted = [...changes].sort((a, b) => a.at - b.at);
  return {
    keys: all.filter(({ marker }) => marker !== 'cert-authority'),
    authorities: all.filter(({ marker }) => marker === 'cert-authority'),
    shared: sharedKeys(all.filter(({ marker }) => marker === 'key')),
    together: changedTogether(sorted),
    problems,
    changes: sorted.toReversed(),
    areHashesCompared,
  };
}

function namesOf({ names }: TrustRecord): readonly string[] | undefined {
  switch (names.k) {
    case 'list':
      return names.patterns.split(',').filter(Boolean);
    case 'exact':
      return [names.name];
    case 'hashed':
      return undefined;
    case 'any':
      return [];
  }
}

/** Finds the hosts a record is kept for, also under the name without port. Names that stand for themselves are looked up, not compared. */
function hostFinder(
  hosts: readonly FleetHost[],
  areHashesCompared: boolean,
): (record: TrustRecord) => readonly FleetHost[] {
  const byName = new Map<string, Set<FleetHost>>();
  for (const host of hosts)
    for (const name of [searchedName(host.trust), fallbackName(host.trust)])
      if (name !== undefined) {
        const known = byName.get(asciiLower(name)) ?? new Set();
        byName.set(asciiLower(name), known.add(host));
      }
  return (record) => {
    if (record.names.k === 'hashed' && !areHashesCompared) return [];
    const literal = record.names.k === 'hashed' ? undefined : namesOf(record);
    const names = literal?.every(isLiteralPattern)
      ? literal.map(asciiLower)
      : [...byName.keys()].filter((name) => isKeptFor(record, name));
    return [...new Set(names.flatMap((name) => [...(byName.get(name) ?? [])]))];
  };
}

/** Those of the hosts that a record is kept for, also under the name without port. */
export function hostsKeptFor(record: TrustRecord, hosts: readonly FleetHost[]): readonly FleetHost[] {
  return hosts.filter(({ trust }) =>
    [searchedName(trust), fallbackName(trust)].some((name) => name !== undefined && isKeptFor(record, name)),
  );
}

function sharedKeys(keys: readonly FleetKey[]): readonly SharedKey[] {
  const byFingerprint = new Map<string, FleetKey[]>();
  for (const key of keys) {
    const same = byFingerprint.get(key.fingerprint);
    if (same === undefined) byFingerprint.set(key.fingerprint, [key]);
    else same.push(key);
  }
  return [...byFingerprint].flatMap(([fingerprint, [first, ...more]]) => {
    if (first === undefined) return [];
    const machines = machinesOf([first, ...more]);
    return machines.length > 1 ? [{ keyType: first.keyType, fingerprint, machines }] : [];
  });
}

/** Hosts with one trust name are one machine, and so are lines that have a name in common. */
function machinesOf(keys: readonly FleetKey[]): readonly string[] {
  const machines = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const host of new Set(keys.flatMap(({ hosts }) => hosts))) {
    const name = asciiLower(host.trust.name);
    machines.set(name, [...(machines.get(name) ?? []), host.label]);
    seen.add(name).add(asciiLower(searchedName(host.trust)));
  }
  for (const { hosts, names } of [...keys].sort((a, b) => b.hosts.length - a.hosts.length)) {
    const own = (names ?? []).map(asciiLower);
    const [first] = own;
    if (hosts.length === 0 && first !== undefined && !own.some((name) => seen.has(name)))
      machines.set(first, [own.join(', ')]);
    for (const name of own) seen.add(name);
  }
  return [...machines.values()].map((labels) => labels.join(', '));
}

/** `changes` oldest first. A group ends a day after its first change. */
function changedTogether(changes: readonly FleetChange[]): readonly (readonly FleetChange[])[] {
  const groups: FleetChange[][] = [];
  for (const change of changes.filter(({ newKey }) => newKey !== undefined)) {
    const group = groups.at(-1);
    const start = group?.[0]?.at;
    if (group !== undefined && start !== undefined && change.at - start <= dayMs) group.push(change);
    else groups.push([change]);
  }
  return groups.filter((group) => new Set(group.map(({ name }) => name)).size > 1).toReversed();
}
