import { describeRunStore } from '../../contract/runStore.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { MemoryRunStore } from './support/memoryRunStore.ts';

describeRunStore('in memory, for tests', async () => {
  const clock = new FakeClock();
  return { store: new MemoryRunStore({ clock }), clock, dispose: () => {} };
});
