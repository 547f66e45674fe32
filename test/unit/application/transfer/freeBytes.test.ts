import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { freeBytes } from '../../../../src/application/transfer/engine/freeBytes.ts';

const large = 100_000;

describe('the memory of bytes that were written', () => {
  for (const inFront of [0, 9, 13])
    it(`is given back where they fill their buffer behind ${String(inFront)} bytes of the answer`, () => {
      const bytes = Buffer.from(new ArrayBuffer(inFront + large), inFront);
      freeBytes(bytes);
      assert.equal(bytes.length, 0);
    });

  const kept: Readonly<Record<string, Buffer>> = {
    'others may be in front of them': Buffer.from(new ArrayBuffer(14 + large), 14),
    'others may be behind them': Buffer.from(new ArrayBuffer(large + 1), 0, large),
    'they are few': Buffer.from(new ArrayBuffer(1_000)),
    'another thread may read them': Buffer.from(new SharedArrayBuffer(large)),
  };
  for (const [why, bytes] of Object.entries(kept))
    it(`stays where ${why}`, () => {
      const { length } = bytes;
      freeBytes(bytes);
      assert.equal(bytes.length, length);
    });
});
