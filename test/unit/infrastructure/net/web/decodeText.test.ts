import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { decodeText } from '../../../../../src/infrastructure/net/web/decodeText.ts';

const utf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');
const swapped = (text: string): Buffer => wide(text).swap16();

const rows: readonly (readonly [
  why: string,
  bytes: Buffer,
  charset: string | undefined,
  expected: string,
])[] = [
  ['UTF-8 without a word about it', utf8('Zürich €'), undefined, 'Zürich €'],
  ['no UTF-8 and no word: Windows-1252', Buffer.from([0x80, 0x20, 0xfc]), undefined, '€ ü'],
  ['the header decides', latin('Zürich'), 'iso-8859-1', 'Zürich'],
  ['the header in capitals', latin('Zürich'), 'ISO-8859-1', 'Zürich'],
  ['a Cyrillic encoding', Buffer.from([0xcf, 0xf0, 0xe8]), 'windows-1251', 'При'],
  ['Japanese', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'shift_jis', '日本'],
  ['an unknown encoding in the header', utf8('ü'), 'klingon', 'ü'],
  ['a byte order mark of UTF-8 is no text', utf8('\ufeffü'), undefined, 'ü'],
  ['a byte order mark outweighs the header', utf8('\ufeffü'), 'iso-8859-1', 'ü'],
  ['UTF-16 with a mark, little end first', wide('\ufeffü'), undefined, 'ü'],
  ['UTF-16 with a mark, big end first', swapped('\ufeffü'), undefined, 'ü'],
  ['UTF-16 by the header', wide('ü'), 'utf-16', 'ü'],
  ['UTF-16BE by the header', swapped('ü'), 'utf-16be', 'ü'],
  ['a meta tag', latin('<meta charset="iso-8859-1">ü'), undefined, '<meta charset="iso-8859-1">ü'],
  ['a meta tag without quotes', latin('<META CHARSET=latin1>ü'), undefined, '<META CHARSET=latin1>ü'],
  [
    'the older form of it',
    latin('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15">\xa4'),
    undefined,
    '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15">€',
  ],
  ['the header outweighs a meta tag', utf8('<meta charset="latin1">ü'), 'utf-8', '<meta charset="latin1">ü'],
  ['a meta tag cannot say UTF-16', utf8('<meta charset="utf-16">ü'), undefined, '<meta charset="utf-16">ü'],
  [
    'the declaration of XML',
    latin('<?xml version="1.0" encoding="iso-8859-1"?>ü'),
    undefined,
    '<?xml version="1.0" encoding="iso-8859-1"?>ü',
  ],
  [
    'a meta tag too far down',
    Buffer.concat([utf8('ü'.repeat(600)), utf8('<meta charset="latin1">')]),
    undefined,
    `${'ü'.repeat(600)}<meta charset="latin1">`,
  ],
  ['bytes that the encoding does not know', Buffer.from([0x61, 0xff]), 'utf-8', 'a\ufffd'],
  ['nothing', Buffer.alloc(0), undefined, ''],
];

describe('the text of received bytes', () => {
  for (const [why, bytes, charset, expected] of rows)
    it(why, () => {
      assert.equal(decodeText(bytes, charset), expected);
    });
});
