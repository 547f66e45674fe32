import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callTexts, conversationId } from '../../../src/agentkit/index.ts';
import type { ConversationSession } from '../../../src/application/assistant/assistantLibrary.ts';
import { LogText } from '../../lab/logText.ts';
import { startScriptedModel, type Script, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { appeared } from '../../support/appeared.ts';
import { goesOnEverywhere, type Remains } from './goesOnEverywhere.ts';
import { sharedFolder, startLabHost } from './labHost.ts';
import { LabWindow, resultsOf, unwrapped } from './labWindow.ts';
import { calls, command } from './scripts.ts';

describe('a window whose process is killed in the middle of a run', function () {
  this.timeout(120_000);
  let sshd: Sshd;
  let model: ScriptedModel;
  let folder: ReturnType<typeof sharedFolder>;
  let files: string;
  let directory: string;
  let child: ChildProcess | undefined;
  let window: LabWindow | undefined;
  let remains: Remains | undefined;

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
    if (remains !== undefined) rmSync(remains.directory, { recursive: true, force: true });
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
    remains = {
      directory: mkdtempSync(join(tmpdir(), 'termind-remains-')),
      sshConfig: order.sshConfig,
      id: conversationId(id),
    };
    cpSync(directory, remains.directory, { recursive: true });
    window = new LabWindow({ directory, sshConfig: order.sshConfig, baseUrl: order.baseUrl });
    const session = await window.services.assistant.open(conversationId(id));
    assert.ok(session);
    return session;
  }

  /** Every adapter goes on with what the dead process left, and its request says this of the calls. */
  async function everyAdapterSays(...answers: readonly string[]): Promise<void> {
    assert.ok(remains);
    for (const [name, said] of Object.entries(await goesOnEverywhere(remains)))
      assert.deepEqual(said, answers, name);
  }

  /** What the operations log says of each call: on what it ran, and how it ended. */
  async function logged(): Promise<readonly unknown[]> {
    assert.ok(window);
    const { operations } = window.services;
    assert.equal((await operations.verify(new AbortController().signal)).fault, undefined);
    const { operations: newestFirst } = await operations.timeline({ hostId: undefined, limit: 1_000 });
    return newestFirst.flatMap((one) =>
      one.k === 'call' ? [[one.call.callId, one.started?.ground.kind, one.ended?.outcome]] : [],
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
    await everyAdapterSays();
    assert.equal(model.requests.length, 1);
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
    await everyAdapterSays(`rm: ${callTexts.unknown}`);
    assert.equal(existsSync(target), false);
    assert.deepEqual(await logged(), [], 'nothing was done');
  });

  it('while a start is stored: what ran has one, the outcome is unknown, and nothing is repeated', async () => {
    const target = join(files, 'counter');
    const session = await killedAt(
      (output) => output.waitFor(/event toolStarted\n/),
      'full',
      calls(command('run', await labId(), `echo ran >> ${target}; sleep 600`)),
    );
    await everyAdapterSays(`run: ${callTexts.unknown}`);
    const [call] = session.snapshot().calls;
    const ran = existsSync(target) ? readFileSync(target, 'utf8') : '';
    assert.ok(ran === '' || (ran === 'ran\n' && call?.dispatched === true), ran);
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
    await everyAdapterSays(`run: ${callTexts.unknown}`);
    assert.equal(readFileSync(target, 'utf8'), 'ran\n');
    assert.deepEqual(await logged(), [['run', 'fullAccess', 'unknown']]);
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
    await everyAdapterSays(`one: ${one}`, `two: ${callTexts.unknown}`);
    assert.deepEqual(await logged(), [
      ['two', 'fullAccess', 'unknown'],
      ['one', 'fullAccess', 'succeeded'],
    ]);
    assert.deepEqual(
      [first, second].map((file) => readFileSync(file, 'utf8')),
      ['ran\n', 'ran\n'],
    );
  });
});
