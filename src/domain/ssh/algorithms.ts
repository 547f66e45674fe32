import type { AlgorithmLists } from './trace.ts';

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

/** The lists that both sides of a key exchange offer. */
export type AlgorithmKind = keyof AlgorithmLists;

export const algorithmKinds: readonly AlgorithmKind[] = ['kex', 'hostKey', 'cipher', 'mac', 'compression'];

/** The option that decides about a kind, as `ssh_config(5)` spells it. */
export const optionOf: Readonly<Record<AlgorithmKind, string>> = {
  kex: 'KexAlgorithms',
  hostKey: 'HostKeyAlgorithms',
  cipher: 'Ciphers',
  mac: 'MACs',
  compression: 'Compression',
};

type Rows = readonly (readonly [name: string, isUsable: (facts: CryptoFacts) => boolean])[];

const curve = (name: string) => (facts: CryptoFacts) => facts.curves.includes(name);
const group = (name: string) => (facts: CryptoFacts) => facts.hasGroup(name);
const cipher = (name: string) => (facts: CryptoFacts) => facts.ciphers.includes(name);
const hash = (name: string) => (facts: CryptoFacts) => facts.hashes.includes(name);
const x25519 = (facts: CryptoFacts): boolean => facts.hasX25519;
const always = (): boolean => true;

const plainHostKeys: Rows = [
  ['ssh-ed25519', (facts) => facts.hasEd25519],
  ['ecdsa-sha2-nistp256', curve('prime256v1')],
  ['ecdsa-sha2-nistp384', curve('secp384r1')],
  ['ecdsa-sha2-nistp521', curve('secp521r1')],
  ['rsa-sha2-512', hash('sha512')],
  ['rsa-sha2-256', hash('sha256')],
];

/** What the name of a host key algorithm ends with when the key comes in a certificate. Source: OpenSSH PROTOCOL.certkeys. */
export const certificateSuffix = '-cert-v01@openssh.com';

/** Offered unless something else was chosen, in this order. Source: ssh.md 5.1. */
const usual: Readonly<Record<AlgorithmKind, Rows>> = {
  kex: [
    ['mlkem768x25519-sha256', x25519],
    ['curve25519-sha256', x25519],
    ['curve25519-sha256@libssh.org', x25519],
    ['ecdh-sha2-nistp256', curve('prime256v1')],
    ['ecdh-sha2-nistp384', curve('secp384r1')],
    ['ecdh-sha2-nistp521', curve('secp521r1')],
    ['diffie-hellman-group-exchange-sha256', always],
    ['diffie-hellman-group14-sha256', group('modp14')],
    ['diffie-hellman-group16-sha512', group('modp16')],
    ['diffie-hellman-group18-sha512', group('modp18')],
  ],
  hostKey: [
    ...plainHostKeys,
    ...plainHostKeys.map(([name, isUsable]) => [`${name}${certificateSuffix}`, isUsable] as const),
  ],
  cipher: [
    ['aes128-gcm@openssh.com', cipher('aes-128-gcm')],
    ['aes256-gcm@openssh.com', cipher('aes-256-gcm')],
    ['chacha20-poly1305@openssh.com', cipher('chacha20')],
    ['aes128-ctr', cipher('aes-128-ctr')],
    ['aes192-ctr', cipher('aes-192-ctr')],
    ['aes256-ctr', cipher('aes-256-ctr')],
  ],
  mac: [
    ['hmac-sha2-256-etm@openssh.com', hash('sha256')],
    ['hmac-sha2-512-etm@openssh.com', hash('sha512')],
    ['hmac-sha1-etm@openssh.com', hash('sha1')],
    ['hmac-sha2-256', hash('sha256')],
    ['hmac-sha2-512', hash('sha512')],
    ['hmac-sha1', hash('sha1')],
  ],
  compression: [['none', always]],
};

/** What else we can do and offer only when it is asked for by name; the weak ones are those of the legacy switch. */
const further: Readonly<Record<AlgorithmKind, Rows>> = {
  kex: [
    ['diffie-hellman-group15-sha512', group('modp15')],
    ['diffie-hellman-group17-sha512', group('modp17')],
    ['diffie-hellman-group14-sha1', group('modp14')],
    ['diffie-hellman-group-exchange-sha1', always],
    ['diffie-hellman-group1-sha1', group('modp2')],
  ],
  hostKey: [
    ['ssh-rsa', hash('sha1')],
    ['ssh-dss', hash('sha1')],
  ],
  cipher: [
    ['aes256-cbc', cipher('aes-256-cbc')],
    ['aes192-cbc', cipher('aes-192-cbc')],
    ['aes128-cbc', cipher('aes-128-cbc')],
    ['3des-cbc', cipher('des-ede3-cbc')],
  ],
  mac: [
    ['hmac-sha1-96', hash('sha1')],
    ['hmac-md5', hash('md5')],
    ['hmac-md5-96', hash('md5')],
    ['hmac-ripemd160', hash('ripemd160')],
  ],
  compression: [['zlib@openssh.com', always]],
};

/** The list that is offered unless something else was chosen. */
export function usualAlgorithms(kind: AlgorithmKind): readonly string[] {
  return usual[kind].map(([name]) => name);
}

/** Every name that we can do somewhere, strongest first. */
export function knownAlgorithms(kind: AlgorithmKind): readonly string[] {
  return [...usual[kind], ...further[kind]].map(([name]) => name);
}

/** `names` without those that this run time cannot compute: nothing is offered that would fail later. Source: ssh.md 5.1; vscode.md 16. */
export function usableAlgorithms(
  kind: AlgorithmKind,
  names: readonly string[],
  facts: CryptoFacts,
): readonly string[] {
  const usable = new Map([...usual[kind], ...further[kind]]);
  return names.filter((name) => usable.get(name)?.(facts) === true);
}

/** Signature algorithms of a person's key, in OpenSSH's order; security keys sign through an agent. Source: ssh.md 2.5; TRAP-8. */
export const usualSignatures: readonly string[] = [
  ...['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'].map(certified),
  certified('sk-ssh-ed25519@openssh.com'),
  certified('sk-ecdsa-sha2-nistp256@openssh.com'),
  ...['rsa-sha2-512', 'rsa-sha2-256'].map(certified),
  ...['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ...['sk-ssh-ed25519@openssh.com', 'sk-ecdsa-sha2-nistp256@openssh.com', 'rsa-sha2-512', 'rsa-sha2-256'],
];

/** As above, with what is only accepted when it is asked for. */
export const knownSignatures: readonly string[] = [...usualSignatures, certified('ssh-rsa'), 'ssh-rsa'];

/** Signature algorithms of an authority for host certificates. SHA-1 is not among them, asked for or not. Source: ssh.md 3.3. */
export const authoritySignatures: readonly string[] = usualSignatures.filter(
  (name) => !name.endsWith(certificateSuffix),
);

/** The name for a key in a certificate: the part behind the at sign gives way. */
function certified(name: string): string {
  return `${name.replace(/@openssh\.com$/, '')}${certificateSuffix}`;
}

/** Whether recorded traffic stays closed to a quantum computer. */
export function isPostQuantum(kex: string): boolean {
  return kex === 'mlkem768x25519-sha256';
}
