import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  AgentError,
  planningTools,
  presentedPlan,
  taskTools,
  type AgentPolicy,
  type AgentRuntimeOptions,
  type OutputPolicies,
} from '../../../../src/agentkit/index.ts';
import { probeTool } from '../support/probeTool.ts';
import { bench, bodies, finished, person, plainPolicy, prepare, results } from '../support/runHarness.ts';
import { answer, asks, call, scriptedStream } from '../support/scriptedStream.ts';

function scratchWith(files: Readonly<Record<string, string | Buffer>>) {
  return {
    read: async (path: string) => {
      const content = files[path];
      if (content === undefined) throw new AgentError('scratchNotFound', { path });
      return Buffer.from(content);
    },
  };
}

const plan = '# Plan\n1. Look at the disk of lab: df -h\n';
const tools = planningTools({ scratch: scratchWith({ 'plans/disk.md': plan }) });
const presenting = asks(call('p', 'present_plan', { title: 'Free the disk', scratch_path: 'plans/disk.md' }));

describe('present_plan', () => {
  it('hands the plan over and ends the run after its turn', async () => {
    const run = await finished({ answers: [presenting], tools });
    assert.equal(run.state, 'completed');
    assert.deepEqual(bodies(run.events, 'planPresented'), [
      {
        kind: 'planPresented',
        callId: 'p',
        title: 'Free the disk',
        scratchPath: 'plans/disk.md',
        plan,
      },
    ]);
    const [kept] = (await run.stored()).filter((row) => row.role === 'tool');
    assert.deepEqual(kept?.role === 'tool' && presentedPlan.parse(kept.presentation), {
      title: 'Free the disk',
      scratchPath: 'plans/disk.md',
      plan,
    });
    assert.match(results(await run.stored())['p'] ?? '', /"plan":"# Plan\\n1\. Look.*"presented":true/);
  });

  it('answers every call of its turn first', async () => {
    const run = await finished({
      answers: [
        asks(
          call('a', 'probe'),
          call('p', 'present_plan', { title: 'T', scratch_path: 'plans/disk.md' }),
          call('b', 'probe'),
        ),
      ],
      tools: [...tools, probeTool()],
    });
    assert.deepEqual(Object.keys(results(await run.stored())), ['a', 'p', 'b']);
    assert.equal(run.state, 'completed');
  });

  it('goes on with a message that the user wrote meanwhile', async () => {
    const run = await prepare({ answers: [presenting, answer('I change it.')], tools });
    run.runtime.onEvent(({ body }) => {
      if (body.kind === 'planPresented') void run.runtime.steer(person('Not the log.', run.runId));
    });
    assert.equal(await run.runtime.run(), 'completed');
    assert.equal((await run.stored()).at(-1)?.text, 'I change it.');
  });

  it('keeps the whole plan where the result is cut', async () => {
    const long = `${'"'.repeat(60_000)}\nend\n`;
    const run = await finished({
      answers: [asks(call('p', 'present_plan', { title: 'T', scratch_path: 'long' }))],
      tools: planningTools({ scratch: scratchWith({ long }) }),
    });
    const [kept] = (await run.stored()).filter((row) => row.role === 'tool');
    assert.ok(kept?.role === 'tool');
    assert.match(kept.text, /"marker":"\[Showing 0 lines of 2\]"/);
    assert.equal(presentedPlan.parse(kept.presentation).plan, long);
  });

  for (const [why, file, sentence] of [
    ['a file that is not there', undefined, 'Not found in scratch: plan'],
    ['a blank file', ' \n', 'The file is blank.'],
    ['a file that is not text', Buffer.from([0xff, 0xfe]), 'The file is not UTF-8 text.'],
    ['a file above 64 KiB', 'x'.repeat(65_537), 'A plan has at most 65536 bytes; this file has 65537.'],
  ] as const)
    it(`does not end the run over ${why}`, async () => {
      const run = await finished({
        answers: [asks(call('p', 'present_plan', { title: 'T', scratch_path: 'plan' })), answer('Sorry.')],
        tools: planningTools({ scratch: scratchWith(file === undefined ? {} : { plan: file }) }),
      });
      assert.equal(results(await run.stored())['p'], sentence);
      assert.equal((await run.stored()).at(-1)?.text, 'Sorry.');
    });

  it('is not there without scratch', () => assert.deepEqual(planningTools({}), []));
});

describe('manage_tasks', () => {
  const tasks = [
    { id: '1', title: 'Look', status: 'completed' },
    { id: '2', title: 'Delete the log', status: 'in_progress' },
  ];
  const managing = (args: unknown) => [asks(call('t', 'manage_tasks', args)), answer('Next.')];

  it('replaces the list that the user sees', async () => {
    const run = await finished({ answers: managing({ tasks }), tools: taskTools() });
    assert.deepEqual(bodies(run.events, 'tasksUpdated'), [{ kind: 'tasksUpdated', callId: 't', tasks }]);
    assert.match(results(await run.stored())['t'] ?? '', /\{"completed":1,"tasks":2\}/);
  });

  for (const [wrong, args] of [
    ['ids must be unique', { tasks: [tasks[0], tasks[0]] }],
    ['at most one task may be in progress', { tasks: ['1', '2'].map((id) => ({ ...tasks[1], id })) }],
    ['', { tasks: Array.from({ length: 21 }, (_, at) => ({ ...tasks[0], id: String(at) })) }],
    ['', { tasks: [{ id: '1', title: 'x', status: 'done' }] }],
  ] as const)
    it(`refuses a list: ${wrong === '' ? JSON.stringify(args).slice(0, 60) : wrong}`, async () => {
      const run = await finished({ answers: managing(args), tools: taskTools() });
      assert.match(results(await run.stored())['t'] ?? '', new RegExp(`^Invalid arguments: tasks.*${wrong}`));
      assert.deepEqual(bodies(run.events, 'tasksUpdated'), []);
    });
});

describe('a run that plans', () => {
  const planning = (policy: Partial<AgentPolicy> = {}): Partial<AgentRuntimeOptions> => ({
    planning: true,
    policies: { ...plainPolicy, ...policy },
  });

  it('vector 28: refuses what needs a decision and what is for acting only, with a reason', async () => {
    let ran = 0;
    const changing = probeTool('ssh_exec_run', {
      descriptor: { safety: 'requiresAuthorization' },
      execute: () => {
        ran++;
        return { kind: 'success', fields: {} };
      },
    });
    for (const permissionMode of ['ask', 'review', 'full'] as const) {
      const run = await finished({
        answers: [
          asks(call('x', 'ssh_exec_run'), call('t', 'manage_tasks', { tasks: [] }), call('r', 'probe')),
          answer('So.'),
        ],
        tools: [changing, probeTool(), ...taskTools()],
        options: { ...planning(), permissionMode },
      });
      const { x, t, r } = results(await run.stored());
      assert.equal(x, 'While planning, only calls that change nothing run. Put this step into the plan.');
      assert.equal(t, 'The tool manage_tasks is not available while planning.');
      assert.match(r ?? '', /"echo"/);
    }
    assert.equal(ran, 0);
  });

  it('vector 28: cuts a result as the tool is cut when it acts', async () => {
    const lines = Array.from({ length: 2_100 }, (_, at) => `${String(at + 1)}\n`).join('');
    const tool = probeTool('ssh_exec_run', {
      descriptor: { body: { field: 'output', kind: 'text' } },
      execute: () => ({ kind: 'success', fields: {}, body: { content: lines } }),
    });
    const outputPolicies: OutputPolicies = { ssh_exec_run: { strategy: 'tail' } };
    const texts = await Promise.all(
      [true, false].map(async (isPlanning) => {
        const run = await finished({
          answers: [asks(call('x', 'ssh_exec_run')), answer('So.')],
          tools: [tool],
          options: { planning: isPlanning, policies: { ...plainPolicy, outputPolicies } },
        });
        return results(await run.stored())['x'];
      }),
    );
    assert.match(texts[0] ?? '', /\[Showing lines 101-2100 of 2100\]/);
    assert.equal(texts[0], texts[1]);
  });

  it('refuses by list, then by the editor side, then by class', async () => {
    const planGate = {
      blocked: ['listed'],
      hostDecision: ({ descriptor }: { descriptor: { name: string } }) =>
        descriptor.name === 'judged' ? 'Not this one.' : undefined,
    };
    const run = await finished({
      answers: [asks(call('a', 'listed'), call('b', 'judged'), call('c', 'free')), answer('So.')],
      tools: ['listed', 'judged', 'free'].map((name) => probeTool(name)),
      options: planning({ planGate }),
    });
    const { a, b, c } = results(await run.stored());
    assert.deepEqual([a, b], ['The tool listed is not available while planning.', 'Not this one.']);
    assert.match(c ?? '', /"echo"/);
  });

  it('the gate is open when it acts', async () => {
    const run = await finished({
      answers: [asks(call('a', 'listed')), answer('So.')],
      tools: [probeTool('listed')],
      options: { policies: { ...plainPolicy, planGate: { blocked: ['listed'] } } },
    });
    assert.match(results(await run.stored())['a'] ?? '', /"echo"/);
  });

  it('is told the contract in front of its message, and when it is off again', async () => {
    const on = await bench();
    const first = scriptedStream([answer('A plan.')]);
    await finished({ on, answers: [], options: { ...planning(), model: first } });
    const second = scriptedStream([answer('Done.')]);
    await finished({ on, answers: [], prompt: 'Do it', options: { model: second } });
    const texts = (second.requests[0]?.items ?? []).map((item) => item.text);
    assert.deepEqual(texts, [
      'plan_mode: Plan first.',
      'How busy is it?',
      'A plan.',
      'plan_mode: none',
      'Do it',
    ]);
    assert.equal(first.requests[0]?.system, second.requests[0]?.system);
  });

  it('has the same tools as one that acts', async () => {
    const all = [probeTool(), ...taskTools(), ...tools];
    const models = [scriptedStream([answer('A.')]), scriptedStream([answer('B.')])];
    for (const [at, model] of models.entries())
      await finished({ answers: [], tools: all, options: { planning: at === 0, model } });
    assert.deepEqual(models[0]?.requests[0]?.tools, models[1]?.requests[0]?.tools);
  });
});
