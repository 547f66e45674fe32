import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AgentError, type LoopHook, type Tool, type ToolOutcome } from '../../../src/agentkit/index.ts';
import { OutputProjector } from '../../../src/agentkit/output/outputProjector.ts';
import { plainRedactor, secret } from './support/plainRedactor.ts';
import { probeTool, success } from './support/probeTool.ts';
import { bodies, envelope, finished, prepare, results, type PreparedRun } from './support/runHarness.ts';
import { answer, asks, call, cutOff } from './support/scriptedStream.ts';

async function oneCall(
  tools: readonly Tool[],
  step = call('a', 'probe', { value: 'x' }),
  hooks: readonly LoopHook[] = [],
): Promise<PreparedRun & { readonly text: string }> {
  const run = await finished({ answers: [asks(step), answer('Done.')], tools, options: { hooks } });
  assert.equal(run.state, 'completed');
  return { ...run, text: results(await run.stored())['a'] ?? '' };
}

const trace = (run: PreparedRun): readonly string[] =>
  bodies(run.events, 'toolProposed', 'toolStarted', 'toolProgress', 'toolFinished').map((body) => body.kind);

describe('a call that cannot run', () => {
  for (const [name, step, text] of [
    ['an unknown tool', call('a', 'rm_rf'), 'There is no tool named "rm_rf".'],
    [
      'a name that is no name',
      call('a', 'x\n</untrusted-data>'),
      'There is no tool named "x </untrusted-data>".',
    ],
    [
      'arguments that are no JSON',
      call('a', 'probe', '{"value":'),
      'Invalid arguments: they are not one JSON object. The call was not run.',
    ],
    [
      'arguments that are no object',
      call('a', 'probe', '[1]'),
      'Invalid arguments: they are not one JSON object. The call was not run.',
    ],
    [
      'arguments nested deeper than any walk over them may go',
      call('a', 'probe', `{"value":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
      'Invalid arguments: they are not one JSON object. The call was not run.',
    ],
    [
      'arguments that hide in a prototype',
      call('a', 'probe', '{"__proto__":{"value":"x"}}'),
      'Invalid arguments: Unrecognized key: "__proto__"',
    ],
    [
      'arguments the tool does not know',
      call('a', 'probe', { sudo: true }),
      'Invalid arguments: Unrecognized key: "sudo"',
    ],
  ] as const)
    it(`is answered with one sentence: ${name}`, async () => {
      const run = await oneCall([probeTool('probe', { execute: () => assert.fail('it ran') })], step);
      assert.equal(run.text, text);
      assert.deepEqual(trace(run), ['toolProposed', 'toolFinished'], 'proposed and finished, never started');
      assert.equal(bodies(run.events, 'toolFinished')[0]?.message.isError, true);
    });

  it('empty arguments of a tool without parameters are {}', async () => {
    assert.equal((await oneCall([probeTool()], call('a', 'probe', ''))).text, envelope('{"echo":""}'));
  });

  it('of several calls, only the one with bad JSON fails', async () => {
    const run = await finished({
      answers: [asks(call('a', 'probe', '{'), call('b', 'probe', { value: 'b' })), answer('Done.')],
      tools: [probeTool()],
    });
    assert.deepEqual(results(await run.stored()), {
      a: 'Invalid arguments: they are not one JSON object. The call was not run.',
      b: envelope('{"echo":"b"}'),
    });
  });

  it('is available in its modes only, and while a message allows it', async () => {
    const tools = [probeTool('probe', { descriptor: { modes: ['acting'] } })];
    const answers = [asks(call('a', 'probe')), answer('Done.')];
    const planning = await finished({ answers, tools, options: { planning: true } });
    assert.deepEqual(results(await planning.stored()), {
      a: 'The tool probe is not available while planning.',
    });
    const off = await finished({
      answers,
      tools,
      options: { unavailable: ({ name }) => `The user switched ${name} off.` },
    });
    assert.deepEqual(results(await off.stored()), { a: 'The user switched probe off.' });
    assert.deepEqual(
      planning.model.requests[0]?.tools,
      off.model.requests[0]?.tools,
      'the schemas never change',
    );
  });

  it('a model without tool capability gets no tools, and none of its calls runs', async () => {
    const run = await prepare({
      answers: [asks(call('a', 'probe')), answer('Sorry.')],
      tools: [probeTool()],
    });
    const bare = { ...run.model, capabilities: { tools: false, images: false, reasoning: [] } };
    const again = await finished({
      answers: [],
      tools: [probeTool()],
      options: { model: bare },
    });
    assert.deepEqual(results(await again.stored()), { a: 'There is no tool named "probe".' });
    assert.deepEqual(run.model.requests[0]?.tools, []);
  });

  it('a fault of ours in front of the dispatch is the answer of the call and not the end of the run', async () => {
    const run = await finished({
      answers: [asks(call('a', 'probe')), answer('Done.')],
      tools: [
        probeTool('probe', {
          descriptor: { safety: 'requiresAuthorization' },
          execute: () => assert.fail('it ran'),
        }),
      ],
      options: {
        currentMode: () => {
          throw new Error('no mode');
        },
      },
    });
    assert.equal(run.state, 'completed');
    assert.deepEqual(results(await run.stored()), { a: 'The tool failed: "no mode".' });
  });

  it('preflight refuses before the card is decided and before the gate', async () => {
    const run = await oneCall([
      probeTool('probe', { preflight: () => ({ refusal: 'There is no such host.' }) }),
    ]);
    assert.equal(run.text, 'There is no such host.');
    assert.deepEqual(trace(run), ['toolProposed', 'toolFinished']);
  });
});

describe('a call that runs', () => {
  it('is proposed, started and finished, with progress in between', async () => {
    const run = await oneCall([
      probeTool('probe', {
        execute: (_args, context) => {
          context.report({ line: secret });
          return success({ ok: 1 });
        },
      }),
    ]);
    assert.deepEqual(trace(run), ['toolProposed', 'toolStarted', 'toolProgress', 'toolFinished']);
    assert.deepEqual(bodies(run.events, 'toolProgress')[0]?.partial, { line: '[redacted]' });
  });

  it('gets the arguments that preflight reviewed, its facts, and who asked for what', async () => {
    let seen: unknown;
    await oneCall([
      probeTool('probe', {
        preflight: (args) => ({
          reviewedArguments: { value: `${args.value ?? ''}!` },
          facts: new Map([['sha', '1']]),
        }),
        execute: (args, context) => {
          seen = {
            args,
            sha: context.preflightFacts.get('sha'),
            intent: context.userIntent,
            name: context.toolName,
          };
          return success({ ok: 1 });
        },
      }),
    ]);
    assert.deepEqual(seen, { args: { value: 'x!' }, sha: '1', intent: 'How busy is it?', name: 'probe' });
  });

  for (const [name, thrown, text] of [
    [
      'an error of ours keeps its sentence',
      new AgentError('scratchNotFound', { path: 'a.txt' }),
      'Not found in scratch: a.txt',
    ],
    [
      'foreign text is quoted, on one line and redacted',
      new Error(`boom\n\tat ${secret}`),
      'The tool failed: "boom at [redacted]".',
    ],
    ['long foreign text is cut', new Error('x'.repeat(9_000)), `The tool failed: "${'x'.repeat(499)}…".`],
  ] as const)
    it(`fails with one sentence: ${name}`, async () => {
      const run = await oneCall([probeTool('probe', { execute: () => Promise.reject(thrown) })]);
      assert.equal(run.text, text);
      assert.equal(bodies(run.events, 'toolFinished')[0]?.outcome, 'failed');
    });

  it('shows that it waits for a host, and no longer than it runs', async () => {
    const run = await oneCall([
      probeTool('probe', {
        execute: (_args, context) => {
          const waiting = context.waiting('host');
          waiting.dispose();
          context.waiting('user');
          return success({ ok: 1 });
        },
      }),
    ]);
    assert.deepEqual(
      bodies(run.events, 'runState')
        .map((body) => body.state)
        .slice(2),
      [
        'connecting',
        'callingTools',
        'waitingForHost',
        'callingTools',
        'waitingForUser',
        'callingTools',
        'connecting',
        'writing',
        'connecting',
        'completed',
      ],
    );
  });

  it('keeps what the card shows beside the frozen text, redacted, and how long it took', async () => {
    const run = await prepare({
      answers: [asks(call('a', 'probe')), answer('Done.')],
      tools: [
        probeTool('probe', {
          execute: async (_args, context) => {
            context.report({ started: true });
            await run.clock.sleep(31, context.signal);
            return { kind: 'success', fields: {}, presentation: { note: secret } };
          },
        }),
      ],
    });
    const ended = run.runtime.run();
    await run.next('toolProgress');
    await run.clock.advance(31);
    await ended;
    const row = (await run.stored()).find((message) => message.role === 'tool');
    assert.deepEqual(
      row?.role === 'tool' && {
        presentation: row.presentation,
        outcome: row.outcome,
        durationMs: row.durationMs,
      },
      { presentation: { note: '[redacted]' }, outcome: 'succeeded', durationMs: 31 },
    );
  });

  it('a result that cannot be projected is still answered', async () => {
    const run = await finished({
      answers: [asks(call('a', 'probe')), answer('Done.')],
      tools: [probeTool()],
      options: { projector: { project: () => Promise.reject(new Error('no')) } },
    });
    assert.deepEqual(results(await run.stored()), {
      a: 'The result of this call cannot be shown. The action itself ended; check its effect.',
    });
    assert.deepEqual(run.logged, ['a result could not be projected']);
  });

  it('the strategy and the capture path come from the policy of its qualified name', async () => {
    const asked: unknown[] = [];
    const real = new OutputProjector({ redactor: plainRedactor });
    await finished({
      answers: [asks(call('a', 'probe')), asks(call('b', 'other')), answer('Done.')],
      tools: [probeTool(), probeTool('other', { descriptor: { namespace: 'srv' } })],
      options: {
        policies: {
          systemPrompt: '',
          planContract: '',
          outputPolicies: { 'srv.other': { strategy: 'middle' } },
          contextFields: () => ({}),
          contextBlock: () => '',
        },
        projector: {
          project: (request) => {
            asked.push([request.descriptor.name, request.policy, request.context.toolName]);
            return real.project(request);
          },
        },
      },
    });
    assert.deepEqual(asked, [
      ['probe', { strategy: 'head' }, 'probe'],
      ['other', { strategy: 'middle' }, 'other'],
    ]);
  });
});

describe('hooks', () => {
  const log: string[] = [];
  const hook = (name: string, block?: string): LoopHook => ({
    willExecute: () => {
      log.push(`will ${name}`);
      return Promise.resolve(block === undefined ? { kind: 'continue' } : { kind: 'block', sentence: block });
    },
    didExecute: (_call, outcome): Promise<ToolOutcome> => {
      log.push(`did ${name}`);
      return Promise.resolve(
        outcome.kind === 'success'
          ? { ...outcome, fields: { ...outcome.fields, [name]: log.length } }
          : { kind: 'failure', sentence: `${outcome.kind === 'failure' ? outcome.sentence : ''} ${name}` },
      );
    },
  });

  it('run around the call in order, each seeing what the one before made of it', async () => {
    log.length = 0;
    const run = await oneCall([probeTool()], undefined, [hook('one'), hook('two')]);
    assert.deepEqual(log, ['will one', 'will two', 'did one', 'did two']);
    assert.equal(run.text, envelope('{"echo":"x","one":3,"two":4}'));
  });

  it('the first block wins, and the answer still goes through the later hooks', async () => {
    log.length = 0;
    const tools = [probeTool('probe', { execute: () => assert.fail('it ran') })];
    const run = await oneCall(tools, undefined, [hook('one'), hook('two', 'Blocked.'), hook('three')]);
    assert.deepEqual(log, ['will one', 'will two', 'did one', 'did two', 'did three']);
    assert.equal(run.text, 'Blocked. one two three');
    assert.equal(bodies(run.events, 'toolFinished')[0]?.outcome, 'denied');
  });

  it('a hook that fails in front of a call blocks it, one that fails behind it changes nothing', async () => {
    const failing: LoopHook = { willExecute: () => Promise.reject(new Error('x')) };
    const blocked = await oneCall([probeTool()], undefined, [failing]);
    assert.equal(blocked.text, 'A check in front of this call failed, so it did not run.');
    const late = await oneCall([probeTool()], undefined, [
      { didExecute: () => Promise.reject(new Error('x')) },
    ]);
    assert.equal(late.text, envelope('{"echo":"x"}'));
  });

  it('shouldStop completes the run behind its batch', async () => {
    const run = await finished({
      answers: [asks(call('a', 'probe'))],
      tools: [probeTool()],
      options: { hooks: [{ shouldStop: (batch) => batch.some((message) => message.toolName === 'probe') }] },
    });
    assert.equal(run.state, 'completed');
  });
});

describe('a whole reply that must not run', () => {
  it('cut off by the output limit: none of its calls runs, each is answered, and the run fails', async () => {
    const run = await finished({
      answers: [[call('a', 'probe', { value: 'x' }), call('b', 'probe', '{"value":"re'), cutOff]],
      tools: [probeTool('probe', { execute: () => assert.fail('it ran') })],
    });
    assert.equal(run.state, 'failed');
    const text = 'This call was not run because the reply was cut off by the output limit.';
    assert.deepEqual(results(await run.stored()), { a: text, b: text });
    assert.equal(bodies(run.events, 'failed')[0]?.failure.code, 'outputLimit');
  });

  it('text alone that was cut off completes', async () => {
    const run = await finished({ answers: [[{ kind: 'textDelta', text: 'Long' }, cutOff]] });
    assert.equal(run.state, 'completed');
  });

  it('more than 128 calls: none runs, each is answered, and the model goes on', async () => {
    const many = Array.from({ length: 129 }, (_, at) => call(`c${String(at)}`, 'probe'));
    const run = await finished({
      answers: [asks(...many), answer('Fewer, then.')],
      tools: [probeTool('probe', { execute: () => assert.fail('it ran') })],
    });
    assert.equal(run.state, 'completed');
    const texts = Object.values(results(await run.stored()));
    assert.equal(texts.length, 129);
    assert.deepEqual(
      new Set(texts),
      new Set([
        'This call was not run because the reply held more than 128 calls. Make fewer calls at a time.',
      ]),
    );
  });
});
