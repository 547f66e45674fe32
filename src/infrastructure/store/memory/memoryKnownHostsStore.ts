import type { KnownHostRow, KnownHostsStorePort } from '../../../application/ports/knownHosts.ts';

type Key = Pick<KnownHostRow, 'name' | 'port' | 'keyBase64'>;

const keyOf = (row: Key): string => JSON.stringify([row.name, row.port, row.keyBase64]);

/** Accepted host keys until the window closes; no file is written. */
export class MemoryKnownHostsStore implements KnownHostsStorePort {
  readonly #changed: () => void;
  readonly #rows = new Map<string, KnownHostRow>();

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  async rows(): Promise<readonly KnownHostRow[]> {
    return [...this.#rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }

  async add(row: KnownHostRow): Promise<void> {
    if (!this.#rows.has(keyOf(row))) this.#rows.set(keyOf(row), { ...row });
    this.#changed();
  }

  async remove(row: Key): Promise<void> {
    this.#rows.delete(keyOf(row));
    this.#changed();
  }
}
