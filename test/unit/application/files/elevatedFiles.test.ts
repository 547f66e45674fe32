import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ElevatedFiles } from '../../../../src/application/files/elevatedFiles.ts';
import { fileError } from '../../../../src/domain/files/fileFault.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

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
