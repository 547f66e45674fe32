import type { ClockPort } from '../../agentkit/index.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { hopsOf } from '../../domain/ssh/route.ts';
import { missingOfAct, type ChangedKey, type TypedAct } from '../../domain/trust/changedKey.ts';
import { fingerprintOf } from '../../domain/trust/hostKey.ts';
import { storedPlaceOf, trustNameOf } from '../../domain/trust/trustRecord.ts';
import type { HostDirectory } from '../ports/hosts.ts';
import type { KnownHostRow, KnownHostsStorePort, TrustAuditLine } from '../ports/knownHosts.ts';
import type { ChangedKeys } from './changedKeys.ts';

export interface HostTrustOptions {
  readonly store: KnownHostsStorePort;
  readonly changed: ChangedKeys;
  readonly directory: Pick<HostDirectory, 'target'>;
  readonly clock: ClockPort;
}

/** The keys that Termind itself keeps for one machine. */
export interface KeptKeys extends Pick<ChangedKey, 'label' | 'tier' | 'trust'> {
  readonly rows: readonly KnownHostRow[];
}

/** `not-current`: meanwhile the server has shown yet another key, or a key was accepted. Nothing was changed unless it is `done`. */
export type ActOutcome = 'done' | 'name' | 'reason' | 'not-current';

/**
 * What a person may do about the keys that are trusted for a host. Each is a typed act and leaves audit lines; no tool of the assistant
 * gets here. Rejects with the faults of the store and of resolving a host. Source: ssh.md 3.5; KH-10.
 */
export class HostTrust {
  readonly #options: HostTrustOptions;

  constructor(options: HostTrustOptions) {
    this.#options = options;
  }

  /** The changed key that was met on the way to the host last: its own or that of a jump host, the first one on the way. */
  async changedKey(host: HostId, signal: AbortSignal): Promise<ChangedKey | undefined> {
    const target = await this.#options.directory.target(host, signal);
    for (const hop of hopsOf(target)) {
      const changed = this.#options.changed.of(trustNameOf(hop));
      if (changed !== undefined) return changed;
    }
    return undefined;
  }

  /**
   * Keeps the key that was shown, in the place of every key that the store has for the name. Lines in files of the person stay as they
   * are and still count; an exact key in the store outweighs them.
   */
  async replace(changed: ChangedKey, act: TypedAct): Promise<ActOutcome> {
    const missing = missingOfAct(act, changed);
    if (missing !== undefined) return missing;
    const { store, changed: keys, clock } = this.#options;
    if (keys.of(changed.trust) !== changed) return 'not-current';
    const place = storedPlaceOf(changed.trust);
    const { keyType, blob } = changed.presented;
    const old = await this.#rowsAt(place);
    const oldKeys = new Set([
      ...changed.known.map((line) => `${line.keyType} ${line.fingerprint}`),
      ...old.map(nameOfKey),
    ]);
    const at = clock.now();
    const newKey = `${keyType} ${fingerprintOf(blob)}`;
    await store.change({
      remove: old,
      add: [
        {
          ...place,
          keyType,
          keyBase64: Buffer.from(blob).toString('base64'),
          origin: 'replaced',
          addedAt: at,
        },
      ],
      audit: [...oldKeys].map((oldKey) => ({ at, ...place, oldKey, newKey, ...personWith(act) })),
    });
    keys.settle(changed.trust);
    return 'done';
  }

  /** What the store keeps for the host itself, also under its name without port. */
  async keptKeys(host: HostId, signal: AbortSignal): Promise<KeptKeys> {
    const target = await this.#options.directory.target(host, signal);
    const trust = trustNameOf(target);
    const place = storedPlaceOf(trust);
    const rows = [
      ...(await this.#rowsAt(place)),
      ...(place.port === 22 ? [] : await this.#rowsAt({ ...place, port: 22 })),
    ];
    return { label: target.label, tier: target.tier, trust, rows };
  }

  /** Takes keys away, so that the next connection asks. */
  async forget(kept: KeptKeys, act: TypedAct): Promise<ActOutcome> {
    const missing = missingOfAct(act, kept);
    if (missing !== undefined) return missing;
    const at = this.#options.clock.now();
    await this.#options.store.change({
      remove: kept.rows,
      add: [],
      audit: kept.rows.map((row) => ({
        at,
        name: row.name,
        port: row.port,
        oldKey: nameOfKey(row),
        ...personWith(act),
      })),
    });
    this.#options.changed.settle(kept.trust);
    return 'done';
  }

  async #rowsAt(place: Pick<KnownHostRow, 'name' | 'port'>): Promise<readonly KnownHostRow[]> {
    return (await this.#options.store.rows()).filter(
      (row) => row.name.toLowerCase() === place.name && row.port === place.port,
    );
  }
}

function personWith({ reason }: TypedAct): Pick<TrustAuditLine, 'actor' | 'reason'> {
  return { actor: 'person', ...(reason.trim() === '' ? {} : { reason: reason.trim() }) };
}

function nameOfKey({ keyType, keyBase64 }: KnownHostRow): string {
  return `${keyType} ${fingerprintOf(Buffer.from(keyBase64, 'base64'))}`;
}
