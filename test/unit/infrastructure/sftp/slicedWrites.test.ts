import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { SlicedWrites } from '../../../../src/infrastructure/sftp/slicedWrites.ts';

/** A stream that takes everything at once, and how many bytes it took in each turn of the event loop. */
class Greedy extends Writable {
  readonly taken: Buffer[] = [];
  readonly turns: number[] = [0];

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.taken.push(bytes);
    this.turns.push((this.turns.pop() ?? 0) + bytes.length);
    done();
  }

  async turnsUntil(total: number): Promise<void> {
    while (this.turns.reduce((sum, bytes) => sum + bytes, 0) < total) {
      this.turns.push(0);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

describe('bytes for a stream in slices', () => {
  it('arrive in order, and none are lost', async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(lengths, async (all) => {
        const stream = new Greedy();
        const writes = new SlicedWrites(stream);
        const sent = all.map((length, index) => Buffer.alloc(length, index));
        for (const bytes of sent) writes.write(bytes);
        await stream.turnsUntil(all.reduce((sum, length) => sum + length, 0));
        assert.ok(Buffer.concat(stream.taken).equals(Buffer.concat(sent)));
      }),
      { numRuns: 50 },
    );
  });

  it('are never more in one turn than one request above half a mebibyte', async () => {
    const stream = new Greedy();
    const writes = new SlicedWrites(stream);
    for (let n = 0; n < 64; n++) writes.write(Buffer.alloc(261_120));
    await stream.turnsUntil(64 * 261_120);
    assert.ok(Math.max(...stream.turns) < 512 * 1024 + 261_120, Math.max(...stream.turns).toString());
  });

  it('are dropped once it is stopped', async () => {
    const stream = new Greedy();
    const writes = new SlicedWrites(stream);
    for (let n = 0; n < 8; n++) writes.write(Buffer.alloc(512 * 1024));
    writes.stop();
    for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(stream.taken.length, 1);
  });
});
