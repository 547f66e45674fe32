import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { Utf8Stream } from '../../../../src/agentkit/decoding/utf8Stream.ts';

function decode(...pieces: readonly Uint8Array[]): string {
  const stream = new Utf8Stream();
  return pieces.map((piece) => stream.decode(piece)).join('') + stream.end();
}

describe('streaming UTF-8', () => {
  for (const [name, bytes] of [
    ['two, three and four bytes', Buffer.from('aé€😀\n', 'utf8')],
    ['a byte order mark', Buffer.from('\ufeffa', 'utf8')],
    ['bytes that begin nothing', Buffer.from([0x61, 0x80, 0xff, 0xc0, 0xaf, 0x62])],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80, 0x61])],
    ['an overlong form', Buffer.from([0xe0, 0x80, 0xaf, 0xf0, 0x80, 0x80, 0xaf])],
    ['a character above the range', Buffer.from([0xf4, 0x90, 0x80, 0x80])],
    ['an end in the middle of a character', Buffer.from([0x61, 0xf0, 0x9f, 0x98])],
  ] as const)
    it(`${name} read the same at every cut`, () => {
      const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
      assert.equal(decode(bytes), whole);
      assert.equal(decode(...[...bytes].map((byte) => Uint8Array.of(byte))), whole);
      for (let cut = 1; cut < bytes.length; cut++)
        assert.equal(decode(bytes.subarray(0, cut), bytes.subarray(cut)), whole);
    });

  it('any bytes, cut anywhere, read as the standard says', () => {
    const byte = fc.oneof(
      fc.constantFrom(0x61, 0x80, 0xbf, 0xc3, 0xe0, 0xa0, 0xed, 0x9f, 0xf0, 0x90, 0xf4, 0x8f),
      fc.nat(255),
    );
    fc.assert(
      fc.property(
        fc.array(byte, { maxLength: 24 }),
        fc.array(fc.nat(24), { maxLength: 5 }),
        (bytes, places) => {
          const all = Uint8Array.from(bytes);
          const cuts = [0, ...places.filter((place) => place < all.length).sort((a, b) => a - b), all.length];
          const pieces = cuts.slice(1).map((cut, index) => all.subarray(cuts[index], cut));
          assert.equal(decode(...pieces), new TextDecoder('utf-8', { ignoreBOM: true }).decode(all));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
