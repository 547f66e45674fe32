import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import type {
  ConfirmQuestion,
  ConnectionPromptPort,
  SecretQuestion,
} from '../../src/application/ports/prompts.ts';
import type { HostKeyQuestion } from '../../src/domain/trust/trust.ts';
import { PromptQueue } from '../../src/platform/vscode/promptQueue.ts';
import { connectionPrompts } from '../../src/platform/vscode/prompts.ts';
import { until } from '../e2e/harness/until.ts';

const question = (change: Partial<SecretQuestion> = {}): SecretQuestion => ({
  kind: 'password',
  hop: 'deploy@db1 (hop 2 of 2, via gate)',
  title: '',
  heading: '',
  prompt: '',
  echo: false,
  canRemember: false,
  isRepeated: false,
  keysLeftOut: 0,
  ...change,
});
const fingerprint = `SHA256:${'A'.repeat(43)}`;
const hostKey: HostKeyQuestion = {
  hop: 'deploy@db1',
  label: 'db1',
  trustName: 'db1',
  port: 2222,
  keyType: 'ssh-ed25519',
  fingerprint,
  why: 'unknown',
  searched: ['store'],
  known: [],
  randomArt: '+----+\n|.S o|\n+----+',
  sharedWith: ['web', 'copy'],
};
const never = new AbortController().signal;
const kinds: readonly SecretQuestion['kind'][] = [
  'password',
  'passphrase',
  'keyboardInteractive',
  'newPassword',
  'repeatPassword',
];

describe('the questions of connections in the editor', () => {
  let prompts: ConnectionPromptPort;
  const putBack: (() => void)[] = [];
  beforeEach(() => {
    prompts = connectionPrompts(new PromptQueue());
  });
  afterEach(async () => {
    for (const one of putBack.splice(0).reverse()) one(); // the last stand-in goes first
    await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
  });

  /** The answers of a question, once there are any. */
  function ask(asked: SecretQuestion, signal: AbortSignal = never): { readonly answers: unknown[] } {
    const answers: unknown[] = [];
    void prompts.secret(asked, signal).then((answer) => answers.push(answer));
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

  /** Replaces a dialog, which a test cannot click, with an answer; gives what it was shown with. */
  function dialog(answer: (items: readonly string[]) => string | undefined): { readonly shown: unknown[][] } {
    const shown: unknown[][] = [];
    const original = vscode.window.showWarningMessage;
    Reflect.set(vscode.window, 'showWarningMessage', async (...words: unknown[]) => {
      shown.push(words);
      return answer(words.slice(2).map(String));
    });
    putBack.push(() => void Reflect.set(vscode.window, 'showWarningMessage', original));
    return { shown };
  }

  for (const kind of kinds)
    it(`Escape at a question of kind ${kind} is no answer`, async () => {
      const { answers } = ask(question({ kind, canRemember: true }));
      assert.equal(await answeredBy('workbench.action.closeQuickOpen', answers), undefined);
    });

  it('gives what was typed, here nothing, and keeps nothing that nobody ticked', async () => {
    const { answers } = ask(question());
    assert.deepEqual(await answeredBy('workbench.action.acceptSelectedQuickOpenItem', answers), {
      text: '',
      remember: false,
    });
  });

  it('the questions of two connections come one after the other, and one that nobody waits for goes away', async () => {
    const gone = new AbortController();
    const first = ask(question(), gone.signal);
    const second = ask(question({ hop: 'root@web' }));
    gone.abort(new Error('the server stopped waiting'));
    await until({ what: 'the end of the first', probe: () => first.answers.length > 0 });
    assert.deepEqual([first.answers, second.answers], [[undefined], []]);
    assert.equal(await answeredBy('workbench.action.closeQuickOpen', second.answers), undefined);
  });

  /** Types into the next input boxes; gives how often one was shown. */
  function typing(...texts: readonly (string | undefined)[]): { shown: number } {
    const seen = { shown: 0 };
    const original = vscode.window.showInputBox;
    Reflect.set(vscode.window, 'showInputBox', async () => texts[seen.shown++]);
    putBack.push(() => void Reflect.set(vscode.window, 'showInputBox', original));
    return seen;
  }

  it('an unknown host key shows what a person needs, and the first button refuses', async () => {
    const { shown } = dialog((items) => items[0]);
    assert.equal(await prompts.hostKey(hostKey, never), 'cancel');
    const text = JSON.stringify(shown[0]);
    for (const part of ['deploy@db1', '[db1]:2222', fingerprint, 'web · copy', '▒█░▓'])
      assert.ok(text.includes(part), part);
    dialog(() => undefined);
    assert.equal(await prompts.hostKey(hostKey, never), 'cancel');
    dialog((items) => items[1]);
    assert.equal(await prompts.hostKey(hostKey, never), 'once');
    dialog((items) => items[2]);
    assert.equal(await prompts.hostKey(hostKey, never), 'remember');
  });

  it('an expected fingerprint accepts the host key that has it, and refuses every other', async () => {
    dialog((items) => items[3]);
    typing(`256 ${fingerprint} root@db1 (ED25519)`);
    assert.equal(await prompts.hostKey(hostKey, never), 'remember');
    typing(`SHA256:${'B'.repeat(43)}`);
    assert.equal(await prompts.hostKey(hostKey, never), 'cancel');
  });

  it('leaving the field for a fingerprint leads back to the host key', async () => {
    let asked = 0;
    dialog((items) => items[asked++ === 0 ? 3 : 1]);
    const fields = typing(undefined);
    assert.deepEqual([await prompts.hostKey(hostKey, never), fields.shown, asked], ['once', 1, 2]);
  });

  const confirmations: readonly ConfirmQuestion[] = [
    { k: 'forwardAgent', hop: 'root@web', endpoint: '/run/agent' },
    { k: 'forwardedSignature', hop: 'root@web', label: 'work key', fingerprint: 'SHA256:abc' },
    { k: 'addHostKeys', hop: 'root@web', keys: ['ssh-rsa SHA256:work key', 'ssh-rsa SHA256:abc'] },
    { k: 'removeHostKeys', hop: 'root@web', keys: ['ssh-rsa SHA256:work key', 'ssh-rsa SHA256:abc'] },
  ];
  for (const confirmation of confirmations)
    it(`the default button, Escape and a closed dialog refuse (${confirmation.k})`, async () => {
      const { shown } = dialog((items) => items[0]);
      assert.equal(await prompts.confirm(confirmation, never), false);
      dialog(() => undefined);
      assert.equal(await prompts.confirm(confirmation, never), false);
      dialog((items) => items[1]);
      assert.equal(await prompts.confirm(confirmation, never), true);
      const [title, options] = shown[0] ?? [];
      const text = JSON.stringify([title, options]);
      assert.match(text, /root@web/);
      assert.match(text, confirmation.k === 'forwardAgent' ? /\/run\/agent/ : /work key.*SHA256:abc/);
    });

  it('a notice about a signature ends with the signature, as not cancelled', async () => {
    const over = new AbortController();
    const answers: boolean[] = [];
    const notice = { hop: 'root@web', label: 'security key', isSecurityKey: true };
    void prompts.signing(notice, over.signal).then((answer) => answers.push(answer));
    over.abort();
    await until({ what: 'the end of the notice', probe: () => answers.length > 0 });
    assert.deepEqual(answers, [false]);
  });
});
