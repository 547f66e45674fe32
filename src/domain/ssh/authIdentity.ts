/** A key that may prove who connects, as far as it is known before it is tried. */
export interface AuthIdentity {
  /** Unique within an attempt. */
  readonly id: string;
  readonly source: 'agent' | 'keyFile';
  /** Named by the configuration or the host record, rather than found by default. */
  readonly isConfigured: boolean;
  /** Using it needs a passphrase that has to be asked for. */
  readonly needsPrompt: boolean;
  /** `SHA256:…` of the public half where it is known: the same key in a file and in an agent is one key. */
  readonly fingerprint: string | undefined;
  /** `ssh-ed25519` and so on, where it is known. */
  readonly keyType: string | undefined;
  /** For people: the path, or the comment of the agent. */
  readonly label: string;
}

/** The steps of the sequence; 1 to 5 come before methods that ask the user, 7 after them. Source: ssh.md 2.1. */
export type AuthOrder = 1 | 2 | 3 | 4 | 5 | 7;

export function orderOf(identity: AuthIdentity): AuthOrder {
  if (identity.source === 'agent') return identity.isConfigured ? 1 : 3;
  if (identity.isConfigured) return identity.needsPrompt ? 5 : 2;
  return identity.needsPrompt ? 7 : 4;
}

/**
 * The signature algorithms to try with a key, best first. RSA signs with SHA-2 only: both when the server did not say which it takes,
 * else the better one that it takes, and none when it takes neither. Source: TRAP-8; RFC 8332 section 3.3.
 */
export function signatureAlgorithms(
  keyType: string,
  serverTakes: readonly string[] | undefined,
): readonly string[] {
  if (keyType !== 'ssh-rsa') return [keyType];
  const both = ['rsa-sha2-512', 'rsa-sha2-256'];
  return serverTakes === undefined ? both : both.filter((name) => serverTakes.includes(name)).slice(0, 1);
}
