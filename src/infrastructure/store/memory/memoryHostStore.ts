import type { HostStorePort } from '../../../application/ports/hosts.ts';
import { localFault } from '../../../domain/fault.ts';
import type { HostFacts, HostRecord } from '../../../domain/host/host.ts';
import type { HostId } from '../../../domain/host/hostId.ts';

const recentLimit = 50;

type Connect = Awaited<ReturnType<HostStorePort['recents']>>[number];

/** Hosts until the window closes. */
export class MemoryHostStore implements HostStorePort {
  readonly #changed: () => void;
  readonly #hosts = new Map<HostId, HostRecord>();
  readonly #facts = new Map<HostId, HostFacts>();
  #connects: readonly Connect[] = [];

  /** `changed` is called after every change. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  async list(): Promise<readonly HostRecord[]> {
    return [...this.#hosts.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async get(id: HostId): Promise<HostRecord | undefined> {
    return this.#hosts.get(id);
  }

  async put(record: HostRecord): Promise<HostRecord> {
    if ((this.#hosts.get(record.id)?.revision ?? 0) !== record.revision) throw localFault('stale-write');
    const stored = structuredClone({ ...record, revision: record.revision + 1 });
    this.#hosts.set(record.id, stored);
    this.#changed();
    return stored;
  }

  async remove(id: HostId): Promise<void> {
    this.#hosts.delete(id);
    this.#facts.delete(id);
    this.#connects = this.#connects.filter(({ hostId }) => hostId !== id);
    this.#changed();
  }

  async recordConnect(entry: Connect): Promise<void> {
    this.#connects = [{ ...entry }, ...this.#connects].slice(0, recentLimit);
    this.#changed();
  }

  async recents(): Promise<readonly Connect[]> {
    return this.#connects;
  }

  async facts(id: HostId): Promise<HostFacts> {
    return this.#facts.get(id) ?? {};
  }

  async learn(id: HostId, facts: HostFacts): Promise<void> {
    this.#facts.set(id, { ...this.#facts.get(id), ...facts });
    this.#changed();
  }
}
