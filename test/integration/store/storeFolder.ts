import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClockPort } from '../../../src/agentkit/index.ts';
import { openStore, type Store } from '../../../src/infrastructure/store/openStore.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { silentLog } from '../../support/silentLog.ts';

/** A folder for one test and the stores opened in it; `dispose` closes them and removes it. */
export class StoreFolder {
  readonly parent = mkdtempSync(join(tmpdir(), 'termind-store-'));
  readonly directory = join(this.parent, 'global');
  readonly database = join(this.directory, 'termind.db');
  readonly #open: Store[] = [];

  /** Opens as one more window. */
  window(options: { readonly clock?: ClockPort; readonly windowId?: string } = {}): Store {
    const store = openStore({
      directory: this.directory,
      clock: options.clock ?? new FakeClock(),
      windowId: options.windowId ?? `window-${this.#open.length}`,
      log: silentLog,
    });
    this.#open.push(store);
    return store;
  }

  dispose(): void {
    for (const store of this.#open) store.dispose();
    rmSync(this.parent, { recursive: true, force: true });
  }
}
