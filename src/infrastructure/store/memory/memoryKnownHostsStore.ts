import type {
  KnownHostKey,
  KnownHostRow,
  KnownHostsChange,
  KnownHostsStorePort,
  TrustAuditLine,
} from '../../../application/ports/knownHosts.ts';
import type { SeenCertificate } from '../../../domain/trust/seenCertificate.ts';

const keyOf = ({ name, port, keyBase64 }: KnownHostKey): string => JSON.stringify([name, port, keyBase64]);

/** Accepted host keys until the window closes; no file is written. */
export class MemoryKnownHostsStore implements KnownHostsStorePort {
  readonly #changed: () => void;
  readonly #rows = new Map<string, KnownHostRow>();
  readonly #certificates = new Map<string, SeenCertificate>();
  readonly #audit: TrustAuditLine[] = [];

  constructor(changed: () => void = () => {}) {
    this.#changed = changed;
  }

  async rows(): Promise<readonly KnownHostRow[]> {
    return [...this.#rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  add(row: KnownHostRow): Promise<void> {
    return this.change({ remove: [], add: [row], audit: [] });
  }

  async change({ remove, add, audit }: KnownHostsChange): Promise<void> {
    for (const key of remove) this.#rows.delete(keyOf(key));
    for (const row of add) if (!this.#rows.has(keyOf(row))) this.#rows.set(keyOf(row), { ...row });
    this.#audit.unshift(...audit.toReversed());
    this.#changed();
  }

  async noteUse(key: KnownHostKey, at: number): Promise<void> {
    const row = this.#rows.get(keyOf(key));
    if (row !== undefined) this.#rows.set(keyOf(key), { ...row, lastUsedAt: at });
  }

  async noteCertificate(certificate: SeenCertificate): Promise<void> {
    this.#certificates.set(JSON.stringify([certificate.name, certificate.port]), certificate);
  }

  async certificates(): Promise<readonly SeenCertificate[]> {
    return [...this.#certificates.values()];
  }

  async audit(): Promise<readonly TrustAuditLine[]> {
    return [...this.#audit];
  }
}
