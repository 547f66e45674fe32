import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { visibleParts } from '../../../../src/webview/assistant/text/visibleText.ts';

/** The parts as one line: marks in braces. */
function drawn(text: string): string {
  return visibleParts(text)
    .map((part) => (part.kind === 'text' ? part.text : `{${part.label}}`))
    .join('');
}

describe('the exact text of an approval', () => {
  for (const [text, expected, reason] of [
    ['rm -rf /var/log', 'rm -rf /var/log', 'plain text stays'],
    ['größe 漢字 🙂', 'größe 漢字 🙂', 'letters of any script stay'],
    ['a\nb', 'a{↵}b', 'a line break'],
    ['a\tb', 'a{⇥}b', 'a tab'],
    ['a\r\nb', 'a{CR}{↵}b', 'a carriage return'],
    ['a\u001b[2Kb', 'a{ESC}[2Kb', 'an escape sequence'],
    ['a\u0000b\u007fc\u0085', 'a{NUL}b{DEL}c{U+0085}', 'C0, DEL and C1'],
    ['rm \u202egol.ppa', 'rm {U+202E}gol.ppa', 'a change of direction'],
    ['\u2066x\u2069', '{U+2066}x{U+2069}', 'isolates'],
    ['pay\u200bpal', 'pay{U+200B}pal', 'a blank without width'],
    ['a\u00a0b', 'a{U+00A0}b', 'a blank that is none'],
    ['a\u3000b\u2028c', 'a{U+3000}b{U+2028}c', 'a wide blank, a line separator'],
    ['a\u00adb\ufeff', 'a{U+00AD}b{U+FEFF}', 'a soft hyphen, a byte order mark'],
    ['a\u3164b\u2800', 'a{U+3164}b{U+2800}', 'letters that draw nothing'],
    ['a\ufe0fb\u{e0041}', 'a{U+FE0F}b{U+E0041}', 'a variation selector, a tag'],
    ['a\ud800b', 'a{U+D800}b', 'half a character'],
    ['\ue000', '{U+E000}', 'a private character'],
    ['rm a  \nrm b ', 'rm a{·}{·}{↵}rm b{·}', 'blanks at the end of a line'],
  ] as const)
    it(`${reason}: ${JSON.stringify(text)}`, () => {
      assert.equal(drawn(text), expected);
    });

  it('shows every visible character and marks every other, so two texts that differ look different', () => {
    const hidden = fc.constantFrom(
      '\u0000',
      '\u001b',
      '\u200b',
      '\u202e',
      '\u00a0',
      '\n',
      '\t',
      ' ',
      '\ufeff',
    );
    const text = fc
      .array(fc.oneof(hidden, fc.constantFrom('a', 'b', '/')), { maxLength: 12 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, text, (one, other) => {
        assert.equal(drawn(one) === drawn(other), one === other);
      }),
    );
  });
});
