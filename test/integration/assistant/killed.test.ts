import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callTexts, conversationId } from '../../../src/agentkit/index.ts';
import type { ConversationSession } from '../../../src/application/assistant/assistantLibrary.ts';
import { LogText } from '../../lab/logText.ts';
import { startScriptedModel, type Script, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { appeared } from '../../support/appeared.ts';
import { sharedFolder, startLabHost } from './labHost.ts';
import { LabWindow, resultsOf, unwrapped } from './labWindow.ts';
import { calls, command, says } from './scripts.ts';

describe('a window whose process is killed in the middle of a run', function () {
  this.timeout(60_000);
  let sshd: Sshd;
  let model: ScriptedModel;
  let folder: ReturnType<typeof sharedFolder>;
  let files: string;
  let directory: string;
  let child: ChildProcess | undefined;
  let window: LabWindow | undefined;

  beforeEach(async () => {
    folder = sharedFolder();
    files = folder.path;
    directory = mkdtempSync(join(tmpdir(), 'termind-killed-'));
    [sshd, model] = await Promise.all([startLabHost(), startScriptedModel()]);
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    window?.close();
    folder.remove();
    rmSync(directory, { recursive: true, force: true });
    await Promise.all([sshd.stop(), model.stop()]);
    assert.deepEqual(model.violations, []);
  });

  /** The id of the host as every window on this configuration has it. */
  async function labId(): Promise<string> {
    const probe = new LabWindow({ sshConfig: sshd.configText('lab'), baseUrl: model.baseUrl });
    try {
      return await probe.hostId('lab');
    } finally {
      probe.close();
      probe.remove();
    }
  }

  /** Starts a window in a process of its own that sends one message, kills it at the given point and opens its store again. */
  async function killedAt(
    point: (output: LogText) => Promise<unknown>,
    mode: 'ask' | 'full',
    ...answers: readonly Script[]
  ): Promise<ConversationSession> {
    model.enqueue(...answers);
    const order = {
      directory,
      sshConfig: sshd.configText('lab'),
      baseUrl: model.baseUrl,
      mode,
      text: 'Do it',
    };
    const output = new LogText();
    child = spawn(process.execPath, [join(import.meta.dirname, 'killChild.ts'), JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout?.on('data', (bytes: Buffer) => output.append(bytes.toString()));
    const [, id = ''] = await output.waitFor(/conversation (\S+)/);
    await point(output);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    window = new LabWindow({ directory, sshConfig: order.sshConfig, baseUrl: order.baseUrl });
    const session = await window.services.assistant.open(conversationId(id));
    assert.ok(session);
    return session;
  }

  /** The next message is answered by the model, which got every call answered once. */
  async function goesOn(session: ConversationSession): Promise<readonly string[]> {
    model.enqueue(says('I looked.'));
    await session.send('What happened?');
    await window?.settled(session);
    assert.equal(session.snapshot().messages.at(-1)?.text, 'I looked.');
    const posted = model.requests.at(-1)?.conversation.messages ?? [];
    return posted.flatMap((message) =>
      message.role === 'tool' ? [`${message.callId}: ${message.text}`] : [],
    );
  }

  const lastRun = (session: ConversationSession): unknown => {
    const { runs, readOnly } = session.snapshot();
    return [runs.at(-1)?.state, readOnly, session.isRunning];
  };

  it('before an answer came: nothing ran and nothing is resumed', async () => {
    const session = await killedAt(() => model.request(1), 'full', { steps: [], ending: 'silence' });
    assert.deepEqual(lastRun(session), ['interrupted', false, false]);
    assert.deepEqual(
      session.snapshot().messages.map(({ text }) => text),
      ['Do it'],
    );
    assert.deepEqual(await goesOn(session), []);
    assert.equal(model.requests.length, 2);
  });

  it('before the dispatch, while a decision waits: nothing ran', async () => {
    const target = join(files, 'counter');
    const session = await killedAt(
      (output) => output.waitFor(/approval\n/),
      'ask',
      calls(command('rm', await labId(), `echo ran >> ${target}`)),
    );
    assert.deepEqual(lastRun(session), ['interrupted', false, false]);
    assert.deepEqual(window?.services.assistant.approvals.waiting, []);
    assert.deepEqual(
      session.snapshot().calls.map(({ callId, dispatched }) => [callId, dispatched]),
      [['rm', false]],
    );
    assert.deepEqual(await goesOn(session), [`rm: ${callTexts.unknown}`]);
    assert.equal(existsSync(target), false);
  });

  it('after the dispatch: the outcome is unknown and nothing is repeated', async () => {
    const target = join(files, 'counter');
    const session = await killedAt(
      () => appeared(target),
      'full',
      calls(command('run', await labId(), `echo ran >> ${target}; sleep 600`)),
    );
    assert.deepEqual(lastRun(session), ['interrupted', false, false]);
    const [call] = session.snapshot().calls;
    assert.deepEqual([call?.callId, call?.dispatched, call?.result], ['run', true, undefined]);
    assert.deepEqual(await goesOn(session), [`run: ${callTexts.unknown}`]);
    assert.deepEqual(resultsOf(session), [callTexts.unknown]);
    assert.equal(readFileSync(target, 'utf8'), 'ran\n');
  });

  it('after a result and before its row in the conversation: the result is there', async () => {
    const [first, second] = [join(files, 'first'), join(files, 'second')];
    const lab = await labId();
    const session = await killedAt(
      () => appeared(second),
      'full',
      calls(
        command('one', lab, `echo ran >> ${first}; echo said`),
        command('two', lab, `echo ran >> ${second}; sleep 600`),
      ),
    );
    const [one = ''] = resultsOf(session);
    assert.equal(unwrapped(one)['output'], 'said\n');
    assert.deepEqual(await goesOn(session), [`one: ${one}`, `two: ${callTexts.unknown}`]);
    assert.deepEqual(
      [first, second].map((file) => readFileSync(file, 'utf8')),
      ['ran\n', 'ran\n'],
    );
  });
});
