import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type { SecretFieldPort } from '../../src/application/ports/secretField.ts';
import { PromptQueue } from '../../src/platform/vscode/promptQueue.ts';
import { secretField } from '../../src/platform/vscode/secretField.ts';
import { until } from '../e2e/harness/until.ts';

const question = {
  host: 'lab',
  tool: 'ssh_exec_run',
  purpose: 'sudo',
  conversation: 'Fix nginx',
  words: 'Password for sudo',
};
const never = new AbortController().signal;

describe('the masked field in the editor', () => {
  let field: SecretFieldPort;
  let shown: string[];

  beforeEach(() => {
    field = secretField(new PromptQueue());
    shown = [];
  });
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeQuickOpen'));

  /** Asks, and keeps the answer under the name when it is there. */
  function ask(name: string, signal: AbortSignal = never): { readonly answers: (string | undefined)[] } {
    const answers: (string | undefined)[] = [];
    void field.ask(question, () => void shown.push(name), signal).then((answer) => answers.push(answer));
    return { answers };
  }

  /** Runs a command of the editor again and again until there is an answer: the box opens in another process. */
  async function answeredBy(command: string, answers: readonly unknown[]): Promise<unknown> {
    const probe = async (): Promise<boolean> => {
      await vscode.commands.executeCommand(command);
      return answers.length > 0;
    };
    await until({ what: command, probe });
    return answers[0];
  }

  it('gives what was typed when it is accepted, here nothing', async () => {
    const { answers } = ask('one');
    assert.equal(await answeredBy('workbench.action.acceptSelectedQuickOpenItem', answers), '');
  });

  it('gives nothing when it is closed, and then the next one is shown', async () => {
    const first = ask('first');
    const second = ask('second');
    await until({ what: 'the first field', probe: () => shown.length > 0 });
    assert.deepEqual(shown, ['first']);
    assert.equal(await answeredBy('workbench.action.closeQuickOpen', first.answers), undefined);
    await until({ what: 'the second field', probe: () => shown.length > 1 });
    assert.equal(await answeredBy('workbench.action.closeQuickOpen', second.answers), undefined);
  });

  it('is taken back by Stop, and lets the next one come', async () => {
    const stop = new AbortController();
    const stopped = ask('stopped', stop.signal);
    const next = ask('next');
    await until({ what: 'the field', probe: () => shown.length > 0 });
    stop.abort();
    await until({ what: 'the end of the field', probe: () => stopped.answers.length > 0 });
    assert.deepEqual(stopped.answers, [undefined]);
    await until({ what: 'the next field', probe: () => shown.length > 1 });
    assert.equal(await answeredBy('workbench.action.closeQuickOpen', next.answers), undefined);
  });
});
