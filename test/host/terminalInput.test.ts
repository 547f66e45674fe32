import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { readPaste } from '../../src/domain/terminal/paste.ts';
import { until } from '../e2e/harness/until.ts';

/** What the preview of pastes rests on: the editor hands a text over as one piece, and keys one by one. */
describe('what the editor hands to a terminal of an extension', () => {
  let given: string[];
  let terminal: vscode.Terminal;
  beforeEach(async () => {
    given = [];
    let isOpen = false;
    terminal = vscode.window.createTerminal({
      name: 'paste',
      pty: {
        onDidWrite: new vscode.EventEmitter<string>().event,
        open: () => {
          isOpen = true;
        },
        close: () => {},
        handleInput: (data: string) => void given.push(data),
      },
    });
    terminal.show();
    await until({ what: 'the terminal', probe: () => isOpen });
  });
  afterEach(() => terminal.dispose());

  const lines = Array.from({ length: 20 }, (_, n) => `line ${String(n)}`);
  const long = 'x'.repeat(64 * 1024);

  for (const [what, text] of [
    ['twenty lines', lines.join('\n')],
    ['a line of 64 KiB', long],
  ] as const)
    it(`is one piece when it is a text: ${what}`, async () => {
      terminal.sendText(text, false);
      await until({ what: 'the text', probe: () => given.length > 0 });
      const pasted = text.replaceAll('\n', '\r');
      assert.deepEqual(given, [pasted]);
      assert.deepEqual(readPaste(pasted), { text: pasted, isBracketed: false });
    });
});
