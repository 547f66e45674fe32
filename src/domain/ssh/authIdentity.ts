import { certificateSuffix } from './algorithms.ts';

/** A key or certificate that may prove who connects, as far as it is known before it is tried. */
export interface AuthIdentity {
  /** Unique within an attempt. */
  readonly id: string;
  readonly source: 'agent' | 'keyFile';
  /** Named by the configuration or the host record, rather than found by default. */
  readonly isConfigured: boolean;
  /** Using it needs a passphrase that has to be asked for. */
  readonly needsPrompt: boolean;
  /** `SHA256:…` of the public key, also of the one in a certificate: the same key in a file and in an agent is one key. */
  readonly fingerprint: string | undefined;
  /** `SHA256:…` of the whole certificate; undefined for a plain key. */
  readonly certificate: string | undefined;
  /** `ssh-ed25519`, `ssh-ed25519-cert-v01@openssh.com` and so on, where it is known. */
  readonly keyType: string | undefined;
  /** For people: the path, or the comment of the agent. */
  readonly label: string;
  /** What may make the server refuse it, for people. */
  readonly warning: string | undefined;
}

/** The steps of the sequence; 1 to 5 come before methods that ask the user, 7 after them. Source: ssh.md 2.1. */
export type AuthOrder = 1 | 2 | 3 | 4 | 5 | 7;

/** A certificate whose key needs a passphrase goes with that key; every other one goes first. */
export function orderOf(identity: AuthIdentity): AuthOrder {
  if (identity.certificate !== undefined && !identity.needsPrompt) return 1;
  if (identity.source === 'agent') return identity.isConfigured ? 1 : 3;
  if (identity.isConfigured) return identity.needsPrompt ? 5 : 2;
  return identity.needsPrompt ? 7 : 4;
}

/** Sorts into the sequence; inside a step the key that last succeeded goes first, then certificates, the configured ones leading. */
export function compareIdentities(lastSucceeded: string | undefined) {
  const rank = (identity: AuthIdentity): readonly number[] => [
    orderOf(identity),
    lastSucceeded !== undefined && identity.fingerprint === lastSucceeded ? 0 : 1,
    ...(orderOf(identity) === 1
      ? [identity.certificate === undefined ? 1 : 0, identity.isConfigured ? 0 : 1]
      : [0, 0]),
  ];
  return (a: AuthIdentity, b: AuthIdentity): number => {
    const [left, right] = [rank(a), rank(b)];
    return left.map((value, at) => value - (right[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  };
}

export interface SignatureRules {
  /** Signature algorithms that the server has named; undefined when it is silent about them. */
  readonly serverTakes: readonly string[] | undefined;
  /** With which algorithms a key may sign in, those of certificates included; SHA-1 is among them with the legacy switch only. */
  readonly accepted: readonly string[];
}

/**
 * The algorithms to try with a key, best first. RSA signs with SHA-2: both when the server did not say which it takes, else the better
 * one that it takes, and none when it takes neither; SHA-1 comes last, where it is accepted at all. A server names plain algorithms for
 * certificates too. Source: TRAP-8; RFC 8332 section 3.3; PROTOCOL.certkeys.
 */
export function signatureAlgorithms(
  keyType: string,
  { serverTakes, accepted }: SignatureRules,
): readonly string[] {
  const suffix = ['', certificateSuffix].find((one) => keyType === `ssh-rsa${one}`);
  if (suffix === undefined) return accepted.includes(keyType) ? [keyType] : [];
  const isTaken = (name: string): boolean =>
    accepted.includes(`${name}${suffix}`) &&
    (serverTakes === undefined || serverTakes.includes(name) || serverTakes.includes(`${name}${suffix}`));
  const strong = ['rsa-sha2-512', 'rsa-sha2-256'].filter(isTaken);
  return [...(serverTakes === undefined ? strong : strong.slice(0, 1)), ...['ssh-rsa'].filter(isTaken)].map(
    (name) => `${name}${suffix}`,
  );
}

/** What a signature is named inside a request for `algorithm`: certificates are signed with their plain key. */
export function plainAlgorithm(algorithm: string): string {
  if (!algorithm.endsWith(certificateSuffix)) return algorithm;
  const plain = algorithm.slice(0, -certificateSuffix.length);
  return plain.startsWith('sk-') ? `${plain}@openssh.com` : plain;
}
