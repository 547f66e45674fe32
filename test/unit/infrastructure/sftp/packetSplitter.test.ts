import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { PacketSplitter } from '../../../../src/infrastructure/sftp/packetSplitter.ts';

/** What a splitter tells of a stream that arrives in these chunks. */
function split(chunks: readonly Buffer[]): {
  readonly packets: readonly string[];
  readonly bad: readonly string[];
} {
  const packets: string[] = [];
  const bad: string[] = [];
  const splitter = new PacketSplitter(
    (packet) => packets.push(packet.toString('hex')),
    (length, bytes) => bad.push(`${String(length)} ${bytes.toString('hex')}`),
  );
  for (const chunk of chunks) splitter.push(chunk);
  return { packets, bad };
}

function framed(payload: Uint8Array): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(payload.length);
  return Buffer.concat([head, payload]);
}

describe('packets out of a stream', () => {
  it('are the same wherever its chunks end', () => {
    const payloads = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(payloads, fc.array(fc.nat(400), { maxLength: 12 }), (all, cuts) => {
        const stream = Buffer.concat(all.map(framed));
        const places = [...new Set(cuts.filter((cut) => cut < stream.length))].sort((a, b) => a - b);
        const chunks = [0, ...places].map((from, index) =>
          stream.subarray(from, places[index] ?? stream.length),
        );
        assert.deepEqual(
          split(chunks).packets,
          all.map((one) => Buffer.from(one).toString('hex')),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('of the largest length that is taken arrive whole, byte by byte', () => {
    const payload = Buffer.alloc(256 * 1024, 7);
    const stream = framed(payload);
    const chunks = Array.from({ length: Math.ceil(stream.length / 1_000) }, (_, n) =>
      stream.subarray(n * 1_000, (n + 1) * 1_000),
    );
    assert.deepEqual(split(chunks), { packets: [payload.toString('hex')], bad: [] });
  });

  for (const [what, head] of [
    ['one byte more than 256 KiB', Buffer.from([0, 4, 0, 1])],
    ['nothing', Buffer.from([0, 0, 0, 0])],
    ['text', Buffer.from('Have')],
  ] as const)
    it(`TRAP-21: a length of ${what} ends the stream of packets with the bytes from there on`, () => {
      const stream = Buffer.concat([framed(Buffer.from('ok')), head, Buffer.from('rest')]);
      const length = String(head.readUInt32BE(0));
      const told = {
        packets: [Buffer.from('ok').toString('hex')],
        bad: [`${length} ${head.toString('hex')}${Buffer.from('rest').toString('hex')}`],
      };
      assert.deepEqual(split([stream, framed(Buffer.from('more'))]), told);
    });
});
