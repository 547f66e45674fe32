import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import type { Tier } from '../../../../src/domain/host/host.ts';
import {
  mustPreview,
  pasteEnd,
  pasteRisks,
  pasteStart,
  previewPaste,
  readPaste,
} from '../../../../src/domain/terminal/paste.ts';

describe('what the editor hands to a terminal', () => {
  for (const [what, data] of [
    ['a letter', 'a'],
    ['a character outside the basic plane', '😀'],
    ['Enter', '\r'],
    ['Ctrl+C', '\x03'],
    ['Alt+Enter', '\x1b\r'],
    ['Escape', '\x1b'],
    ['an arrow', '\x1b[A'],
    ['an arrow with Alt', '\x1b\x1b[A'],
    ['an arrow in application mode', '\x1bOA'],
    ['a turn of the wheel in a full-screen program', '\x1b[A\x1b[A\x1b[A'],
    ['the mouse', '\x1b[<0;12;40M'],
    ['the mouse, as of old', '\x1b[M !!'],
    ['the focus', '\x1b[I'],
    ['the place of the cursor', '\x1b[24;80R'],
    ['a colour of the terminal', '\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\'],
    ['a version of the terminal', '\x1bP>|xterm.js(5.6.0)\x1b\\'],
  ] as const)
    it(`is no paste: ${what}`, () => {
      assert.equal(readPaste(data), undefined);
    });

  for (const [what, data, text, isBracketed] of [
    ['a word', 'uptime', 'uptime', false],
    ['a command with Enter', 'reboot\r', 'reboot\r', false],
    ['lines', 'a\rb\r', 'a\rb\r', false],
    ['a key in front of a command', '\x1b[Areboot\r', '\x1b[Areboot\r', false],
    ['a command inside a sequence', '\x1b]0;x\rreboot\r\x07', '\x1b]0;x\rreboot\r\x07', false],
    ['marked text', `${pasteStart}a\rb${pasteEnd}`, 'a\rb', true],
    [
      'marked text that ends its marks',
      `${pasteStart}a${pasteEnd}\rreboot\r${pasteEnd}`,
      'a\rreboot\r',
      true,
    ],
    [
      'an end mark that is put together by taking one away',
      `${pasteStart}a\x1b[20${pasteEnd}1~b${pasteEnd}`,
      'ab',
      true,
    ],
  ] as const)
    it(`is a paste: ${what}`, () => {
      assert.deepEqual(readPaste(data), { text, isBracketed });
    });

  it('marked text never holds the end mark', () => {
    const part = fc.constantFrom('\x1b', '[', '2', '0', '1', '~', pasteEnd, 'x', '\r');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const paste = readPaste(`${pasteStart}${parts.join('')}${pasteEnd}`);
        assert.equal(paste?.text.includes(pasteEnd), false);
      }),
    );
  });
});

describe('a paste', () => {
  const plain = (text: string): { text: string; isBracketed: boolean } => ({ text, isBracketed: false });
  for (const [text, risks] of [
    ['uptime', [false, false, false]],
    ['a\tb', [false, false, false]],
    ['a\r', [true, false, false]],
    ['a\nb', [true, false, false]],
    ['x'.repeat(5 * 1024), [false, false, false]],
    ['x'.repeat(5 * 1024 + 1), [false, true, false]],
    ['ä'.repeat(3 * 1024), [false, true, false]],
    ['a\x1b[2Jb', [false, false, true]],
    ['a\x7f', [false, false, true]],
    ['a\u202eb', [false, false, true]],
  ] as const)
    it(`is judged: ${JSON.stringify(text.slice(0, 20))} of ${String(text.length)}`, () => {
      const { hasLineBreak, isLarge, hasControls } = pasteRisks(plain(text));
      assert.deepEqual([hasLineBreak, isLarge, hasControls], risks);
    });

  for (const [tier, isWanted, isBracketed, expected] of [
    [undefined, true, false, true],
    [undefined, true, true, true],
    [undefined, false, false, false],
    ['stage', true, false, true],
    ['stage', false, false, false],
    ['dev', true, false, false],
    ['prod', true, true, true],
    ['prod', false, false, true],
    ['prod', false, true, true],
  ] as const satisfies readonly (readonly [Tier | undefined, boolean, boolean, boolean])[])
    it(`of two lines is shown first: ${expected ? 'yes' : 'no'} (${tier ?? 'no tier'}, ${
      isWanted ? 'wanted' : 'not wanted'
    }, ${isBracketed ? 'marked' : 'not marked'})`, () => {
      assert.equal(mustPreview({ text: 'a\rb', isBracketed }, { tier, isWanted }), expected);
      assert.equal(mustPreview({ text: 'word', isBracketed }, { tier, isWanted }), false);
    });

  it('is shown by its first lines, harmless and bounded, with how much there is', () => {
    const text = [
      '\x1b[31mrm -rf /',
      'y'.repeat(500),
      ...Array.from({ length: 30 }, (_, n) => `line ${String(n)}`),
    ];
    const preview = previewPaste(plain(`${text.join('\r')}\r`));
    assert.deepEqual(
      [preview.lineCount, preview.lines.length, preview.lines[0], preview.lines[2], preview.length],
      [32, 12, '\\x1b[31mrm -rf /', 'line 0', text.join('\r').length + 1],
    );
    assert.ok((preview.lines[1]?.length ?? 0) <= 101);
  });
});
