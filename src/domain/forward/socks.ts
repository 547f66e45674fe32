/** Why a client was not served, in the words that both versions of SOCKS have a number for. */
export type SocksRefusal =
  | 'notSocks'
  | 'noMethod'
  | 'command'
  | 'addressType'
  | 'notAllowed'
  | 'unreachable'
  | 'connectFailed'
  | 'failed';

export type SocksVersion = 4 | 5;

/** What the bytes that have come so far ask for. `used` = how many of them it took. */
export type SocksStep =
  | { readonly k: 'more' }
  /** Answered with `reply`; the request follows. */
  | { readonly k: 'greeted'; readonly reply: Uint8Array; readonly used: number }
  | {
      readonly k: 'connect';
      readonly version: SocksVersion;
      readonly host: string;
      readonly port: number;
      readonly used: number;
    }
  /** Answered with `reply`, when there is one, and closed. */
  | { readonly k: 'refused'; readonly why: SocksRefusal; readonly reply: Uint8Array | undefined };

/** No greeting or request is longer, so nobody keeps more. Source: RFC 1928 sections 3 and 4; SOCKS 4A. */
export const longestSocksMessage = 8 + 256 + 256;

/** At most this many bytes of a user id or a name in SOCKS4, which are not counted by the client. */
const longestText = 255;

/**
 * Reads one message of a SOCKS client: 4, 4A or 5, CONNECT only, without a sign-in. `hasGreeted` = a greeting of version 5 was answered.
 * Names are given as they came, to be resolved at the other end. Source: RFC 1928; SOCKS 4 and 4A; ssh.md 6.
 */
export function readSocks(bytes: Uint8Array, hasGreeted: boolean): SocksStep {
  const [version] = bytes;
  if (version === undefined) return { k: 'more' };
  if (version === 5) return hasGreeted ? readRequest5(bytes) : readGreeting(bytes);
  if (version === 4 && !hasGreeted) return readRequest4(bytes);
  return { k: 'refused', why: 'notSocks', reply: undefined };
}

/** What a client is told that it got through. */
export function socksGranted(version: SocksVersion): Uint8Array {
  return version === 5 ? reply5(0) : reply4(0x5a);
}

/** What a client is told that it did not. */
export function socksRefused(version: SocksVersion, why: SocksRefusal): Uint8Array {
  return version === 5 ? reply5(code5[why]) : reply4(0x5b);
}

/** Source: RFC 1928 section 6. */
const code5: Readonly<Record<SocksRefusal, number>> = {
  notSocks: 1,
  noMethod: 1,
  failed: 1,
  notAllowed: 2,
  unreachable: 3,
  connectFailed: 5,
  command: 7,
  addressType: 8,
};

function readGreeting(bytes: Uint8Array): SocksStep {
  const count = bytes[1];
  if (count === undefined || bytes.length < 2 + count) return { k: 'more' };
  if (!bytes.subarray(2, 2 + count).includes(0))
    return { k: 'refused', why: 'noMethod', reply: Uint8Array.of(5, 0xff) };
  return { k: 'greeted', reply: Uint8Array.of(5, 0), used: 2 + count };
}

function readRequest5(bytes: Uint8Array): SocksStep {
  const [, command, , type, length] = bytes;
  if (command === undefined || type === undefined) return { k: 'more' };
  const refuse = (why: SocksRefusal): SocksStep => ({ k: 'refused', why, reply: socksRefused(5, why) });
  if (command !== 1) return refuse('command');
  const size = type === 1 ? 4 : type === 4 ? 16 : type === 3 ? length : 0;
  if (size === 0) return refuse('addressType');
  const start = type === 3 ? 5 : 4;
  if (size === undefined || bytes.length < start + size + 2) return { k: 'more' };
  const address = bytes.subarray(start, start + size);
  const host = type === 3 ? nameIn(address) : type === 1 ? address.join('.') : address6(address);
  const port = portAt(bytes, start + size);
  if (host === undefined || port === 0) return refuse('failed');
  return { k: 'connect', version: 5, host, port, used: start + size + 2 };
}

function readRequest4(bytes: Uint8Array): SocksStep {
  const refuse = (why: SocksRefusal): SocksStep => ({ k: 'refused', why, reply: socksRefused(4, why) });
  const command = bytes[1];
  if (command === undefined) return { k: 'more' };
  if (command !== 1) return refuse('command');
  if (bytes.length < 9) return { k: 'more' };
  const user = textAt(bytes, 8);
  if (user === undefined) return bytes.length > 8 + longestText ? refuse('failed') : { k: 'more' };
  const port = portAt(bytes, 2);
  const address = bytes.subarray(4, 8);
  // 0.0.0.x says that a name follows.
  if (address[0] !== 0 || address[1] !== 0 || address[2] !== 0 || address[3] === 0)
    return port === 0
      ? refuse('failed')
      : { k: 'connect', version: 4, host: address.join('.'), port, used: user.end };
  const name = textAt(bytes, user.end);
  if (name === undefined) return bytes.length > user.end + longestText ? refuse('failed') : { k: 'more' };
  const host = nameIn(name.text);
  if (host === undefined || port === 0) return refuse('failed');
  return { k: 'connect', version: 4, host, port, used: name.end };
}

/** The bytes up to the next zero, and where what follows begins. */
function textAt(
  bytes: Uint8Array,
  start: number,
): { readonly text: Uint8Array; readonly end: number } | undefined {
  const zero = bytes.indexOf(0, start);
  if (zero < 0 || zero - start > longestText) return undefined;
  return { text: bytes.subarray(start, zero), end: zero + 1 };
}

/** A name that can be asked for: printable ASCII without blanks. */
function nameIn(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.some((byte) => byte <= 0x20 || byte >= 0x7f)) return undefined;
  return String.fromCharCode(...bytes);
}

function portAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
}

function address6(bytes: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, index) => portAt(bytes, index * 2).toString(16));
  return groups.join(':');
}

function reply5(code: number): Uint8Array {
  return Uint8Array.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0);
}

function reply4(code: number): Uint8Array {
  return Uint8Array.of(0, code, 0, 0, 0, 0, 0, 0);
}
