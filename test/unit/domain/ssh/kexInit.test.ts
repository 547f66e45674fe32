import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { sshString } from '../../../../src/domain/keys/wire.ts';
import { KexInitReader } from '../../../../src/domain/ssh/kexInit.ts';

function packet(payload: Buffer, padding = 8): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(1 + payload.length + padding);
  head.writeUInt8(padding, 4);
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}

const lists = [
  'kex-a,kex-b',
  'key',
  'cipher-out',
  'cipher-in',
  'mac-out',
  'mac-in',
  'none,zlib',
  'none',
  '',
  '',
];
const kexInit = (names: readonly string[] = lists): Buffer =>
  Buffer.concat([
    Buffer.from([20]),
    Buffer.alloc(16),
    ...names.map((list) => sshString(list)),
    Buffer.alloc(5),
  ]);
const expected = {
  kex: ['kex-a', 'kex-b'],
  hostKey: ['key'],
  cipher: ['cipher-out'],
  mac: ['mac-out'],
  compression: ['none', 'zlib'],
};
const hello = Buffer.from('welcome\r\nSSH-2.0-Server_1\r\n');

describe('algorithm lists of a server', () => {
  const stream = Buffer.concat([
    hello,
    packet(Buffer.from([2, 0, 0, 0, 0])),
    packet(kexInit()),
    Buffer.alloc(50, 9),
  ]);

  it('are found behind lines, the identification and packets to be ignored, at every cut', () => {
    for (let cut = 0; cut <= stream.length; cut++) {
      const reader = new KexInitReader();
      const told = [reader.push(stream.subarray(0, cut)), reader.push(stream.subarray(cut))];
      assert.deepEqual(reader.lists, expected);
      assert.deepEqual(
        told.filter((lists) => lists !== undefined),
        [expected],
      );
    }
  });

  it('are found byte by byte', () => {
    const reader = new KexInitReader();
    for (const byte of stream) reader.push(Buffer.from([byte]));
    assert.deepEqual(reader.lists, expected);
  });

  it('leave out what is no name', () => {
    const reader = new KexInitReader();
    const names = ['good,with\x1b[31m,' + 'x'.repeat(65), ...lists.slice(1)];
    reader.push(Buffer.concat([hello, packet(kexInit(names))]));
    assert.deepEqual(reader.lists?.kex, ['good']);
  });

  for (const [what, bytes] of [
    ['a length of nothing', Buffer.from([0, 0, 0, 0, 0, 0])],
    ['a length of gigabytes', Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 20])],
    ['more padding than packet', packet(kexInit().subarray(0, 20), 0)],
    ['lists that are cut off', packet(kexInit().subarray(0, 40))],
    [
      'a list longer than the packet',
      packet(Buffer.concat([Buffer.from([20]), Buffer.alloc(16), Buffer.alloc(4, 0x7f)])),
    ],
  ] as const)
    it(`are none for ${what}`, () => {
      const reader = new KexInitReader();
      assert.equal(reader.push(Buffer.concat([hello, bytes])), undefined);
      assert.equal(reader.lists, undefined);
    });

  it('are none, without an end of memory, for a server that never stops talking', () => {
    const reader = new KexInitReader();
    for (let at = 0; at < 1_000; at++) assert.equal(reader.push(Buffer.alloc(1_000, 0x61)), undefined);
    assert.equal(reader.push(Buffer.concat([hello, packet(kexInit())])), undefined);
  });

  it('never throw, whatever is sent', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 }), (chunks) => {
        const reader = new KexInitReader();
        reader.push(hello);
        for (const chunk of chunks) reader.push(chunk);
      }),
    );
  });
});
