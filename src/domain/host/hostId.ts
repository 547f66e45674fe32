import { hash, randomUUID } from 'node:crypto';

declare const hostIdBrand: unique symbol;
/** A machine in the vault, or an alias of an OpenSSH config. Lower-case UUID. */
export type HostId = string & { readonly [hostIdBrand]: true };

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id, or undefined when the text is no lower-case UUID. */
export function parseHostId(text: string): HostId | undefined {
  return uuidPattern.test(text) ? (text as HostId) : undefined;
}

export function newHostId(): HostId {
  return randomUUID() as HostId;
}

/** Namespace of alias ids; never changed, because stored rows name ids made with it. */
const aliasNamespace = Buffer.from('6f1d0f5e8f0b5c0a9a573b8d6f2f7a11', 'hex');

/**
 * The id of a host that exists only as an alias of an OpenSSH config: UUIDv5 of the alias.
 * Source: decisions 1; RFC 9562 section 5.5.
 */
export function aliasHostId(alias: string): HostId {
  const bytes = hash('sha1', Buffer.concat([aliasNamespace, Buffer.from(alias)]), 'buffer').subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  ) as HostId;
}
