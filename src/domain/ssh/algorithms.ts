/** What the run time can compute, as `node:crypto` reports it. */
export interface CryptoFacts {
  readonly ciphers: readonly string[];
  readonly hashes: readonly string[];
  readonly curves: readonly string[];
  readonly hasEd25519: boolean;
  readonly hasX25519: boolean;
  /** Whether a named Diffie-Hellman group of RFC 3526 is usable. */
  readonly hasGroup: (name: string) => boolean;
}

/** Wire names in the order in which they are offered. */
export interface OfferedAlgorithms {
  readonly kex: readonly string[];
  readonly serverHostKey: readonly string[];
  readonly cipher: readonly string[];
  readonly hmac: readonly string[];
  readonly compress: readonly string[];
}

type Rows = readonly (readonly [name: string, isUsable: (facts: CryptoFacts) => boolean])[];

const curve = (name: string) => (facts: CryptoFacts) => facts.curves.includes(name);
const group = (name: string) => (facts: CryptoFacts) => facts.hasGroup(name);
const cipher = (name: string) => (facts: CryptoFacts) => facts.ciphers.includes(name);
const hash = (name: string) => (facts: CryptoFacts) => facts.hashes.includes(name);
const x25519 = (facts: CryptoFacts): boolean => facts.hasX25519;
const always = (): boolean => true;

const kex: Rows = [
  ['curve25519-sha256', x25519],
  ['curve25519-sha256@libssh.org', x25519],
  ['ecdh-sha2-nistp256', curve('prime256v1')],
  ['ecdh-sha2-nistp384', curve('secp384r1')],
  ['ecdh-sha2-nistp521', curve('secp521r1')],
  ['diffie-hellman-group-exchange-sha256', always],
  ['diffie-hellman-group14-sha256', group('modp14')],
  ['diffie-hellman-group16-sha512', group('modp16')],
  ['diffie-hellman-group18-sha512', group('modp18')],
];

const serverHostKey: Rows = [
  ['ssh-ed25519', (facts) => facts.hasEd25519],
  ['ecdsa-sha2-nistp256', curve('prime256v1')],
  ['ecdsa-sha2-nistp384', curve('secp384r1')],
  ['ecdsa-sha2-nistp521', curve('secp521r1')],
  ['rsa-sha2-512', hash('sha512')],
  ['rsa-sha2-256', hash('sha256')],
];

const ciphers: Rows = [
  ['aes128-gcm@openssh.com', cipher('aes-128-gcm')],
  ['aes256-gcm@openssh.com', cipher('aes-256-gcm')],
  ['chacha20-poly1305@openssh.com', cipher('chacha20')],
  ['aes128-ctr', cipher('aes-128-ctr')],
  ['aes192-ctr', cipher('aes-192-ctr')],
  ['aes256-ctr', cipher('aes-256-ctr')],
];

const hmac: Rows = [
  ['hmac-sha2-256-etm@openssh.com', hash('sha256')],
  ['hmac-sha2-512-etm@openssh.com', hash('sha512')],
  ['hmac-sha1-etm@openssh.com', hash('sha1')],
  ['hmac-sha2-256', hash('sha256')],
  ['hmac-sha2-512', hash('sha512')],
  ['hmac-sha1', hash('sha1')],
];

/**
 * The default lists without what this run time lacks: nothing is offered that would fail later. `orderHostKeys` puts known types first.
 * Source: ssh.md 5.1, 3.4; vscode.md 16.
 */
export function offeredAlgorithms(
  facts: CryptoFacts,
  orderHostKeys: (supported: readonly string[]) => readonly string[],
): OfferedAlgorithms {
  const usable = (rows: Rows): readonly string[] =>
    rows.filter(([, isUsable]) => isUsable(facts)).map(([name]) => name);
  return {
    kex: usable(kex),
    serverHostKey: orderHostKeys(usable(serverHostKey)),
    cipher: usable(ciphers),
    hmac: usable(hmac),
    compress: ['none'],
  };
}
