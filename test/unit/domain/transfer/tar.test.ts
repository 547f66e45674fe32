import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { tarBlock, tarChecksum } from '../../../../src/domain/transfer/tarFormat.ts';
import { TarReader, type TarRead } from '../../../../src/domain/transfer/tarReader.ts';
import { tarEnd, tarEntry, type TarFile } from '../../../../src/domain/transfer/writeTar.ts';

const file = (name: string, content: string | Uint8Array): TarFile => ({
  name,
  mode: 0o640,
  modified: 1_700_000_000,
  content: Buffer.from(content),
});

function archive(files: readonly TarFile[]): Buffer {
  return Buffer.concat([...files.map(tarEntry), tarEnd]);
}

function shown(entries: readonly TarRead[]): readonly unknown[] {
  return entries.map(({ name, kind, size, content }) => [
    Buffer.from(name).toString('latin1'),
    kind,
    size,
    content === undefined ? undefined : Buffer.from(content).toString('latin1'),
  ]);
}

function read(bytes: Uint8Array, mostHeld = 1_000): readonly unknown[] {
  return shown(new TarReader(mostHeld).push(bytes));
}

function namesIn(bytes: Uint8Array): readonly string[] {
  return new TarReader(0).push(bytes).map(({ name }) => Buffer.from(name).toString('latin1'));
}

/** A header as another program writes it, with a sum that is right. */
function header(fields: { name?: string; type?: string; size?: string | Buffer; prefix?: string }): Buffer {
  const block = Buffer.from(tarEntry(file('x', '')));
  block.fill(0, 0, 100).write(fields.name ?? 'x', 0, 'latin1');
  block.fill(0, 124, 136);
  if (typeof fields.size === 'object') block.set(fields.size, 124);
  else block.write(fields.size ?? '00000000000', 124, 'latin1');
  block.write(fields.type ?? '0', 156, 'latin1');
  block.write(fields.prefix ?? '', 345, 'latin1');
  block.write(`${tarChecksum(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function record(type: string, content: string): Buffer {
  const bytes = Buffer.from(content, 'latin1');
  const body = Buffer.alloc(Math.ceil(bytes.length / tarBlock) * tarBlock);
  body.set(bytes);
  return Buffer.concat([header({ type, size: bytes.length.toString(8).padStart(11, '0') }), body]);
}

const pax = (keyword: string, value: string): string => {
  const rest = ` ${keyword}=${value}\n`;
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return `${String(length)}${rest}`;
};

describe('an archive', () => {
  it('that is written is read back, cut anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 1_500 }), { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (contents, cuts) => {
          const bytes = archive(contents.map((content, n) => file(String(n), content)));
          const reader = new TarReader(1_500);
          const points = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b);
          const entries = points.flatMap((point, n) =>
            reader.push(bytes.subarray(points[n - 1] ?? 0, point)),
          );
          assert.deepEqual(
            shown(entries),
            contents.map((content, n) => [
              String(n),
              'file',
              content.length,
              Buffer.from(content).toString('latin1'),
            ]),
          );
          assert.equal(reader.isOver, true);
        },
      ),
    );
  });

  it('that is written is one for the tar of this machine', () => {
    const input = archive([file('0', 'content'), file('1', Buffer.alloc(3_000, 'x'))]);
    const { stdout, status } = spawnSync('tar', ['-tv', '--numeric-owner', '-f', '-'], {
      input,
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env['PATH'] },
    });
    assert.equal(status, 0);
    const lines = stdout.toString().trim().split('\n');
    assert.deepEqual(
      lines.map((line) => line.split(/\s+/).filter((_, n) => [0, 2, 5].includes(n))),
      [
        ['-rw-r-----', '7', '0'],
        ['-rw-r-----', '3000', '1'],
      ],
    );
  });

  for (const [what, wrong] of [
    ['a name that is too long', file('x'.repeat(101), '')],
    ['a name with a separator', file('a/b', '')],
    ['a name that is empty', file('', '')],
    ['a time before 1970', { ...file('a', ''), modified: -1 }],
  ] as const)
    it(`holds no file with ${what}`, () => {
      assert.throws(() => tarEntry(wrong), RangeError);
    });

  it('has names in a prefix, in an extended header and in a long name of GNU', () => {
    const bytes = Buffer.concat([
      header({ name: 'name', prefix: 'some/where' }),
      record('x', pax('mtime', '1.5') + pax('path', 'caf\xe9/a=b\nc')),
      header({ name: 'short' }),
      record('L', `${'long/'.repeat(60)}name\0`),
      header({ name: 'short' }),
      record('g', pax('comment', 'for all')),
      header({ name: 'last' }),
    ]);
    assert.deepEqual(namesIn(bytes), [
      'some/where/name',
      'caf\xe9/a=b\nc',
      `${'long/'.repeat(60)}name`,
      'last',
    ]);
  });

  it('has sizes in an extended header and in bytes', () => {
    const body = Buffer.alloc(tarBlock, 'abc');
    const bytes = Buffer.concat([
      record('x', pax('size', '3')),
      header({}),
      body,
      header({ name: 'y', size: Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]) }),
      body,
    ]);
    assert.deepEqual(read(bytes), [
      ['x', 'file', 3, 'abc'],
      ['y', 'file', 2, 'ab'],
    ]);
  });

  it('gives out no content that is larger than what is held, and goes on behind it', () => {
    const bytes = archive([file('large', Buffer.alloc(5_000)), file('small', 'small')]);
    assert.deepEqual(read(bytes, 100), [
      ['large', 'file', 5_000, undefined],
      ['small', 'file', 5, 'small'],
    ]);
  });

  it('is not looked at behind its end, however much comes there', () => {
    const reader = new TarReader(1_000);
    assert.equal(reader.push(archive([file('a', 'content')])).length, 1);
    const more = archive([file('b', 'content')]);
    assert.deepEqual([reader.push(more), reader.push(Buffer.alloc(700, 'x')), reader.isOver], [[], [], true]);
  });

  it('tells of a content that is not given out before that comes', () => {
    const reader = new TarReader(100);
    assert.deepEqual(shown(reader.push(header({ size: '77777777777' }))), [
      ['x', 'file', 0o77777777777, undefined],
    ]);
  });

  it('has few headers for each entry', () => {
    const some = Array.from({ length: 16 }, () => record('x', pax('comment', 'none')));
    const one = Buffer.concat([...some, header({})]);
    assert.equal(new TarReader(0).push(Buffer.concat([one, one])).length, 2);
    assert.throws(() => new TarReader(0).push(Buffer.concat([...some, one])), RangeError);
  });

  for (const [type, what] of [
    ['1', 'a second name'],
    ['2', 'a link'],
    ['3', 'a device'],
    ['5', 'a directory'],
    ['6', 'a pipe'],
    ['S', 'a sparse file'],
  ] as const)
    it(`says that ${what} is no plain file`, () => {
      assert.deepEqual(read(header({ type })), [['x', 'other', 0, undefined]]);
    });

  for (const [what, bytes] of [
    ['text', Buffer.alloc(tarBlock, 'Welcome to this machine.\n')],
    ['a header with another sum', Buffer.from(header({})).fill('9', 148, 150)],
    ['a size that is no number', header({ size: '0000000zzzz' })],
    ['a size that is beyond all numbers', header({ size: Buffer.alloc(12, 0xff) })],
    ['an extended header without an end', record('x', '99 path=a\n')],
    ['an extended header with a size that is none', record('x', pax('size', '-1'))],
    ['an extended header that is too long', header({ type: 'x', size: '00001000000' })],
  ] as const)
    it(`is not ${what}`, () => {
      assert.throws(() => read(bytes), RangeError);
    });
});
