import type { KnownHosts } from '../../domain/trust/parseKnownHosts.ts';
import type { PresentedKey } from '../../domain/trust/hostKey.ts';
import type { SeenCertificate } from '../../domain/trust/seenCertificate.ts';
import type { TrustSource } from '../../domain/trust/trustRecord.ts';

/** One accepted key in the app-managed store, or one certificate authority. Source: ssh.md 3.2, 3.3 and 3.5; decisions 12. */
export interface KnownHostRow {
  /** Trust name without port; of an authority its host patterns. */
  readonly name: string;
  /** `authorityPort` for an authority. */
  readonly port: number;
  readonly keyType: string;
  readonly keyBase64: string;
  /** `asked`, `accept-new`, `imported`, `replaced`, `rotation`; of an authority `trusted`. */
  readonly origin: string;
  /** Milliseconds UTC, as `lastUsedAt`. */
  readonly addedAt: number;
  /** When a server showed it last; absent when none has since it was added. */
  readonly lastUsedAt?: number;
  /** Absent for the key of a host. */
  readonly marker?: 'cert-authority';
}

/** What names one row. */
export type KnownHostKey = Pick<KnownHostRow, 'name' | 'port' | 'keyBase64'>;

/** What became of a key that was trusted. Source: ssh.md 3.5. */
export interface TrustAuditLine {
  readonly at: number;
  readonly name: string;
  readonly port: number;
  /** Key type and SHA-256 fingerprint, as `ssh-ed25519 SHA256:…`; of an authority after `@cert-authority`. */
  readonly oldKey: string;
  /** Absent when nothing took its place. */
  readonly newKey?: string;
  readonly actor: 'person' | 'server';
  readonly reason?: string;
}

/** Changes that belong together. */
export interface KnownHostsChange {
  readonly remove: readonly KnownHostKey[];
  readonly add: readonly KnownHostRow[];
  readonly audit: readonly TrustAuditLine[];
}

/** The app-managed keys. A change also rewrites the known_hosts file for people, under the same write transaction. */
export interface KnownHostsStorePort {
  rows(): Promise<readonly KnownHostRow[]>;
  /** All of it or nothing. A key that is there already stays as it was recorded. */
  change(change: KnownHostsChange): Promise<void>;
  add(row: KnownHostRow): Promise<void>;
  /** A server has shown the key. */
  noteUse(key: KnownHostKey, at: number): Promise<void>;
  /** Takes the place of what was noted for the trust name before. */
  noteCertificate(certificate: SeenCertificate): Promise<void>;
  /** The certificates by which hosts were accepted last. */
  certificates(): Promise<readonly SeenCertificate[]>;
  /** Newest first. */
  audit(): Promise<readonly TrustAuditLine[]>;
}

/** known_hosts files of the user and of the machine. Read only: no file of the user is ever rewritten. */
export interface KnownHostsFilesPort {
  /**
   * The records of each file in order; a missing file has none. A file that exists and cannot be read rejects with `config-error`,
   * because a revocation in it would be missed. Source: ssh.md 3.2.
   */
  read(files: {
    readonly user: readonly string[];
    readonly global: readonly string[];
    /** A list of revoked keys. A missing one rejects as well, and a binary one with `needs-system-ssh`. */
    readonly revoked: string | undefined;
  }): Promise<readonly TrustSource[]>;
  /** One file with its unusable lines, for people. A missing file has nothing; rejects as `read`. */
  list(path: string): Promise<KnownHosts>;
  /**
   * Appends a line with the key for the name, hashed when names of the file are. What stands in the file stays as it is, its mode too; a
   * missing file is made for its owner only, a missing folder is not. Rejects when the line could not be written as a whole.
   */
  append(path: string, key: { readonly name: string; readonly presented: PresentedKey }): Promise<void>;
}
