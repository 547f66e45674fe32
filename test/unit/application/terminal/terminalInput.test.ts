import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { PasteOutcome } from '../../../../src/application/terminal/sendPaste.ts';
import {
  TerminalInput,
  type TerminalInputOptions,
} from '../../../../src/application/terminal/terminalInput.ts';
import { pasteEnd, pasteStart, type Paste } from '../../../../src/domain/terminal/paste.ts';
import { settle } from '../../../support/fakeClock.ts';

/** A pane whose shell, person and paste in pieces do as the test says. */
class Pane {
  readonly sent: string[] = [];
  readonly asked: Paste[] = [];
  readonly progress: string[] = [];
  shell: object | undefined = {};
  mustAsk = true;
  answer: (isWanted: boolean) => void = () => {};
  finish: (outcome: PasteOutcome) => void = () => {};
  readonly input = new TerminalInput({
    session: sessionOf(this),
    mustAsk: async () => this.mustAsk,
    ask: (paste) => {
      this.asked.push(paste);
      return new Promise((resolve) => (this.answer = resolve));
    },
    showProgress: (_, cancel) => {
      this.cancel = cancel;
      return {
        sent: (bytes) => this.progress.push(String(bytes)),
        done: () => this.progress.push('done'),
      };
    },
  });
  cancel: () => void = () => {};
}

function sessionOf(pane: Pane): TerminalInputOptions['session'] {
  return {
    get shell() {
      return pane.shell;
    },
    input: (text) => void pane.sent.push(text),
    paste: ({ text }, { shell, onSent }, signal) => {
      if (shell !== pane.shell) return Promise.resolve('gone');
      pane.sent.push(`paste of ${String(text.length)}`);
      onSent?.(1024);
      return new Promise((resolve) => {
        pane.finish = resolve;
        signal.addEventListener('abort', () => {
          pane.sent.push('cancelled');
          resolve('cancelled');
        });
      });
    },
  };
}

describe('the input of a terminal', () => {
  let pane: Pane;
  beforeEach(() => {
    pane = new Pane();
  });
  const twenty = Array.from({ length: 20 }, (_, n) => `line ${String(n)}\r`).join('');
  const large = 'x'.repeat(1024 * 1024);

  it('sends keys at once', () => {
    for (const key of ['l', 's', '\r']) pane.input.handle(key);
    assert.deepEqual(pane.sent, ['l', 's', '\r']);
  });

  it('CON-12: sends nothing of twenty lines before the answer, and all of them after it', async () => {
    pane.input.handle(twenty);
    await settle();
    assert.deepEqual([pane.sent, pane.asked], [[], [{ text: twenty, isBracketed: false }]]);
    pane.answer(true);
    await settle();
    assert.deepEqual(pane.sent, [twenty]);
  });

  it('CON-12: sends nothing of a paste that was cancelled, also when the question fails', async () => {
    pane.input.handle(twenty);
    await settle();
    pane.answer(false);
    await settle();
    const failing = new TerminalInput({
      session: { shell: {}, input: (text) => void pane.sent.push(text), paste: async () => 'sent' },
      mustAsk: () => Promise.reject(new Error('no host')),
      ask: () => Promise.reject(new Error('no window')),
      showProgress: () => ({ sent() {}, done() {} }),
    });
    failing.handle(twenty);
    await settle();
    assert.deepEqual(pane.sent, []);
  });

  it('sends what needs no question without one', async () => {
    pane.mustAsk = false;
    pane.input.handle('uptime');
    await settle();
    assert.deepEqual([pane.sent, pane.asked], [['uptime'], []]);
  });

  it('keeps the marks around a paste and takes the end mark out of it', async () => {
    pane.input.handle(`${pasteStart}a${pasteEnd}\rb${pasteEnd}`);
    await settle();
    pane.answer(true);
    await settle();
    assert.deepEqual(pane.sent, [`${pasteStart}a\rb${pasteEnd}`]);
  });

  it('sends a large one in pieces, with progress, and keys after it', async () => {
    pane.input.handle(large);
    await settle();
    pane.answer(true);
    await settle();
    pane.input.handle('l');
    pane.input.handle('\r');
    assert.deepEqual([pane.sent, pane.progress], [['paste of 1048576'], ['1024']]);
    pane.finish('sent');
    await settle();
    assert.deepEqual(
      [pane.sent, pane.progress],
      [
        ['paste of 1048576', 'l', '\r'],
        ['1024', 'done'],
      ],
    );
  });

  for (const [what, stop] of [
    ['Ctrl+C', (one: Pane) => one.input.handle('\x03')],
    ['the notification', (one: Pane) => one.cancel()],
  ] as const)
    it(`ends a paste that is being sent: ${what}`, async () => {
      pane.mustAsk = false;
      pane.input.handle(large);
      await settle();
      stop(pane);
      await settle();
      const interrupt = what === 'Ctrl+C' ? ['\x03'] : [];
      assert.deepEqual(pane.sent, ['paste of 1048576', 'cancelled', ...interrupt]);
      assert.equal(pane.progress.at(-1), 'done');
      pane.input.handle('x');
      assert.equal(pane.sent.at(-1), 'x');
    });

  it('sends to the shell it was given for and to none that came after it', async () => {
    pane.input.handle(twenty);
    await settle();
    pane.input.handle('y');
    pane.shell = {};
    pane.answer(true);
    await settle();
    pane.input.handle(large);
    await settle();
    pane.shell = {};
    pane.answer(true);
    await settle();
    assert.deepEqual(pane.sent, []);
    pane.input.handle('z');
    assert.deepEqual(pane.sent, ['z']);
  });

  it('asks about one paste after the other', async () => {
    pane.input.handle('a\rb');
    pane.input.handle('c\rd');
    await settle();
    assert.equal(pane.asked.length, 1);
    pane.answer(false);
    await settle();
    assert.equal(pane.asked.length, 2);
    pane.answer(true);
    await settle();
    assert.deepEqual(pane.sent, ['c\rd']);
  });

  it('sends nothing any more when the pane is closed while its question is open', async () => {
    pane.input.handle(twenty);
    await settle();
    pane.input.dispose();
    pane.answer(true);
    await settle();
    pane.input.handle('x');
    assert.deepEqual(pane.sent, []);
  });
});
