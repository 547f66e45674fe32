import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { missingRanges } from '../../../../src/domain/transfer/missingRanges.ts';
import { MovedBytes } from '../../../../src/domain/transfer/movedBytes.ts';
import { blockBytes } from '../../../../src/domain/transfer/transferJournal.ts';

describe('what has been moved', () => {
  it('tells each block once, when it is whole, in whatever order its pieces come', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100_000, max: 3_000_000 }),
        fc.infiniteStream(fc.nat()),
        (chunk, order) => {
          const size = 3 * blockBytes + 5;
          const pieces: { offset: number; length: number }[] = [];
          for (let at = 0; at < size; at += chunk)
            pieces.push({ offset: at, length: Math.min(chunk, size - at) });
          const moved = new MovedBytes();
          const whole: number[] = [];
          while (pieces.length > 0) {
            const [piece] = pieces.splice((order.next().value ?? 0) % pieces.length, 1);
            if (piece !== undefined) whole.push(...moved.add(piece.offset, piece.length));
          }
          assert.deepEqual(whole.sort(), [0, 1, 2]);
          assert.equal(moved.contiguousEnd, size);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('knows up to where nothing is missing', () => {
    const moved = new MovedBytes(10);
    moved.add(20, 5);
    assert.equal(moved.contiguousEnd, 10);
    moved.add(10, 10);
    assert.equal(moved.contiguousEnd, 25);
  });
});

describe('what is missing', () => {
  const at = (blocks: number): number => blocks * blockBytes;
  for (const [size, blocks, ranges] of [
    [0, [], []],
    [5, [], [{ from: 0, to: 5 }]],
    [at(2), [], [{ from: 0, to: at(2) }]],
    [at(2), [0, 1], []],
    [at(2) + 1, [0, 1], [{ from: at(2), to: at(2) + 1 }]],
    [
      at(4),
      [0, 2],
      [
        { from: at(1), to: at(2) },
        { from: at(3), to: at(4) },
      ],
    ],
    [at(1), [0, 7], []],
  ] as const)
    it(`of ${String(size)} bytes with the blocks ${JSON.stringify(blocks)}`, () =>
      assert.deepEqual(missingRanges(size, new Set(blocks)), ranges));
});
