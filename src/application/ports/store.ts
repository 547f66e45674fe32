import type { Disposable, Event } from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';

/** Parts of the store that are watched on their own. */
export const storeAreas = ['hosts', 'knownHosts', 'conversations', 'transfers'] as const;
export type StoreArea = (typeof storeAreas)[number];

/** Whether the store can be read and written; every view shows it. Source: vscode.md 4 and 9. */
export type StoreState =
  | { readonly k: 'ready' }
  | { readonly k: 'readOnly'; readonly fault: Fault }
  | { readonly k: 'unavailable'; readonly fault: Fault }
  /** `node:sqlite` is missing: a memory store with a permanent notice. */
  | { readonly k: 'memory' };

export interface StoreStatePort {
  state(): StoreState;
  readonly onDidChangeState: Event<StoreState>;
  /** Rows of this area changed, here or in another window; within 1 s. */
  readonly onDidChangeRows: Event<StoreArea>;
  /**
   * Also asks every 750 ms until disposed, for folders whose changes the system does not announce. Held while a view is visible or
   * a run is live.
   */
  keepChecking(): Disposable;
  /**
   * Renames a damaged file and starts an empty store, on the person's word only. Resolves with the new name; rejects with
   * `store-missing` when it cannot be renamed.
   */
  setAsideDamaged(): Promise<string>;
}
