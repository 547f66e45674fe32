import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ElevatedFiles } from '../../../../src/application/files/elevatedFiles.ts';
import type { RemoteFiles } from '../../../../src/application/ports/remoteFiles.ts';
import { hasCode } from '../../../../src/domain/fault.ts';
import { fileError } from '../../../../src/domain/files/fileFault.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const openFiles = { isEnded: false } as RemoteFiles;
const never = new AbortController().signal;

describe('elevated files that could not be opened', () => {
  it('wait for nothing: there are no rights to give up', async () => {
    const clock = new FakeClock();
    const files = new ElevatedFiles({ open: () => Promise.reject(fileError('sudo-refused')), clock });
    await assert.rejects(files.use(async () => {}, never));
    assert.equal(clock.pending, 0);
    files.dispose();
  });
});

describe('elevated files that are given up while they are opened', () => {
  it('are not held when they come all the same, and are opened anew by the next use', async () => {
    const released: number[] = [];
    let count = 0;
    const elevated = new ElevatedFiles({
      open: async (signal) => {
        const number = ++count;
        if (number === 1) elevated.close();
        assert.equal(signal.aborted, number === 1);
        return { files: openFiles, isShared: false, release: () => void released.push(number) };
      },
      clock: new FakeClock(),
    });
    const first = elevated.use(async () => 'used', never);
    await assert.rejects(first, (error) => hasCode(error, 'cancelled'));
    assert.deepEqual([elevated.current, released], [undefined, [1]]);
    assert.equal(await elevated.use(async () => 'used', never), 'used');
    assert.deepEqual([elevated.current, released], [openFiles, [1]]);
    elevated.dispose();
    assert.deepEqual(released, [1, 2]);
  });
});
