import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { LongSession, openThings } from './longSession.ts';
import { within } from './sshBench.ts';

describe('R10: a long session', () => {
  let session: LongSession;
  const warnings: string[] = [];
  const onWarning = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  before(async () => {
    process.on('warning', onWarning);
    session = await LongSession.start();
  });
  after(async () => {
    process.off('warning', onWarning);
    await session.dispose();
  });

  it('leaves no channel, listener, timer or descriptor after 300 commands and 20 connects', async function () {
    this.timeout(240_000);
    await session.live({ commands: 5, connects: 2 });
    const before = openThings();
    await session.live({ commands: 300, connects: 20 });
    // Other suites of this process may open a few things meanwhile; one left for each connect or command is more than that.
    const isSettled = (): boolean => {
      const now = openThings();
      return now.descriptors < before.descriptors + 15 && now.resources < before.resources + 15;
    };
    await within(settle(isSettled), `nothing left open, ${JSON.stringify(before)} before`);
    assert.deepEqual(
      warnings.filter((text) => text.startsWith('MaxListenersExceededWarning')),
      [],
    );
  });
});

/** Looks again after everything that is due now; whoever waits bounds it. */
async function settle(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
}
