import { isSameBlob, type PresentedKey } from './hostKey.ts';
import {
  isKeptFor,
  searchedName,
  type TrustName,
  type TrustRecord,
  type TrustSource,
} from './trustRecord.ts';

/** What an announcement of host keys would change in the store. */
export interface Rotation {
  /** Keys that nothing says anything about yet. */
  readonly add: readonly PresentedKey[];
  /** Blobs of the store's keys for the name that the server does not have any more. */
  readonly remove: readonly Uint8Array[];
}

/** The keys that a server has announced, by whether it proved to possess them. `current` is the one that it was accepted with. */
export interface AnnouncedByServer {
  readonly current: PresentedKey;
  readonly announced: readonly PresentedKey[];
  readonly unproven: readonly PresentedKey[];
}

/**
 * What follows from the keys that a server has announced and proved to possess. Nothing unless the current key is a plain one that a
 * user-level record (store or user file) has for exactly this name, and is announced itself. A key that is kept or revoked anywhere is
 * not added; only keys of the store, of types that can be announced, are ever removed, and none that was announced without a proof. Source: ssh.md 3.5; PROTOCOL, section 2.5.
 */
export function planRotation(
  { current, announced, unproven }: AnnouncedByServer,
  { trust, sources }: { readonly trust: TrustName; readonly sources: readonly TrustSource[] },
): Rotation | undefined {
  const name = searchedName(trust);
  const isAmong = ({ blob }: PresentedKey, keys: readonly { readonly blob: Uint8Array }[]): boolean =>
    keys.some((key) => isSameBlob(key.blob, blob));
  const own = sources
    .filter(({ kind }) => kind === 'store' || kind === 'user-file')
    .flatMap(({ records }) => records)
    .filter((record) => record.marker === 'key' && isSingleName(record) && isKeptFor(record, name));
  if (!isAmong(current, own) || !isAmong(current, announced)) return undefined;
  const all = sources.flatMap(({ records }) => records).filter((record) => isKeptFor(record, name));
  const stored = own.filter((record) => record.source === 'store' && learnedTypes.has(record.keyType));
  return {
    add: announced.filter((key) => learnedTypes.has(key.keyType) && !isAmong(key, all)),
    remove: stored.filter((record) => !isAmong(record, [...announced, ...unproven])).map(({ blob }) => blob),
  };
}

/** The types whose proofs the library can check; a key of another type may be announced without our seeing it. */
const learnedTypes: ReadonlySet<string> = new Set([
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
]);

/** A pattern stands for several machines: what one of them says does not hold for the others. */
function isSingleName({ names }: TrustRecord): boolean {
  return names.k !== 'list' || !/[*?!]/.test(names.patterns);
}
