import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { askPaste } from '../../src/features/terminals/askPaste.ts';

interface Shown {
  readonly question: unknown;
  readonly options: { readonly modal?: boolean; readonly detail?: string };
  readonly buttons: readonly vscode.MessageItem[];
}

describe('the question about a paste', () => {
  const original: unknown = Reflect.get(vscode.window, 'showWarningMessage');
  afterEach(() => void Reflect.set(vscode.window, 'showWarningMessage', original));

  /** Presses a button of the question, or closes it; gives what was shown and what came of it. */
  async function ask(
    text: string,
    press: string | undefined,
    tier?: 'prod',
  ): Promise<{ readonly shown: Shown; readonly isWanted: boolean }> {
    const all: Shown[] = [];
    Reflect.set(
      vscode.window,
      'showWarningMessage',
      async (question: unknown, options: Shown['options'], ...buttons: vscode.MessageItem[]) => {
        all.push({ question, options, buttons });
        return buttons.find(({ title }) => title === press);
      },
    );
    const isWanted = await askPaste({ text, isBracketed: false }, { label: 'db1', tier });
    const [shown] = all;
    assert.ok(shown !== undefined && all.length === 1);
    return { shown, isWanted };
  }

  it('CON-12: shows host, tier, size and the first lines, harmless; the first button cancels', async () => {
    const text = Array.from({ length: 20 }, (_, n) => `\x1b[3${String(n)}m\r`).join('');
    const { shown } = await ask(text, undefined, 'prod');
    assert.equal(shown.question, 'Paste into db1, a production host?');
    assert.equal(shown.options.modal, true);
    assert.deepEqual(shown.options.detail?.split('\n').slice(0, 4), [
      `20 lines, ${String(text.length)} characters`,
      'The program in the terminal takes every line break for the Enter key.',
      '',
      '\\x1b[30m',
    ]);
    assert.equal(shown.options.detail.split('\n').at(-1), '… and 8 more lines');
    assert.deepEqual(
      shown.buttons.map(({ title, isCloseAffordance }) => [title, isCloseAffordance]),
      [
        ['Cancel', true],
        ['Paste', undefined],
      ],
    );
  });

  for (const [press, expected] of [
    ['Paste', true],
    ['Cancel', false],
    [undefined, false],
  ] as const)
    it(`is answered by ${press ?? 'closing it'}: ${expected ? 'sent' : 'not sent'}`, async () => {
      assert.equal((await ask('a\rb', press)).isWanted, expected);
    });
});
