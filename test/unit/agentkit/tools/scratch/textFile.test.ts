import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { decodeText, editText, type TextEdit } from '../../../../../src/agentkit/tools/scratch/textFile.ts';

function decoded(text: string) {
  const file = decodeText(Buffer.from(text, 'utf8'));
  if (file === undefined) throw new Error('not text');
  return file;
}

describe('text files of tools', () => {
  for (const [raw, text, lineEnding, hasMark] of [
    ['a\nb\n', 'a\nb\n', 'lf', false],
    ['a\r\nb\r\n', 'a\nb\n', 'crlf', false],
    ['a\r\nb\nc\r\n', 'a\nb\nc\n', 'crlf', false],
    ['a\r\nb\n', 'a\nb\n', 'lf', false],
    ['a\rb', 'a\rb', 'lf', false],
    ['\ufeffa\r\n', 'a\n', 'crlf', true],
    ['', '', 'lf', false],
  ] as const)
    it(`${JSON.stringify(raw)} is read as ${JSON.stringify(text)}, ${lineEnding}`, () => {
      assert.deepEqual(decoded(raw), { text, lineEnding, hasMark, raw });
    });

  it('bytes that are not UTF-8 are no text', () => {
    assert.equal(decodeText(Uint8Array.of(0x61, 0xff)), undefined);
  });

  it('an edit keeps the mark and every line ending it does not touch', () => {
    const file = decoded('\ufeffone\r\ntwo\nthree\r\nfour\r\n');
    const start = file.text.indexOf('two');
    assert.equal(
      editText(file, [{ start, end: start + 'two\nth'.length, replacement: 'TWO\nTH' }]),
      '\ufeffone\r\nTWO\r\nTHree\r\nfour\r\n',
    );
  });

  it('edits of the shown text are the same edits of the file, whatever its line endings', () => {
    const part = fc.constantFrom('a', 'bc', '\n', '\r\n', '\r', '€');
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 30 }),
        fc.array(fc.nat(30), { maxLength: 6 }),
        (parts, places) => {
          const file = decoded(parts.join(''));
          const sorted = places.map((place) => Math.min(place, file.text.length)).sort((a, b) => a - b);
          const edits: TextEdit[] = [];
          for (let index = 0; index + 1 < sorted.length; index += 2)
            edits.push({ start: sorted[index] ?? 0, end: sorted[index + 1] ?? 0, replacement: `<${index}>` });
          let expected = '';
          let from = 0;
          for (const { start, end, replacement } of edits) {
            expected += file.text.slice(from, start) + replacement;
            from = end;
          }
          expected += file.text.slice(from);
          assert.equal(editText(file, edits).replaceAll('\r', ''), expected.replaceAll('\r', ''));
          assert.equal(editText(file, []), file.raw);
        },
      ),
      { numRuns: 500 },
    );
  });
});
