import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { ConversationSession } from '../../../../src/application/assistant/assistantLibrary.ts';
import { isTermindError } from '../../../../src/domain/fault.ts';
import { calls, hangs, says, ScriptedModel, type Turn } from './scriptedModel.ts';
import { lab, LibraryScene } from './libraryScene.ts';

const present = { name: 'present_plan', args: { title: 'Free the disk', scratch_path: 'plan.md' }, id: 'p' };
const prompt = 'Implement the plan "Free the disk" as you presented it (scratch file "plan.md").';
const isStale = (error: unknown): boolean => isTermindError(error) && error.fault.code === 'stale-write';

async function opened(
  ...turns: readonly Turn[]
): Promise<{ scene: LibraryScene; session: ConversationSession }> {
  const scene = new LibraryScene(new ScriptedModel(...turns));
  scene.host.plays({ 'df -h': { code: 0, output: 'full\n' }, 'rm /tmp/a': { code: 0 } });
  scene.files.set('plan.md', '# Plan\n1. rm /tmp/a on lab\n');
  return { scene, session: await scene.library.create() };
}

async function planned(
  ...turns: readonly Turn[]
): Promise<{ scene: LibraryScene; session: ConversationSession }> {
  const { scene, session } = await opened(calls(present), ...turns);
  await session.setPlanning(true);
  await session.send('Free the disk of lab');
  await scene.settled(session);
  return { scene, session };
}

describe('plan mode', () => {
  it('runs what is proven, refuses what is not with words that help, and tells the model its contract', async () => {
    const { scene, session } = await opened(
      calls(
        { name: 'ssh_exec_run', args: { host_id: lab.id, command: 'df -h' }, id: 'read' },
        { name: 'ssh_exec_run', args: { host_id: lab.id, command: 'rm /tmp/a' }, id: 'change' },
        { name: 'manage_tasks', args: { tasks: [] }, id: 'tasks' },
      ),
      says('So.'),
    );
    await session.setPlanning(true);
    await session.send('Plan it');
    await scene.settled(session);
    assert.match(
      scene.model.said(0)[0] ?? '',
      /^user: <context name="plan_mode">\nHow to work on this message:\nPlan mode is on\./,
    );
    const said = scene.model.said(1);
    assert.match(said.find((line) => line.startsWith('result read')) ?? '', /full/);
    assert.match(
      said.find((line) => line.startsWith('error change')) ?? '',
      /^error change: While planning, only commands that are proven read-only run, and this one is not\./,
    );
    assert.ok(said.includes('error tasks: The tool manage_tasks is not available while planning.'));
    assert.deepEqual([scene.host.sent('df -h'), scene.host.sent('rm /tmp/a')], [1, 0]);
  });

  it('keeps its posture in a live run, changes with the next, and is said to be off then', async () => {
    const { scene, session } = await opened(hangs('Let me '), says('Done.'));
    await session.setPlanning(true);
    await session.send('Plan it');
    await scene.reached(session, 'writing');
    await session.setPlanning(false);
    session.stop();
    await scene.settled(session);
    await session.send('Do it');
    await scene.settled(session);
    assert.match(scene.model.said(1).at(-2) ?? '', /Plan mode is off/);
    assert.equal(session.snapshot().summary.planning, false);
  });
});

describe('a plan that was handed over', () => {
  it('waits for a decision, whole, and the run is over', async () => {
    const { scene, session } = await planned();
    const { plan, summary } = session.snapshot();
    assert.equal(summary.run?.state, 'completed');
    assert.deepEqual(
      [plan?.title, plan?.scratchPath, plan?.plan, plan?.callId, plan?.outcome],
      ['Free the disk', 'plan.md', '# Plan\n1. rm /tmp/a on lab\n', 'p', 'pending'],
    );
    assert.equal(scene.model.requests.length, 1);
  });

  it('is implemented by a run that acts', async () => {
    const { scene, session } = await planned(
      calls({ name: 'ssh_exec_run', args: { host_id: lab.id, command: 'rm /tmp/a' } }),
      says('Done.'),
    );
    await session.implementPlan('p');
    assert.equal(session.snapshot().plan?.outcome, 'implemented');
    assert.equal(session.snapshot().summary.planning, false);
    await scene.reached(session, 'waitingForApproval');
    const said = scene.model.said(1);
    assert.match(said.at(-2) ?? '', /Plan mode is off/);
    assert.equal(said.at(-1), `user: ${prompt}`);
    session.stop();
    await scene.settled(session);
    const stored = await scene.store.runs.load(session.id);
    assert.ok(stored !== undefined);
    assert.equal(stored.calls[0]?.planOutcome, 'implemented');
    const origins = stored.messages.flatMap((message) => (message.role === 'user' ? [message.origin] : []));
    assert.deepEqual(origins.at(-1), { kind: 'person', gesture: 'implementPlan' }, 'no words of the person');
  });

  it('is discarded, and then cannot be implemented', async () => {
    const { scene, session } = await planned();
    await session.discardPlan('p');
    assert.equal(session.snapshot().plan?.outcome, 'discarded');
    await assert.rejects(session.implementPlan('p'), isStale);
    await assert.rejects(session.discardPlan('p'), isStale);
    assert.equal(scene.model.requests.length, 1);
  });

  it('is shown as another window decided that was first', async () => {
    const { scene, session } = await planned();
    const { runs } = scene.store;
    const decide = runs.decidePlan.bind(runs);
    runs.decidePlan = async (id, plan) => {
      await decide(id, { ...plan, outcome: 'implemented' });
      return decide(id, plan);
    };
    await assert.rejects(session.discardPlan('p'), isStale);
    assert.equal(session.snapshot().plan?.outcome, 'implemented');
  });

  it('is not decided by the id of another call', async () => {
    const { session } = await planned();
    await assert.rejects(session.implementPlan('other'), isStale);
    assert.equal(session.snapshot().plan?.outcome, 'pending');
  });

  it('is not implemented while another request is worked on', async () => {
    const { scene, session } = await planned(hangs('Wait '));
    await session.send('Something else first');
    await scene.reached(session, 'writing');
    await assert.rejects(session.implementPlan('p'), isStale);
    assert.equal(session.snapshot().plan?.outcome, 'pending');
    session.stop();
    await scene.settled(session);
  });

  it('stays pending when its run cannot begin, and the conversation stays planning', async () => {
    const { scene, session } = await planned();
    scene.hasModel = false;
    await assert.rejects(session.implementPlan('p'));
    assert.equal(session.snapshot().plan?.outcome, 'pending');
    assert.equal((await scene.store.runs.load(session.id))?.summary.planning, true);
  });

  it('is superseded by a later one', async () => {
    const { scene, session } = await planned(calls({ ...present, id: 'p2' }));
    await session.send('Differently');
    await scene.settled(session);
    assert.equal(session.snapshot().plan?.callId, 'p2');
    await assert.rejects(session.implementPlan('p'), isStale);
  });

  it('is still there when the conversation is opened again', async () => {
    const { scene, session } = await planned();
    await session.discardPlan('p');
    const again = new LibraryScene(new ScriptedModel(), scene.store);
    const reopened = await again.library.open(session.id);
    assert.deepEqual(reopened?.snapshot().plan, session.snapshot().plan);
    assert.equal(reopened?.snapshot().summary.planning, true);
  });
});

describe('the tasks of a conversation', () => {
  const tasks = [
    { id: '1', title: 'Look', status: 'completed' },
    { id: '2', title: 'Delete', status: 'in_progress' },
  ];

  it('are the list that the model wrote down last, in a live run and afterwards', async () => {
    const { scene, session } = await opened(
      calls({ name: 'manage_tasks', args: { tasks: tasks.slice(0, 1) }, id: 'a' }),
      calls({ name: 'manage_tasks', args: { tasks }, id: 'b' }),
      hangs('Now '),
    );
    assert.deepEqual(session.snapshot().tasks, []);
    await session.send('Go');
    await scene.reached(session, 'writing');
    assert.deepEqual(session.snapshot().tasks, tasks);
    session.stop();
    await scene.settled(session);
    assert.deepEqual(session.snapshot().tasks, tasks);
  });

  it('do not change by a list that was refused', async () => {
    const { scene, session } = await opened(
      calls({ name: 'manage_tasks', args: { tasks }, id: 'a' }),
      calls({ name: 'manage_tasks', args: { tasks: [tasks[1], { ...tasks[1], id: '3' }] }, id: 'b' }),
      says('So.'),
    );
    await session.send('Go');
    await scene.settled(session);
    assert.deepEqual(session.snapshot().tasks, tasks);
  });
});
