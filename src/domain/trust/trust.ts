import type { CertReason } from './hostCertificate.ts';

/** A line of a known_hosts file or a row of the store, for people: `store` or `path:line`. */
export interface SourceLine {
  readonly source: string;
  readonly line: number | undefined;
  readonly keyType: string;
  /** `SHA256:…`. */
  readonly fingerprint: string;
}

/** Source: ssh.md 3.1. Anything but `accept` refuses unless a person answers an `ask`. */
export type TrustDecision =
  | {
      readonly k: 'accept';
      readonly by: 'store' | 'user-file' | 'global-file' | 'ca';
      readonly at: SourceLine;
    }
  | { readonly k: 'ask'; readonly why: 'unknown' | 'other-type-known'; readonly known: readonly SourceLine[] }
  | { readonly k: 'changed'; readonly known: readonly SourceLine[] }
  /** What is revoked: the key, or of a certificate the key inside it or its authority. */
  | { readonly k: 'revoked'; readonly what: 'key' | 'authority'; readonly at: SourceLine }
  | { readonly k: 'cert-refused'; readonly reason: CertReason };

/** What the unknown-key dialog shows. */
export interface HostKeyQuestion {
  readonly hop: string;
  readonly label: string;
  readonly trustName: string;
  readonly port: number;
  readonly keyType: string;
  readonly fingerprint: string;
  readonly why: 'unknown' | 'other-type-known';
  readonly searched: readonly string[];
  readonly known: readonly SourceLine[];
  /** As OpenSSH draws it, for a font with a fixed width. */
  readonly randomArt: string;
  /** Other names that the same key is kept for; a hashed one by its line. */
  readonly sharedWith: readonly string[];
}
export type HostKeyAnswer = 'cancel' | 'once' | 'remember';
