import { createHmac } from 'node:crypto';
import { matchesHostList } from '../config/hostPattern.ts';
import { fingerprintOf } from './hostKey.ts';
import type { SourceLine } from './trust.ts';

/** What a line or row says about its key. Marker lines are never records of a plain key, neither for it nor against it. */
export type Marker = 'key' | 'cert-authority' | 'revoked';

/** The names of a record: a pattern list of a file, a hashed name, or the one name of a row in the store. */
export type NameField =
  | { readonly k: 'list'; readonly patterns: string }
  | { readonly k: 'hashed'; readonly salt: Uint8Array; readonly digest: Uint8Array }
  | { readonly k: 'exact'; readonly name: string }
  /** A key of a list of revoked keys: whatever the name. */
  | { readonly k: 'any' };

/** One key with the names it is kept for. */
export interface TrustRecord {
  readonly marker: Marker;
  readonly names: NameField;
  readonly keyType: string;
  readonly blob: Uint8Array;
  /** `store` or the path of a file. */
  readonly source: string;
  readonly line: number | undefined;
}

/** Records that come from one place, in the order of the place. Source: ssh.md 3.2. */
export interface TrustSource {
  readonly kind: 'store' | 'user-file' | 'global-file' | 'revoked-list';
  readonly name: string;
  readonly records: readonly TrustRecord[];
}

/** The name a host key is searched under: an alias as written, else the lower-cased host name with its port. Source: ssh.md 3.2. */
export interface TrustName {
  readonly name: string;
  readonly isAlias: boolean;
  readonly port: number;
}

/** The trust name of a target. It does not depend on the way there. */
export function trustNameOf(target: {
  readonly trustName: string;
  readonly trustNameIsAlias: boolean;
  readonly port: number;
}): TrustName {
  return { name: target.trustName, isAlias: target.trustNameIsAlias, port: target.port };
}

/** Where the app-managed store keeps the keys of a name: lower-cased; an alias has no port of its own. */
export function storedPlaceOf(trust: TrustName): { readonly name: string; readonly port: number } {
  return { name: trust.name.toLowerCase(), port: trust.isAlias ? 22 : trust.port };
}

/** `name` for port 22 and for an alias, else `[name]:port`. */
export function searchedName(trust: TrustName): string {
  return trust.isAlias ? trust.name : knownHostsName(trust.name, trust.port);
}

/** As known_hosts spells it: `name` for port 22, else `[name]:port`. Source: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT. */
export function knownHostsName(name: string, port: number): string {
  return port === 22 ? name : `[${name}]:${String(port)}`;
}

/** The name without its port, which is searched when the name with port is not known. */
export function fallbackName(trust: TrustName): string | undefined {
  return trust.isAlias || trust.port === 22 ? undefined : trust.name;
}

/** Whether a record is kept for a name as `searchedName` gives it; an alias is lower-cased, too. Source: OpenSSH `match_maybe_hashed`. */
export function isKeptFor(record: TrustRecord, name: string): boolean {
  switch (record.names.k) {
    case 'list':
      return matchesHostList(name, record.names.patterns);
    case 'hashed': {
      const digest = createHmac('sha1', record.names.salt).update(name.toLowerCase()).digest();
      return digest.equals(record.names.digest);
    }
    case 'exact':
      return record.names.name === name.toLowerCase();
    case 'any':
      return true;
  }
}

export function sourceLineOf(record: TrustRecord): SourceLine {
  return {
    source: record.source,
    line: record.line,
    keyType: record.keyType,
    fingerprint: fingerprintOf(record.blob),
  };
}
