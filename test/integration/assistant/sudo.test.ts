import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, describe, it } from 'mocha';
import type { SecretFieldQuestion } from '../../../src/application/ports/secretField.ts';
import type { LabAccount } from '../../lab/account.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import { startSshd, type Sshd } from '../../lab/sshd.ts';
import { createSudoer, sudoObstacle } from '../../lab/sudoer.ts';
import { skipBecause } from '../../skip.ts';
import { LabWindow, resultsOf, textOf, unwrapped } from './labWindow.ts';
import { calls, callsOn, command, says, type ScriptedCall } from './scripts.ts';

describe('a command with sudo, from the question for the password to the output', function () {
  this.timeout(120_000);
  let account: LabAccount | undefined;
  let sshd: Sshd | undefined;
  let model: ScriptedModel | undefined;
  let window: LabWindow | undefined;
  const questions: SecretFieldQuestion[] = [];
  const typed: string[] = [];

  before(function () {
    const obstacle = sudoObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
  });
  afterEach(async () => {
    window?.close();
    window?.remove();
    await Promise.all([sshd?.stop(), model?.stop()]);
    account?.dispose();
    questions.length = 0;
    typed.length = 0;
    assert.deepEqual(model?.violations, []);
  });

  async function open(): Promise<{
    lab: string;
    password: string;
    scripted: ScriptedModel;
    opened: LabWindow;
  }> {
    account = await createSudoer();
    [sshd, model] = await Promise.all([startSshd({ account }), startScriptedModel()]);
    window = new LabWindow({
      sshConfig: sshd.configText('lab'),
      baseUrl: model.baseUrl,
      secretField: {
        ask: async (question, shown) => {
          shown();
          questions.push(question);
          return typed.shift();
        },
      },
    });
    return {
      lab: await window.hostId('lab'),
      password: account.password ?? '',
      scripted: model,
      opened: window,
    };
  }

  const asksFor = (purpose: string, lab: string): ScriptedCall => ({
    id: 'ask',
    name: 'request_user_secret',
    args: { prompt: 'For the restart', host_id: lab, consumer_tool: 'ssh_exec_run', purpose },
  });

  /** The model uses the handle that it was given. */
  const runsWithHandle = (lab: string, line: string): ReturnType<typeof callsOn> =>
    callsOn(({ conversation }) => {
      const last = conversation.messages.findLast(({ role }) => role === 'tool')?.text ?? '';
      return [command('run', lab, { line, secret_handle: unwrapped(last)['secret_handle'] })];
    });

  it('shows the rewritten command, asks again for a wrong password, and keeps it out of everything', async () => {
    const { lab, password, scripted, opened } = await open();
    typed.push('this one is wrong', password);
    const file = join(account?.home ?? '', 'leak');
    writeFileSync(file, `${password}\n`);
    scripted.enqueue(
      calls(asksFor('sudo', lab)),
      runsWithHandle(lab, `sudo sh -c 'id -un; cat ${file}'`),
      says('Done.'),
    );
    const session = await opened.services.assistant.create();
    await session.send('Restart it');
    const { request } = await opened.decide('approve');
    assert.match(
      JSON.stringify(request),
      /sudo -S -p termind-sudo-[0-9a-f]{32} sh -c/,
      'the card shows what will run',
    );
    await opened.settled(session, 60_000);
    const result = unwrapped(resultsOf(session)[1] ?? '');
    assert.deepEqual([result['exit_code'], result['status']], [0, 'exited']);
    assert.match(textOf(result, 'output'), /root\n\[redacted\]/);
    assert.deepEqual(
      questions.map(({ host, tool, purpose }) => [host, tool, purpose]),
      [
        ['lab', 'ssh_exec_run', 'sudo'],
        ['lab', 'ssh_exec_run', 'sudo'],
      ],
    );
    opened.close();
    const everything = readdirSync(opened.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'));
    const sent = scripted.requests.map(({ body }) => JSON.stringify(body));
    for (const text of [...everything, ...sent])
      for (const secret of [password, 'this one is wrong']) assert.equal(text.includes(secret), false);
  });

  it('a secret for sudo is refused to another command, and stays good for sudo', async () => {
    const { lab, password, scripted, opened } = await open();
    typed.push(password);
    let handle: unknown;
    scripted.enqueue(
      calls(asksFor('sudo', lab)),
      callsOn(({ conversation }) => {
        const last = conversation.messages.findLast(({ role }) => role === 'tool')?.text ?? '';
        handle = unwrapped(last)['secret_handle'];
        return [command('other', lab, { line: 'cat', secret_handle: handle })];
      }),
      callsOn(() => [command('right', lab, { line: 'sudo id -un', secret_handle: handle })]),
      says('Done.'),
    );
    const session = await opened.services.assistant.create();
    await session.send('Go');
    await opened.decide('approve');
    await opened.decide('approve');
    await opened.settled(session, 60_000);
    const [, refused, ran] = resultsOf(session);
    assert.match(refused ?? '', /The secret_handle is not for command_input/);
    assert.equal(textOf(unwrapped(ran ?? ''), 'output'), 'root\n');
  });
});
