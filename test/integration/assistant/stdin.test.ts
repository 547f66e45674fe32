import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ConversationSession } from '../../../src/application/assistant/assistantLibrary.ts';
import type { SecretFieldQuestion } from '../../../src/application/ports/secretField.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { startLabHost } from './labHost.ts';
import { LabWindow, resultsOf, textOf, unwrapped } from './labWindow.ts';
import { calls, callsOn, command, says, type ScriptedCall } from './scripts.ts';

describe('writing to a command of the assistant on a real host', function () {
  this.timeout(120_000);
  let sshd: Sshd;
  let model: ScriptedModel;
  let window: LabWindow;
  let lab: string;
  let session: ConversationSession;
  const questions: SecretFieldQuestion[] = [];
  const secret = 'sesame / "öffne" dich 4711';

  function open(directory?: string): LabWindow {
    return new LabWindow({
      sshConfig: sshd.configText('lab'),
      baseUrl: model.baseUrl,
      ...(directory === undefined ? {} : { directory }),
      secretField: {
        ask: async (question, shown) => {
          shown();
          questions.push(question);
          return secret;
        },
      },
    });
  }

  beforeEach(async () => {
    questions.length = 0;
    [sshd, model] = await Promise.all([startLabHost(), startScriptedModel()]);
    window = open();
    lab = await window.hostId('lab');
    session = await window.services.assistant.create();
  });
  afterEach(async () => {
    window.close();
    window.remove();
    await Promise.all([sshd.stop(), model.stop()]);
    assert.deepEqual(model.violations, []);
  });

  /** The model uses what the newest result with this field held. */
  const on = (field: string, make: (value: string) => readonly ScriptedCall[]) =>
    callsOn(({ conversation }) => {
      const text = conversation.messages.findLast(
        (message) => message.role === 'tool' && message.text.includes(`"${field}"`),
      )?.text;
      return make(textOf(unwrapped(text ?? ''), field));
    });
  const stdin = (id: string, args: object): ScriptedCall => ({
    id,
    name: 'ssh_exec_stdin',
    args: { ...args },
  });
  const output = (exec_id: string): ScriptedCall => ({
    id: 'out',
    name: 'ssh_exec_output',
    args: { exec_id, wait_ms: 30_000 },
  });

  it('writes what the user allowed, closes the input, and the command ends by itself', async () => {
    const kept = { keep_open: true };
    model.enqueue(
      calls(command('run', lab, { line: 'cat', stdin: { text: 'one\n', ...kept }, yield_ms: 0 })),
      on('exec_id', (exec_id) => [
        stdin('two', { exec_id, text: 'two $(id) "x"\n' }),
        stdin('end', { exec_id, text: 'three', eof: true }),
      ]),
      on('exec_id', (exec_id) => [output(exec_id)]),
      calls({ id: 'list', name: 'ssh_exec_list', args: {} }),
      says('Done.'),
    );
    await session.send('Feed it');
    for (let decision = 0; decision < 3; decision++) await window.decide('approve');
    await window.settled(session);
    const [, two, end, out, list] = resultsOf(session).map(unwrapped);
    assert.deepEqual(
      [two?.['written_bytes'], two?.['stdin_open'], end?.['written_bytes'], end?.['stdin_open']],
      [14, true, 5, false],
    );
    assert.equal(textOf(out, 'output'), 'one\ntwo $(id) "x"\nthree');
    assert.equal(out?.['exit_code'], 0);
    const listed = list?.['commands'] as readonly Record<string, unknown>[];
    assert.deepEqual(
      listed.map(({ command, status, exit_code, stdin_open }) => [command, status, exit_code, stdin_open]),
      [['cat', 'exited', 0, false]],
    );
  });

  it('writes a secret by its handle only, to the command that was named when it was asked for', async () => {
    const line = `read -r given; printf '%s' "$given" | sha256sum; printf '%s\\n' "$given" | tee /dev/stderr`;
    let handle = '';
    model.enqueue(
      calls(command('run', lab, { line, stdin: { keep_open: true }, yield_ms: 0 })),
      calls({
        id: 'ask',
        name: 'request_user_secret',
        args: {
          prompt: 'The word',
          host_id: lab,
          consumer_tool: 'ssh_exec_stdin',
          purpose: 'command_input',
        },
      }),
      on('secret_handle', (given) => {
        handle = given;
        return [command('wrong', lab, { line: 'cat', secret_handle: handle })];
      }),
      on('exec_id', (exec_id) => [stdin('give', { exec_id, secret_handle: handle, eof: true })]),
      on('exec_id', (exec_id) => [output(exec_id)]),
      says('Done.'),
    );
    await session.send('Give it the word');
    for (let decision = 0; decision < 3; decision++) await window.decide('approve');
    await window.settled(session);
    const [, , wrong = '', give = '', out = ''] = resultsOf(session);
    assert.match(wrong, /^The secret_handle is not for command_input on this host by this tool/);
    const { exec_id: _, ...given } = unwrapped(give);
    assert.deepEqual(given, { status: given['status'], written_bytes: null, stdin_open: false });
    const digest = createHash('sha256').update(secret).digest('hex');
    assert.deepEqual(
      textOf(unwrapped(out), 'output').split('\n').sort(),
      ['', '[redacted]', '[redacted]', `${digest}  -`].sort(),
    );
    assert.deepEqual(
      questions.map(({ host, tool, purpose }) => [host, tool, purpose]),
      [['lab', 'ssh_exec_stdin', 'command_input']],
    );
    window.close();
    const stored = readdirSync(window.directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('utf8'));
    const sent = model.requests.map(({ body }) => JSON.stringify(body));
    for (const text of [...stored, ...sent, ...window.log.lines])
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), handle])
        if (text.includes(form)) assert.ok(form === handle && sent.includes(text), text.slice(0, 200));
  });

  it('knows nothing of a command that another window ran', async () => {
    model.enqueue(
      calls(command('run', lab, { line: 'cat', stdin: { keep_open: true }, yield_ms: 0 })),
      says('It runs.'),
    );
    await session.send('Start it');
    await window.decide('approve');
    await window.settled(session);
    const execId = textOf(unwrapped(resultsOf(session)[0] ?? ''), 'exec_id');
    window.close();
    window = open(window.directory);
    const again = await window.services.assistant.open(session.id);
    assert.ok(again);
    model.enqueue(
      calls(stdin('late', { exec_id: execId, text: 'x' }), { id: 'list', name: 'ssh_exec_list', args: {} }),
      says('Gone.'),
    );
    await again.send('Go on');
    await window.settled(again);
    const [, late, list = ''] = resultsOf(again);
    assert.equal(late, 'This command is no longer held; its outcome is unknown.');
    assert.deepEqual(unwrapped(list)['commands'], []);
  });
});
