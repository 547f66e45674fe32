import type { TrustSource } from '../../domain/trust/trustRecord.ts';

/** One accepted key in the app-managed store. Source: ssh.md 3.2 and 3.5; decisions 12. */
export interface KnownHostRow {
  /** Trust name without port. */
  readonly name: string;
  readonly port: number;
  readonly keyType: string;
  readonly keyBase64: string;
  /** `asked`, `accept-new`, `imported`, `rotation`. */
  readonly origin: string;
  readonly addedAt: number;
}

export interface KnownHostsStorePort {
  rows(): Promise<readonly KnownHostRow[]>;
  /** Adds the row and rewrites the known_hosts file for people under the same write transaction. */
  add(row: KnownHostRow): Promise<void>;
  remove(row: Pick<KnownHostRow, 'name' | 'port' | 'keyBase64'>): Promise<void>;
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
}
