import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  createRedactor,
  createSecretRegistry,
  OutputProjector,
  secretConsumers,
  userInteractionTools,
  type AgentRuntimeOptions,
  type SecretConsumers,
  type Tool,
  type UserSecretPort,
  type UserSecretRequest,
} from '../../../../src/agentkit/index.ts';
import { deferred } from '../support/deferred.ts';
import { probeTool, success } from '../support/probeTool.ts';
import { bench, bodies, finished, prepare, results, type Bench } from '../support/runHarness.ts';
import { answer, asks, call, say, callsDone, scriptedStream, type Step } from '../support/scriptedStream.ts';

const value = 'correct-horse-battery';
const consumers: SecretConsumers = {
  tools: [
    { name: 'ssh_exec_run', purposes: ['sudo', 'command_input'] },
    { name: 'ssh_exec_stdin', purposes: ['command_input'] },
  ],
  hostLabel: async (id) => (id === 'h1' ? 'lab' : undefined),
};
const question = {
  prompt: 'Password for sudo',
  host_id: 'h1',
  consumer_tool: 'ssh_exec_run',
  purpose: 'sudo',
};
const expired = '<untrusted-data>\n{"secret_handle":"expired","single_use":true}\n</untrusted-data>';

class Field implements UserSecretPort {
  readonly requests: UserSecretRequest[] = [];
  given: Buffer | 'cancelled' | 'timedOut' | Promise<Buffer> = Buffer.from(value);

  async ask(request: UserSecretRequest): Promise<Buffer | 'cancelled' | 'timedOut'> {
    this.requests.push(request);
    return this.given;
  }
}

function scene(field = new Field()) {
  const known = createSecretRegistry();
  const redactor = createRedactor(known);
  /** Stands in for the tool that uses secrets: takes any arguments that name a handle. */
  const consumer: Tool = {
    ...probeTool('ssh_exec_run'),
    validate: (raw) => ({ ok: true, value: raw }),
    execute: async (args, context) => {
      const { runId } = context;
      const use = { runId, tool: 'ssh_exec_run', hostId: 'h1', purpose: 'sudo' };
      const { secret_handle: handle } = args;
      const consumed = context.secrets.consume(typeof handle === 'string' ? handle : '', use);
      return success({ consumed: consumed.kind });
    },
  };
  const options: Partial<AgentRuntimeOptions> = {
    redactor,
    secretRegistry: known,
    projector: new OutputProjector({ redactor }),
  };
  const tools = [...userInteractionTools({ secret: field, consumers }), consumer];
  return { field, tools, options };
}

/** A model that asks for a secret and uses the handle it got; some broken, some in words. */
function usingModel(...uses: readonly ((handle: string) => readonly Step[])[]) {
  const first = scriptedStream([asks(call('s', 'request_user_secret', question))]);
  const requests: Parameters<typeof first.stream>[0][] = [];
  return {
    ...first,
    requests,
    async *stream(...[request, signal]: Parameters<typeof first.stream>) {
      requests.push(request);
      if (requests.length === 1) {
        yield* first.stream(request, signal);
        return;
      }
      const text = request.items.findLast((item) => item.role === 'tool' && item.callId === 's')?.text ?? '';
      const handle = /"secret_handle":"([^"]+)"/.exec(text)?.[1] ?? '';
      const step = uses[requests.length - 2] ?? (() => answer('Done.'));
      yield* scriptedStream([step(handle)]).stream(request, signal);
    },
  };
}

async function storedText(on: Bench): Promise<string> {
  return JSON.stringify(await on.store.load(on.conversationId));
}

describe('request_user_secret', () => {
  it('gives the model a handle, which is good once and gone with the run', async () => {
    const { tools, options, field } = scene();
    const seen: string[] = [];
    const use = (handle: string): readonly Step[] => {
      seen.push(handle);
      return asks(call(`c${String(seen.length)}`, 'ssh_exec_run', { secret_handle: handle }));
    };
    const model = usingModel(use, use);
    const run = await finished({ answers: [], tools, options: { ...options, model } });
    assert.equal(run.state, 'completed');
    assert.match(seen[0] ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(seen[1], seen[0]);
    const texts = results(await run.stored());
    assert.deepEqual(
      [texts['c1'], texts['c2']].map((text) => /"consumed":"(\w+)"/.exec(text ?? '')?.[1]),
      ['consumed', 'notFound'],
    );
    const [asked] = field.requests;
    assert.deepEqual(
      [asked?.prompt, asked?.host, asked?.consumerTool, asked?.purpose, asked?.timeoutMs],
      ['Password for sudo', 'lab', 'ssh_exec_run', 'sudo', 300_000],
    );
  });

  it('vector 22: stored history holds neither handle nor secret, in any form, from the start', async () => {
    const { tools, options } = scene();
    const handles: string[] = [];
    const on = await bench();
    const snapshots: string[] = [];
    on.store.before = async (method) => {
      if (method !== 'load') snapshots.push(await storedText(on));
    };
    const model = usingModel(
      (handle) => {
        handles.push(handle);
        return [
          say(`I use ${handle}.`),
          call('ok', 'ssh_exec_run', { secret_handle: handle, value: 'x' }),
          call('broken', 'ssh_exec_run', `{"secret_handle": "${handle}"`),
          callsDone,
        ];
      },
      (handle) => answer(`It was ${handle} and ${value}`),
    );
    const run = await finished({ on, answers: [], tools, options: { ...options, model } });
    on.store.before = () => {};
    const [handle = 'none'] = handles;
    const everything = [...snapshots, await storedText(on)].join('\n');
    assert.equal(everything.includes(handle), false);
    assert.equal(everything.includes(value), false);
    const durable = bodies(run.events, 'toolProposed', 'toolStarted', 'toolFinished', 'messageFinished');
    assert.equal(JSON.stringify(durable).includes(handle), false);
    assert.equal(results(await run.stored())['s'], expired);
    const [, second] = (await run.stored()).filter((row) => row.role === 'assistant');
    assert.deepEqual(second?.role === 'assistant' && second.calls.map((made) => made.argumentsText), [
      '{"value":"x"}',
      '{"secret_handle": "[redacted]"',
    ]);
  });

  it('vector 22: a later run is sent the expired form', async () => {
    const { tools, options } = scene();
    const on = await bench();
    const model = usingModel((handle) => asks(call('c', 'ssh_exec_run', { secret_handle: handle })));
    await finished({ on, answers: [], tools, options: { ...options, model } });
    const later = scriptedStream([answer('Yes.')]);
    await finished({ on, answers: [], tools, prompt: 'Again', options: { ...options, model: later } });
    const items = later.requests[0]?.items ?? [];
    assert.equal(items.find((item) => item.role === 'tool' && item.callId === 's')?.text, expired);
    assert.ok(
      items.every((item) => item.role !== 'assistant' || !JSON.stringify(item.calls).includes('handle')),
    );
  });

  it('within the run the request keeps its bytes', async () => {
    const { tools, options } = scene();
    const model = usingModel(
      (handle) => asks(call('c', 'ssh_exec_run', { secret_handle: handle })),
      () => asks(call('d', 'ssh_exec_run', {})),
    );
    await finished({ answers: [], tools, options: { ...options, model } });
    const bytes = model.requests.map(({ items }) => items.map((item) => JSON.stringify(item)).join('\n'));
    for (let at = 1; at < bytes.length; at++) assert.ok(bytes[at]?.startsWith(bytes[at - 1] ?? ''));
  });

  it('overwrites what was typed when the run is stopped', async () => {
    const { tools, options, field } = scene();
    const typed = deferred<Buffer>();
    field.given = typed.promise;
    const run = await prepare({
      answers: [asks(call('s', 'request_user_secret', question))],
      tools,
      options,
    });
    const state = run.runtime.run();
    while (field.requests.length === 0) await run.clock.advance(0);
    assert.equal(run.runtime.state, 'waitingForUser');
    run.runtime.stop();
    assert.equal(await state, 'cancelled');
    const late = Buffer.from(value);
    typed.resolve(late);
    await run.clock.advance(0);
    assert.ok(late.every((byte) => byte === 0));
  });

  it('overwrites what nobody used when the run ends, however it ends', async () => {
    for (const last of [answer('I do not need it.'), [new Error('the line is gone')]]) {
      const { tools, options, field } = scene();
      const given = Buffer.from(value);
      field.given = given;
      await finished({
        answers: [asks(call('s', 'request_user_secret', question)), last],
        tools,
        options,
      });
      assert.ok(given.every((byte) => byte === 0));
    }
  });

  for (const [given, sentence] of [
    ['cancelled', 'The user gave no secret.'],
    ['timedOut', 'The user did not answer within 300 seconds.'],
    [Buffer.alloc(0), 'The user gave no secret.'],
  ] as const)
    it(`says that there is none: ${typeof given === 'string' ? given : 'empty'}`, async () => {
      const { tools, options, field } = scene();
      field.given = given;
      const run = await finished({
        answers: [asks(call('s', 'request_user_secret', question)), answer('Pity.')],
        tools,
        options,
      });
      assert.equal(results(await run.stored())['s'], sentence);
    });

  for (const [why, wrong, sentence] of [
    ['an unknown host', { host_id: 'h9' }, /^There is no host with this id/],
    ['a purpose the tool does not know', { consumer_tool: 'ssh_exec_stdin' }, /takes no secret for sudo\.$/],
    ['an unknown consumer', { consumer_tool: 'fetch' }, /^Invalid arguments: consumer_tool/],
    ['a blank prompt', { prompt: ' ' }, /^Invalid arguments: prompt/],
    [
      'a wait of half an hour and a second',
      { timeout_seconds: 1_801 },
      /^Invalid arguments: timeout_seconds/,
    ],
  ] as const)
    it(`asks nobody about ${why}`, async () => {
      const { tools, options, field } = scene();
      const run = await finished({
        answers: [asks(call('s', 'request_user_secret', { ...question, ...wrong })), answer('Pity.')],
        tools,
        options,
      });
      assert.match(results(await run.stored())['s'] ?? '', sentence);
      assert.deepEqual(field.requests, []);
    });

  it('is not there when nobody could be asked, or nobody could use a secret', () => {
    const secret = new Field();
    const names = (tools: readonly Tool[]): readonly string[] =>
      tools.map(({ descriptor }) => descriptor.name);
    assert.deepEqual(names(userInteractionTools({ consumers })), []);
    assert.deepEqual(names(userInteractionTools({ secret })), []);
    assert.deepEqual(names(userInteractionTools({ secret, consumers: { ...consumers, tools: [] } })), []);
    assert.deepEqual(names(userInteractionTools({ secret, consumers })), ['request_user_secret']);
  });

  it('may go to the tools that declare what they use secrets for, and to no other', () => {
    const hostLabel = async (): Promise<string> => 'lab';
    const plain = probeTool('list_hosts');
    const using = probeTool('ssh_exec_run');
    const declaring: Tool = {
      ...using,
      descriptor: { ...using.descriptor, secretPurposes: ['sudo', 'command_input'] },
    };
    assert.deepEqual(secretConsumers([plain, using], hostLabel), { tools: [], hostLabel });
    assert.deepEqual(secretConsumers([plain, declaring], hostLabel), {
      tools: [{ name: 'ssh_exec_run', purposes: ['sudo', 'command_input'] }],
      hostLabel,
    });
  });
});
