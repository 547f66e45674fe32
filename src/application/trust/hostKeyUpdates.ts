import type { ClockPort } from '../../agentkit/index.ts';
import type { Target } from '../../domain/ssh/target.ts';
import { fingerprintOf, type PresentedKey } from '../../domain/trust/hostKey.ts';
import { planRotation, type Rotation } from '../../domain/trust/planRotation.ts';
import { storeSource } from '../../domain/trust/storeSource.ts';
import { storedPlaceOf, trustNameOf } from '../../domain/trust/trustRecord.ts';
import type { KnownHostKey, KnownHostsFilesPort, KnownHostsStorePort } from '../ports/knownHosts.ts';
import type { ConnectionPromptPort, LogPort } from '../ports/prompts.ts';

export interface HostKeyUpdatesOptions {
  readonly store: KnownHostsStorePort;
  readonly files: KnownHostsFilesPort;
  readonly prompts: Pick<ConnectionPromptPort, 'confirm'>;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/** The keys of a server, on a connection that it was accepted on with `current`. */
export interface Announcement {
  readonly target: Target;
  readonly hop: string;
  readonly current: PresentedKey;
  /** The server has proved on this connection that it possesses each of them. */
  readonly announced: readonly PresentedKey[];
  /** Those that it announced besides and did not prove: neither learned nor missing. */
  readonly unproven: readonly PresentedKey[];
  /** False when nobody is there to be asked; what needs a question then waits for another connection. */
  readonly mayAsk: boolean;
}

/**
 * Learns the further keys of known hosts, so that a server can change its key without a question. Never rejects: a connection does not
 * depend on it. Source: ssh.md 3.5.
 */
export class HostKeyUpdates {
  readonly #options: HostKeyUpdatesOptions;
  /** What the person wanted to keep in this window. */
  readonly #kept = new Set<string>();

  constructor(options: HostKeyUpdatesOptions) {
    this.#options = options;
  }

  /** Ends when everything is stored and answered; `signal` closes questions. */
  async learn(announcement: Announcement, signal: AbortSignal): Promise<void> {
    if (announcement.target.updateHostKeys === 'no') return;
    try {
      const rotation = await this.#plan(announcement);
      if (rotation === undefined) return;
      await this.#add(announcement, rotation.add, signal);
      await this.#remove(announcement, rotation.remove, signal);
    } catch (error) {
      this.#options.log.error('trust', 'the keys that a server has announced could not be kept', error);
    }
  }

  async #plan({ target, current, announced, unproven }: Announcement): Promise<Rotation | undefined> {
    const { store, files } = this.#options;
    const [rows, sources] = await Promise.all([
      store.rows(),
      files.read({
        user: target.userKnownHostsFiles,
        global: target.globalKnownHostsFiles,
        revoked: target.revokedHostKeys,
      }),
    ]);
    const known = { trust: trustNameOf(target), sources: [storeSource(rows), ...sources] };
    return planRotation({ current, announced, unproven }, known);
  }

  async #add(
    { target, hop, mayAsk }: Announcement,
    keys: Rotation['add'],
    signal: AbortSignal,
  ): Promise<void> {
    if (keys.length === 0) return;
    const { store, prompts, clock } = this.#options;
    if (target.updateHostKeys === 'ask') {
      const question = { k: 'addHostKeys', hop, keys: keys.map(nameOf) } as const;
      if (!mayAsk || !(await prompts.confirm(question, signal))) return;
    }
    const place = storedPlaceOf(trustNameOf(target));
    const addedAt = clock.now();
    await store.change({
      remove: [],
      add: keys.map(({ keyType, blob }) => ({
        ...place,
        keyType,
        keyBase64: base64Of(blob),
        origin: 'rotation',
        addedAt,
      })),
      audit: [],
    });
  }

  async #remove(
    { target, hop, current, mayAsk }: Announcement,
    blobs: Rotation['remove'],
    signal: AbortSignal,
  ): Promise<void> {
    const { store, prompts, clock } = this.#options;
    const place = storedPlaceOf(trustNameOf(target));
    const rows = (await store.rows()).filter(
      (row) =>
        row.name.toLowerCase() === place.name &&
        row.port === place.port &&
        blobs.some((blob) => base64Of(blob) === row.keyBase64) &&
        !this.#kept.has(idOf(row)),
    );
    if (rows.length === 0 || !mayAsk) return;
    const keys = rows.map(({ keyType, keyBase64 }) =>
      nameOf({ keyType, blob: Buffer.from(keyBase64, 'base64') }),
    );
    const isAgreed = await prompts.confirm({ k: 'removeHostKeys', hop, keys }, signal);
    if (signal.aborted) return;
    if (!isAgreed) return rows.forEach((row) => this.#kept.add(idOf(row)));
    const at = clock.now();
    const newKey = nameOf(current);
    await store.change({
      remove: rows,
      add: [],
      audit: keys.map((oldKey) => ({ at, ...place, oldKey, newKey, actor: 'server' as const })),
    });
  }
}

function idOf({ name, port, keyBase64 }: KnownHostKey): string {
  return JSON.stringify([name, port, keyBase64]);
}

function nameOf({ keyType, blob }: PresentedKey): string {
  return `${keyType} ${fingerprintOf(blob)}`;
}

function base64Of(blob: Uint8Array): string {
  return Buffer.from(blob).toString('base64');
}
