import { Emitter } from '../../../agentkit/index.ts';
import type { StoreArea } from '../../../application/ports/store.ts';
import { localFault } from '../../../domain/fault.ts';
import type { OpenStoreOptions, Store } from '../openStore.ts';
import { MemoryForwardLeases } from './memoryForwardLeases.ts';
import { MemoryGrants } from './memoryGrants.ts';
import { MemoryHostStore } from './memoryHostStore.ts';
import { MemoryKnownHostsStore } from './memoryKnownHostsStore.ts';
import { MemoryMessageSearch } from './memoryMessageSearch.ts';
import { MemoryOperations } from './memoryOperations.ts';
import { MemoryRequestLog } from './memoryRequestLog.ts';
import { MemoryRunStore } from './memoryRunStore.ts';
import { MemoryTransfers } from './memoryTransfers.ts';

/** The same ports without a file, for a runtime without SQLite. Its state is `memory` for good: nothing is saved. */
export function openMemoryStore({
  clock,
  log,
  windowId = 'memory',
  requestLogBytes,
}: Pick<OpenStoreOptions, 'clock' | 'log' | 'requestLogBytes'> & { readonly windowId?: string }): Store {
  const rows = new Emitter<StoreArea>((error) => log.error('store', 'a listener failed', error));
  const changed = (area: StoreArea) => (): void => rows.fire(area);
  const requestLog = new MemoryRequestLog({ exists: (id) => runs.has(id), maxBytes: requestLogBytes });
  const operations = new MemoryOperations({ clock, window: windowId, log });
  const runs = new MemoryRunStore(clock, changed('conversations'), {
    onRemoved: (id, messages) => requestLog.forget(id, messages),
    operations,
  });
  return {
    runs,
    requestLog,
    operations,
    search: new MemoryMessageSearch(runs),
    grants: new MemoryGrants({ clock, exists: (id) => runs.has(id), changed: changed('conversations') }),
    hosts: new MemoryHostStore(changed('hosts')),
    knownHosts: new MemoryKnownHostsStore(changed('knownHosts')),
    forwardLeases: new MemoryForwardLeases(),
    transfers: new MemoryTransfers(clock, changed('transfers')),
    state: {
      state: () => ({ k: 'memory' }),
      onDidChangeState: () => ({ dispose: () => {} }),
      onDidChangeRows: rows.event,
      keepChecking: () => ({ dispose: () => {} }),
      setAsideDamaged: async () => {
        throw localFault('store-missing', { reason: 'there is no file' });
      },
    },
    dispose() {
      operations.dispose();
      rows.dispose();
    },
  };
}
