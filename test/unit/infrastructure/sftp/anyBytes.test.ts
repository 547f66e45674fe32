import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { isTermindError } from '../../../../src/domain/fault.ts';
import { pathOfText } from '../../../../src/domain/files/remotePath.ts';
import { SftpClient } from '../../../../src/infrastructure/sftp/sftpClient.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const never = new AbortController().signal;
const version = Buffer.from([0, 0, 0, 5, 2, 0, 0, 0, 3]);

/** A packet that looks like an answer to one of the first requests. */
const answer = fc
  .record({
    type: fc.constantFrom(2, 101, 102, 103, 104, 105, 201, 7),
    id: fc.integer({ min: 0, max: 6 }),
    body: fc.uint8Array({ maxLength: 40 }),
  })
  .map(({ type, id, body }) =>
    Buffer.concat([Buffer.from([0, 0, 0, 5 + body.length, type, 0, 0, 0, id]), body]),
  );
const anything = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));

describe('whatever a server sends', () => {
  it('every request settles, each rejection is a fault, and no timer is left', async () => {
    const pieces = fc.array(fc.oneof({ weight: 4, arbitrary: answer }, anything), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.boolean(), async (sent, hasVersion) => {
        const clock = new FakeClock();
        const [stream, far] = duplexPair();
        far.on('error', () => {}).resume();
        if (hasVersion) far.write(version);
        const starting = SftpClient.start(
          stream,
          { clock, way: 'subsystem', refused: [], onRefused: () => {} },
          never,
        );
        const outcomes: Promise<unknown>[] = [starting];
        if (hasVersion) {
          const files = await starting;
          const path = pathOfText('/x');
          outcomes.push(
            files.open(path, { access: 'read' }, never),
            files.stat(path, never),
            files.realpath(path, never),
            files.list(path, never)[Symbol.asyncIterator]().next(),
            files.remove(path, never),
          );
        }
        for (const piece of sent) far.write(piece);
        far.end();
        for (const settled of await Promise.allSettled(outcomes))
          if (settled.status === 'rejected')
            assert.ok(isTermindError(settled.reason), String(settled.reason));
        stream.destroy();
        await clock.advance(0);
        assert.equal(clock.pending, 0);
      }),
      { numRuns: 300 },
    );
  });
});
