import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { TerminalEscapes } from '../../../../src/agentkit/decoding/terminalEscapes.ts';

function strip(...pieces: readonly string[]): string {
  const escapes = new TerminalEscapes();
  return pieces.map((piece) => escapes.strip(piece)).join('');
}

const rows: readonly (readonly [string, string, string])[] = [
  ['plain\ttext\r\n', 'plain\ttext\r\n', 'nothing to take out'],
  ['\x1b[1;31mred\x1b[0m', 'red', 'colours'],
  ['\x1b[?25l\x1b[2J\x1b[10;20Hx', 'x', 'modes, erasing, moving'],
  ['\x1b[38:2::1:2:3mx', 'x', 'parameters with colons'],
  ['\x1b[0 qx', 'x', 'an intermediate character'],
  ['\x1b]0;title\x07x', 'x', 'a title ended by BEL'],
  ['\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\', 'link', 'links ended by ST'],
  ['\x1bP1$r0m\x1b\\x\x1b_a\x1b\\y\x1b^b\x1b\\z\x1bXc\x1b\\', 'xyz', 'DCS, APC, PM, SOS'],
  ['\x1b(B\x1b#8\x1b=\x1b>\x1bMx', 'x', 'two and three characters'],
  ['\x9b1mx\x9d0;t\x9cy', 'xy', 'one-character forms'],
  ['\x1b]unterminated\nnext', '\nnext', 'a line feed ends a string and stays'],
  ['\x1b[12\nx', '\nx', 'a line feed ends a sequence and stays'],
  ['\x1b\nx', '\nx', 'a line feed behind ESC'],
  ['\x1b[1\x1b[2mx', 'x', 'ESC starts anew'],
  ['\x1b\x1b[1mx', 'x', 'ESC ESC'],
  ['\x1b[1\x18x\x1b]a\x1ay', 'xy', 'CAN and SUB end a sequence'],
  ['\x1b[1\tx', '\tx', 'a character that does not belong ends it'],
  ['\x1b]a\x1b[1mx', 'x', 'ESC ends a string'],
  ['a\x1bé', 'aé', 'ESC in front of a letter outside ASCII'],
  ['x\x1b[', 'x', 'an end in the middle'],
];

describe('terminal escapes', () => {
  for (const [text, expected, reason] of rows)
    it(`${JSON.stringify(text)} becomes ${JSON.stringify(expected)} (${reason})`, () => {
      assert.equal(strip(text), expected);
      for (let cut = 1; cut < text.length; cut++)
        assert.equal(strip(text.slice(0, cut), text.slice(cut)), expected, `cut at ${cut}`);
    });

  it('keeps every line feed and adds nothing, whatever comes', () => {
    const part = fc.constantFrom(
      '\x1b',
      '[',
      ']',
      'P',
      '\x9b',
      '\x9d',
      '\x9c',
      '\x07',
      '\\',
      '1',
      ';',
      'm',
      ' ',
      '\n',
      'x',
      '\x18',
      'é',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.nat(30), (parts, cut) => {
        const text = parts.join('');
        const stripped = strip(text);
        assert.equal(stripped.split('\n').length, text.split('\n').length);
        assert.ok(!stripped.includes('\x1b'));
        assert.equal(strip(text.slice(0, cut), text.slice(cut)), stripped);
      }),
      { numRuns: 2_000 },
    );
  });
});
