import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { WireReader, sshString } from '../../../../src/domain/keys/wire.ts';
import { attributeBytes, readAttributes } from '../../../../src/infrastructure/sftp/attributes.ts';
import { directoryPage } from '../../../../src/infrastructure/sftp/directoryEntry.ts';
import { noiseIn } from '../../../../src/infrastructure/sftp/noise.ts';
import {
  readAttrs,
  readData,
  readHandle,
  readIdNames,
  readNames,
  readNumbers,
  readStatus,
  readVersion,
} from '../../../../src/infrastructure/sftp/replies.ts';
import { requestPieces, uint32, uint64 } from '../../../../src/infrastructure/sftp/requests.ts';

const word = fc.integer({ min: 0, max: 0xffff_ffff });
const attributes = fc.record(
  {
    size: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    owner: fc.record({ uid: word, gid: word }, { noNullPrototype: true }),
    mode: fc.integer({ min: 0, max: 0o7777 }),
    times: fc.record({ accessed: word, modified: word }, { noNullPrototype: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

describe('the packets of SFTP', () => {
  it('attributes are read as they were written', () => {
    fc.assert(
      fc.property(attributes, (one) =>
        assert.deepEqual(readAttributes(new WireReader(attributeBytes(one))), one),
      ),
    );
  });

  it('only the permission bits of a mode are sent', () => {
    assert.deepEqual(readAttributes(new WireReader(attributeBytes({ mode: 0o106755 }))), { mode: 0o6755 });
  });

  it('a size that no file can have is as good as none', () => {
    const bytes = Buffer.concat([uint32(1), Buffer.alloc(8, 0xff)]);
    assert.deepEqual(readAttrs(bytes), {});
  });

  it('extended attributes are passed over', () => {
    const bytes = Buffer.concat([
      uint32(0x8000_0004),
      uint32(0o644),
      uint32(1),
      sshString('acl'),
      sshString('x'),
    ]);
    assert.deepEqual(readAttrs(bytes), { mode: 0o644 });
  });

  for (const [what, read] of [
    ['attributes of another version', () => readAttrs(uint32(0x10))],
    [
      'more extended attributes than are there',
      () => readAttrs(Buffer.concat([uint32(0x8000_0000), uint32(9)])),
    ],
    ['bytes behind the attributes', () => readAttrs(Buffer.concat([uint32(0), Buffer.from([1])]))],
    ['data longer than it says', () => readData(Buffer.from([0, 0, 0, 1, 1, 2]))],
    ['data shorter than it says', () => readData(Buffer.from([0, 0, 0, 9, 1, 2]))],
    ['more names than fit', () => readNames(uint32(0xffff_ffff))],
    ['a handle of 257 bytes', () => readHandle(sshString(Buffer.alloc(257)))],
    ['a first packet that is no version', () => readVersion(Buffer.from([101, 0, 0, 0, 3]))],
    ['a number too few', () => readNumbers(uint64(1), 2)],
  ] as const)
    it(`${what} is refused`, () => assert.throws(read, RangeError));

  it('whatever bytes arrive are read or refused, never more', () => {
    const readers = [
      readStatus,
      readHandle,
      readData,
      readNames,
      readAttrs,
      readVersion,
      readIdNames,
      (bytes: Buffer) => readNumbers(bytes, 4),
    ];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        for (const read of readers)
          try {
            read(Buffer.from(bytes));
          } catch (error) {
            assert.ok(error instanceof RangeError, String(error));
          }
      }),
      { numRuns: 3_000 },
    );
  });

  it('a request is its length, type, id and fields', () => {
    assert.equal(
      Buffer.concat(requestPieces(5, 0xfffffffe, [sshString('h'), uint64(2 ** 40), uint32(7)])).toString(
        'hex',
      ),
      '0000001605fffffffe0000000168000001000000000000000007',
    );
  });

  it('a status of an old server has no words', () =>
    assert.deepEqual(readStatus(uint32(4)), { code: 4, text: '' }));

  it('names that lead out of the directory are refused, all others are kept', () => {
    const name = (text: string | Buffer, line = '') => ({
      name: Buffer.from(text),
      line: Buffer.from(line),
      attributes: {},
    });
    const page = directoryPage([
      name('.'),
      name('..'),
      name('../x'),
      name('/etc/passwd'),
      name(''),
      name('a\0b'),
      name('plain', '-rw-r--r--    2 op       staff          12 Jan  1 00:00 plain'),
      name('a\nb'),
      name(Buffer.from([0xe9])),
      name('link', 'lrwxrwxrwx 1 op staff 3 Jan 1 00:00 link'),
    ]);
    assert.deepEqual(page.refused, ['../x', '/etc/passwd', '', 'a\\x00b']);
    assert.deepEqual(
      page.entries.map(({ name: bytes, ...rest }) => ({
        name: Buffer.from(bytes).toString('latin1'),
        ...rest,
      })),
      [
        { name: 'plain', kind: 'file', attributes: {}, links: 2, ownerName: 'op', groupName: 'staff' },
        { name: 'a\nb', kind: undefined, attributes: {} },
        { name: '\xe9', kind: undefined, attributes: {} },
        { name: 'link', kind: 'symlink', attributes: {}, links: 1, ownerName: 'op', groupName: 'staff' },
      ],
    );
  });

  for (const [what, bytes, text] of [
    ['SFTP-1: a greeting', Buffer.from('Have a nice day\n\0\0\0\x09\x02'), 'Have a nice day'],
    ['SFTP-1: an escape code', Buffer.from('\x1b[33mhi\x1b[0m\n'), '\\x1b[33mhi\\x1b[0m'],
    ['a line break only', Buffer.from('\r\n\0\0'), ''],
    ['text beyond ASCII', Buffer.from('Grüße\n'), 'Grüße'],
    ['a packet', Buffer.from([0, 0, 0, 9, 2, 0, 0, 0, 3]), undefined],
  ] as const)
    it(`${what} is ${text === undefined ? 'no noise' : 'noise'}`, () => assert.equal(noiseIn(bytes), text));
});
