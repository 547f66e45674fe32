import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { ConversationId } from '../../../src/agentkit/index.ts';
import type { ConversationSession } from '../../../src/application/assistant/assistantLibrary.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { LogText } from '../../lab/logText.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import { LabWindow } from './labWindow.ts';
import { calls } from './scripts.ts';

const prompt = 'Implement the plan "Free the disk" as you presented it (scratch file "plan.md").';

describe('a window whose process is killed while it implements a plan', function () {
  this.timeout(120_000);
  let model: ScriptedModel;
  let window: LabWindow;
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    model = await startScriptedModel();
    window = new LabWindow({ sshConfig: '', baseUrl: model.baseUrl });
  });
  afterEach(async () => {
    child?.kill('SIGKILL');
    window.close();
    window.remove();
    await model.stop();
    assert.deepEqual(model.violations, []);
  });

  /** A conversation with a plan that waits. Its window is closed. */
  async function planned(): Promise<ConversationId> {
    model.enqueue(
      calls({ id: 'w', name: 'scratch_write', args: { path: 'plan.md', content: '# Plan\n1. df -h\n' } }),
      calls({ id: 'p', name: 'present_plan', args: { title: 'Free the disk', scratch_path: 'plan.md' } }),
    );
    const session = await window.services.assistant.create();
    await session.setPlanning(true);
    await session.send('Free the disk');
    await window.settled(session);
    window.close();
    return session.id;
  }

  /** Kills a window that implements the plan once it has printed this, and opens its store again. */
  async function killedAt(printed: RegExp): Promise<ConversationSession> {
    const conversation = await planned();
    // One for the window that dies, and one for the click behind it.
    model.enqueue({ steps: [], ending: 'silence' }, { steps: [], ending: 'silence' });
    const { directory } = window;
    const order = { directory, baseUrl: model.baseUrl, conversation, plan: 'p' };
    const output = new LogText();
    child = spawn(process.execPath, [join(import.meta.dirname, 'planChild.ts'), JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout?.on('data', (bytes: Buffer) => output.append(bytes.toString()));
    await output.waitFor(printed);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    window = new LabWindow({ sshConfig: '', baseUrl: model.baseUrl, directory });
    const session = await window.services.assistant.open(conversation);
    assert.ok(session);
    return session;
  }

  /** All of it or nothing: the outcome, the run, its prompt and the end of plan mode. */
  function whole(session: ConversationSession): 'pending' | 'implemented' {
    const { plan, runs, messages, summary } = session.snapshot();
    assert.ok(plan);
    const isDecided = plan.outcome === 'implemented';
    assert.deepEqual(
      {
        outcome: plan.outcome,
        runs: runs.map(({ state }) => state),
        prompts: messages.filter(({ text }) => text === prompt).length,
        planning: summary.planning,
      },
      isDecided
        ? { outcome: 'implemented', runs: ['completed', 'interrupted'], prompts: 1, planning: false }
        : { outcome: 'pending', runs: ['completed'], prompts: 0, planning: true },
    );
    return isDecided ? 'implemented' : 'pending';
  }

  it('at the click: the plan waits and nothing has begun, or its run is there', async () => {
    const session = await killedAt(/implementing\n/);
    if (whole(session) === 'implemented') return;
    await session.implementPlan('p');
    assert.equal(session.snapshot().plan?.outcome, 'implemented');
    session.stop();
    await window.settled(session);
  });

  it('once its run has begun: a second click implements nothing', async () => {
    const session = await killedAt(/event runStarted\n/);
    assert.equal(whole(session), 'implemented');
    const isStale = (error: unknown): boolean => isTermindError(error) && error.fault.code === 'stale-write';
    await assert.rejects(session.implementPlan('p'), isStale);
    assert.equal(whole(session), 'implemented');
  });
});
