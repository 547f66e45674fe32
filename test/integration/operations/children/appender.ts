import { systemClock } from '../../../../src/agentkit/index.ts';
import type { ActEntry } from '../../../../src/application/ports/operations.ts';
import { isTermindError } from '../../../../src/domain/fault.ts';
import { openStore } from '../../../../src/infrastructure/store/openStore.ts';
import { connected } from '../../../contract/operations.ts';
import { silentLog } from '../../../support/silentLog.ts';

/** Adds `count` rows to the operations log, each with the name of this window and its number. */
const [directory = '', windowId = '', count = '0'] = process.argv.slice(2);
const store = openStore({ directory, clock: systemClock, windowId, log: silentLog });

/** As whoever is told that another window is writing: it is tried again. */
async function added(entry: ActEntry): Promise<void> {
  for (;;)
    try {
      await store.operations.append(entry);
      return;
    } catch (error) {
      if (!isTermindError(error) || error.fault.code !== 'store-busy') throw error;
    }
}

for (let n = 0; n < Number(count); n++)
  await added(connected(n, 'h1', { from: windowId, number: String(n) }));
store.dispose();
