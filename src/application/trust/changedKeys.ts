import type { ChangedKey } from '../../domain/trust/changedKey.ts';
import { searchedName, type TrustName } from '../../domain/trust/trustRecord.ts';

/** The changed keys that were refused in this window, the last one of each trust name. Never stored. */
export class ChangedKeys {
  readonly #keys = new Map<string, ChangedKey>();

  note(key: ChangedKey): void {
    this.#keys.set(searchedName(key.trust), key);
  }

  /** A key was accepted under the name, or another one put in its place. */
  settle(trust: TrustName): void {
    this.#keys.delete(searchedName(trust));
  }

  of(trust: TrustName): ChangedKey | undefined {
    return this.#keys.get(searchedName(trust));
  }
}
