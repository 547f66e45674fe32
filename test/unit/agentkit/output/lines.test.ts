import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { escapedBytes } from '../../../../src/agentkit/output/byteCost.ts';
import { countLines } from '../../../../src/agentkit/output/lines.ts';

describe('lines', () => {
  for (const [text, lines, reason] of [
    ['', 0, 'the empty text has none'],
    ['\n', 1, 'one empty line'],
    ['a', 1, 'a line without LF counts'],
    ['a\n', 1, 'a final LF adds none'],
    ['a\n\n', 2, 'an empty line counts'],
    ['a\r\nb\r\n', 2, 'CRLF counts once'],
    ['a\rb', 1, 'a lone CR is no break'],
    ['a\u2028b', 1, 'only LF ends a line'],
  ] as const)
    it(`${JSON.stringify(text)} has ${lines} (${reason})`, () => {
      assert.equal(countLines(text), lines);
    });
});

describe('the cost of a line', () => {
  for (const [text, bytes, reason] of [
    ['a', 1, 'plain'],
    ['"\\\b\f\n\r\t', 14, 'short escapes'],
    ['\u0001\u001f', 12, 'control characters'],
    ['\u007f', 1, 'DEL is not escaped'],
    ['é€\u2028', 8, 'two, three and three bytes'],
    ['😀', 4, 'a surrogate pair'],
    ['\ud83d', 6, 'a lone high surrogate'],
    ['\ude00', 6, 'a lone low surrogate'],
    ['</', 3, 'a closing tag is escaped'],
    ['/<', 2, 'the other order is not'],
  ] as const)
    it(`${JSON.stringify(text)} costs ${bytes} (${reason})`, () => {
      assert.equal(escapedBytes(text, { start: 0, end: text.length, limit: 100 }), bytes);
    });

  it('is what the text takes inside a result, whatever it holds', () => {
    const unit = fc.oneof(
      fc.constantFrom('<', '/', '"', '\\', '\n', '\u0001', '\u007f', '€'),
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
    );
    fc.assert(
      fc.property(
        fc.array(unit).map((parts) => parts.join('')),
        (text) => {
          const json = JSON.stringify(text).slice(1, -1).replaceAll('</', '<\\/');
          assert.equal(
            escapedBytes(text, { start: 0, end: text.length, limit: Infinity }),
            Buffer.byteLength(json, 'utf8'),
          );
        },
      ),
    );
  });
});
