import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { isTermindError } from '../../../../src/domain/fault.ts';
import { bytesOfText, textOfBytes } from '../../../../src/domain/files/nameText.ts';
import {
  isName,
  isOnDrive,
  isShownEscaped,
  joinPath,
  nameOf,
  parentOf,
  pathOfText,
  remoteName,
  remotePath,
  showPath,
  textOfPath,
} from '../../../../src/domain/files/remotePath.ts';

const isBadName = (error: unknown): boolean => isTermindError(error) && error.fault.code === 'bad-name';

describe('names on a host as text', () => {
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.array(fc.constantFrom(0xf4, 0x8f, 0xb8, 0x80, 0xbf, 0xe9, 0x41, 0xc3, 0xa9, 0xed, 0xa0, 0xf0, 0x9f), {
      maxLength: 24,
    }),
  );

  it('every sequence of bytes has a text that names exactly it', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        assert.deepEqual([...bytesOfText(textOfBytes(Uint8Array.from(bytes)))], [...bytes]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a text names bytes in its one spelling or is refused', () => {
    const characters = fc.oneof(
      fc.integer({ min: 0x10fe00, max: 0x10feff }),
      fc.integer({ min: 0x20, max: 0x2fff }),
      fc.integer({ min: 0xd800, max: 0xdfff }),
    );
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 12 }), (codes) => {
        const text = String.fromCodePoint(...codes);
        let bytes: Uint8Array;
        try {
          bytes = bytesOfText(text);
        } catch (error) {
          return assert.ok(isBadName(error));
        }
        assert.equal(textOfBytes(bytes), text);
      }),
      { numRuns: 2_000 },
    );
  });

  for (const [what, text] of [
    ['a slash spelled as a byte', '\u{10fe2f}'],
    ['a letter spelled as a byte', '\u{10fe41}'],
    ['a whole character spelled as bytes', '\u{10fec3}\u{10fea9}'],
    ['half of a surrogate pair', 'a\ud800b'],
  ] as const)
    it(`${what} is refused`, () => assert.throws(() => bytesOfText(text), isBadName));

  for (const [what, bytes, text, shown] of [
    ['plain text', Buffer.from('häuser'), 'häuser', 'häuser'],
    ['Latin-1', Buffer.from('caf\xe9', 'latin1'), 'caf\u{10fee9}', 'caf\\xE9'],
    [
      'a character of the mapped range',
      Buffer.from('\u{10fee9}'),
      '\u{10fef4}\u{10fe8f}\u{10febb}\u{10fea9}',
      '\\xF4\\x8F\\xBB\\xA9',
    ],
    ['an overlong slash', Buffer.from([0xc0, 0xaf]), '\u{10fec0}\u{10feaf}', '\\xC0\\xAF'],
    [
      'a surrogate in UTF-8',
      Buffer.from([0xed, 0xa0, 0x80]),
      '\u{10feed}\u{10fea0}\u{10fe80}',
      '\\xED\\xA0\\x80',
    ],
    ['a cut character', Buffer.from([0x61, 0xe2, 0x82]), 'a\u{10fee2}\u{10fe82}', 'a\\xE2\\x82'],
    ['a byte order mark', Buffer.from('\ufeffa'), '\ufeffa', '\ufeffa'],
    ['escape codes and a newline', Buffer.from('a\x1b[31m\nb'), 'a\x1b[31m\nb', 'a\\x1b[31m\\x0ab'],
    [
      'a tab and other line breaks',
      Buffer.from('a\tb\r\nc\u2028'),
      'a\tb\r\nc\u2028',
      'a\\x09b\\x0d\\x0ac\\u2028',
    ],
  ] as const)
    it(`${what} is written and shown safely`, () => {
      assert.deepEqual([textOfBytes(bytes), showPath(bytes)], [text, shown]);
    });

  it('what is shown otherwise than it is says so', () => {
    const names = ['plain', 'häuser', 'a\nb', 'a\tb', 'a\u202eb'].map((text) => Buffer.from(text));
    assert.deepEqual(
      [...names, Buffer.from([0xe9])].map((name) => isShownEscaped(name)),
      [false, false, true, true, true, true],
    );
  });
});

describe('paths on a host', () => {
  const text = (path: Uint8Array): string => Buffer.from(path).toString('latin1');

  for (const [path, parent, name] of [
    ['/', '/', undefined],
    ['/a', '/', 'a'],
    ['/a/b', '/a', 'b'],
    ['/a//b//', '/a', 'b'],
    ['a', '.', 'a'],
    ['a/b', 'a', 'b'],
    ['/C:/Users', '/C:', 'Users'],
    ['/a/..', '/a', undefined],
  ] as const)
    it(`${path} is in ${parent}`, () => {
      const found = nameOf(pathOfText(path));
      assert.deepEqual([text(parentOf(pathOfText(path))), found && text(found)], [parent, name]);
    });

  it('an entry joined to its directory stays in it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        if (!isName(bytes)) return assert.throws(() => remoteName(bytes), isBadName);
        const joined = joinPath(pathOfText('/home/op'), bytes);
        assert.deepEqual([text(parentOf(joined)), [...(nameOf(joined) ?? [])]], ['/home/op', [...bytes]]);
      }),
      { numRuns: 1_000 },
    );
    assert.equal(text(joinPath(pathOfText('/'), remoteName(Buffer.from('a')))), '/a');
  });

  for (const name of ['', '.', '..', 'a/b', '/', '../x', 'a\0b'])
    it(`${JSON.stringify(name)} is no name of an entry`, () =>
      assert.throws(() => remoteName(Buffer.from(name)), isBadName));

  it('nothing and NUL are no path', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('a\0b')])
      assert.throws(() => remotePath(bytes), isBadName);
  });

  it('a path comes back from its text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 30 }), (bytes) => {
        if (bytes.includes(0)) return;
        assert.deepEqual([...pathOfText(textOfPath(remotePath(bytes)))], [...bytes]);
      }),
    );
  });
});

describe('paths of drives', () => {
  for (const [path, isDrive] of [
    ['/C:/Users', true],
    ['/d:', true],
    ['/C:x', false],
    ['/etc', false],
    ['C:/Users', false],
    ['/', false],
  ] as const)
    it(`${path} is ${isDrive ? 'one' : 'none'}`, () => assert.equal(isOnDrive(pathOfText(path)), isDrive));
});
