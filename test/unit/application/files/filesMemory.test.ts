import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { FilesMemory } from '../../../../src/application/files/filesMemory.ts';
import type { HostFacts } from '../../../../src/domain/host/host.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { recordingLog } from '../../../support/silentLog.ts';

const day = 24 * 60 * 60_000;

describe('what is remembered of the files of a host', () => {
  const host = newHostId();

  function memory(stored: HostFacts = {}) {
    const clock = new FakeClock(0);
    const log = recordingLog();
    const store = { facts: stored };
    const options = {
      facts: {
        facts: async () => store.facts,
        learn: async (_id: unknown, facts: HostFacts) => void (store.facts = { ...store.facts, ...facts }),
      },
      clock,
      log,
    };
    return { clock, log, store, memory: new FilesMemory(options), again: () => new FilesMemory(options) };
  }

  it('is added up, stored, and there again in the next window', async () => {
    const { memory: first, again, store } = memory({ os: 'Linux' });
    await Promise.all([
      first.learn(host, { way: 'command', program: '/x' }),
      first.learn(host, { refused: ['fsync'] }),
    ]);
    const files = { way: 'command', program: '/x', refused: ['fsync'], at: 0 };
    assert.deepEqual(store.facts, { os: 'Linux', files });
    assert.deepEqual(await again().recall(host), files);
  });

  it('is forgotten after 30 days, and at once when somebody says so', async () => {
    const { memory: first, clock } = memory();
    await first.learn(host, { way: 'none' });
    await clock.advance(30 * day - 1);
    assert.equal((await first.recall(host))?.way, 'none');
    await clock.advance(1);
    assert.equal(await first.recall(host), undefined);
    await first.learn(host, { way: 'none' });
    await first.forget(host);
    assert.equal((await first.recall(host))?.way, undefined);
  });

  it('costs nothing but the memory when the store cannot be used', async () => {
    const log = recordingLog();
    const refuse = (): Promise<never> => Promise.reject(new Error('locked'));
    const clock = new FakeClock(0);
    const broken = new FilesMemory({ facts: { facts: refuse, learn: refuse }, clock, log });
    assert.equal(await broken.recall(host), undefined);
    await broken.learn(host, { way: 'shell' });
    assert.equal((await broken.recall(host))?.way, 'shell');
    assert.equal(log.lines.length > 0, true);
  });
});
