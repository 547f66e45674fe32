import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  callId,
  messageId,
  ProviderError,
  type ModelEvent,
  type ModelItem,
  type ModelRequest,
} from '../../../../src/agentkit/index.ts';
import { editorMessages } from '../../../../src/application/assistant/editorMessages.ts';
import {
  editorModelStream,
  type EditorModelStreamOptions,
} from '../../../../src/application/assistant/editorModelStream.ts';
import { needyTool, probeTool } from '../../agentkit/support/probeTool.ts';
import { bodies, envelope, failureOf, finished, results } from '../../agentkit/support/runHarness.ts';
import type { EditorAnswerPart } from '../../../../src/application/ports/editorModels.ts';
import { editorViolations } from '../../../lab/editorRules.ts';
import { MemoryEditorModel } from './editorModel.ts';

const png = { mediaType: 'image/png', base64: 'iVBORw0KGgo=' };
const tool = { name: 'probe', description: 'Looks.', inputSchema: { type: 'object' } };

const user = (text: string, images: readonly (typeof png)[] = []): ModelItem => ({
  role: 'user',
  id: messageId(`u:${text}`),
  text,
  images,
});
const result = (id: string, text: string): ModelItem => ({
  role: 'tool',
  id: messageId(`r:${id}`),
  callId: callId(id),
  toolName: 'probe',
  text,
  isError: false,
});
const items: readonly ModelItem[] = [
  user('How busy?', [png]),
  {
    role: 'assistant',
    id: messageId('a1'),
    text: 'Looking.',
    reasoning: 'hidden',
    calls: [
      { id: callId('a'), name: 'probe', argumentsText: '{"value":1}' },
      { id: callId('b'), name: 'probe', argumentsText: '{' },
    ],
    providerItems: [],
  },
  result('a', 'up'),
  result('b', 'Invalid.'),
  user(' '),
];
const request: ModelRequest = { system: 'You operate servers.', items, tools: [tool], cacheKey: 'k' };

async function ask(
  options: Partial<EditorModelStreamOptions> & { readonly model: MemoryEditorModel },
  signal: AbortSignal = AbortSignal.timeout(45_000),
): Promise<ModelEvent[]> {
  const stream = editorModelStream({ marks: { tools: true, images: true }, use: 'person', ...options });
  const events: ModelEvent[] = [];
  for await (const event of stream.stream(request, signal)) events.push(event);
  return events;
}

function runWith(model: MemoryEditorModel): ReturnType<typeof finished> {
  const stream = editorModelStream({ model, marks: { tools: true, images: false }, use: 'person' });
  return finished({ answers: [], tools: [needyTool('needs'), probeTool()], options: { model: stream } });
}

describe('a model of the editor', () => {
  it('gets the system prompt as the first user message, and results as one message', () => {
    const messages = editorMessages(request, { tools: true, images: true });
    assert.deepEqual(messages, [
      { role: 'user', parts: [{ kind: 'text', text: 'You operate servers.' }] },
      {
        role: 'user',
        parts: [
          { kind: 'text', text: 'How busy?' },
          { kind: 'image', image: png },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { kind: 'text', text: 'Looking.' },
          { kind: 'call', id: 'a', name: 'probe', input: { value: 1 } },
          { kind: 'call', id: 'b', name: 'probe', input: { invalid_arguments: '{' } },
        ],
      },
      {
        role: 'user',
        parts: [
          { kind: 'result', callId: 'a', text: 'up' },
          { kind: 'result', callId: 'b', text: 'Invalid.' },
        ],
      },
      { role: 'user', parts: [{ kind: 'text', text: '(empty message)' }] },
    ]);
    assert.deepEqual(editorViolations(messages), []);
  });

  it('that is not marked for tools and images is told in words what others did', () => {
    const messages = editorMessages(request, { tools: false, images: false });
    assert.deepEqual(
      messages.map(({ role, parts }) => [
        role,
        parts.map((part) => (part.kind === 'text' ? part.text : part.kind)),
      ]),
      [
        ['user', ['You operate servers.']],
        ['user', ['How busy?\n[Images attached here are left out: this model reads text only.]']],
        ['assistant', ['Looking.', '[Called probe with {"value":1}]', '[Called probe with {]']],
        ['user', ['[Result of probe]\nup', '[Result of probe]\nInvalid.']],
        ['user', ['(empty message)']],
      ],
    );
    assert.deepEqual(editorViolations(messages), []);
  });

  it('answers with text and calls', async () => {
    const model = new MemoryEditorModel({
      answers: [
        [
          { kind: 'text', text: 'Looking.' },
          { kind: 'call', id: callId('c1'), name: 'probe', input: { value: 1 } },
          { kind: 'call', id: callId('c2'), name: 'probe', input: {} },
        ],
      ],
    });
    assert.deepEqual(await ask({ model }), [
      { kind: 'textDelta', text: 'Looking.' },
      { kind: 'toolCallDelta', index: 0, id: 'c1', name: 'probe', argumentsText: '{"value":1}' },
      { kind: 'toolCallDelta', index: 1, id: 'c2', name: 'probe', argumentsText: '{}' },
      { kind: 'finished', reason: 'toolCalls' },
    ]);
    assert.deepEqual(model.asked[0]?.tools, [tool]);
  });

  it('has calls with arguments of every kind, and each that is no object is refused by itself', async () => {
    const circular: Record<string, unknown> = {};
    circular['itself'] = circular;
    const inputs = { missing: undefined, null: null, list: [1], text: '{"value":"a"}', number: 7, circular };
    const model = new MemoryEditorModel({
      answers: [
        [
          ...Object.entries(inputs).map(([id, input]) => ({
            kind: 'call' as const,
            id,
            name: 'needs',
            input,
          })),
          { kind: 'call', id: 'good', name: 'needs', input: { value: 'a' } },
          { kind: 'call', id: 'bare', name: 'probe', input: undefined },
        ],
        [{ kind: 'text', text: 'Low.' }],
      ],
    });
    const run = await runWith(model);
    assert.equal(run.state, 'completed');
    const { good, bare, ...refused } = results(await run.stored());
    assert.deepEqual([good, bare], [envelope('{"echo":"a"}'), envelope('{"echo":""}')]);
    assert.deepEqual(Object.keys(refused), Object.keys(inputs));
    for (const answer of Object.values(refused)) assert.match(answer, /^Invalid arguments: /);
    assert.deepEqual(
      model.asked.flatMap(({ messages }) => editorViolations(messages)),
      [],
    );
  });

  it('has calls apart whose ids are empty or the same', async () => {
    const call = (id: string, value: string): EditorAnswerPart => ({
      kind: 'call',
      id,
      name: 'needs',
      input: { value },
    });
    const model = new MemoryEditorModel({
      answers: [[call('a', '1'), call('a', '2'), call('', '3')], [{ kind: 'text', text: 'Low.' }]],
    });
    const run = await runWith(model);
    assert.deepEqual(
      Object.values(results(await run.stored())),
      ['1', '2', '3'].map((value) => envelope(`{"echo":"${value}"}`)),
    );
  });

  describe('whose answer was cut off by its provider', () => {
    it('gives half a text as an answer, because nothing tells it from a whole one', async () => {
      const run = await runWith(
        new MemoryEditorModel({ answers: [[{ kind: 'text', text: 'The load is l' }]] }),
      );
      assert.deepEqual(
        [run.state, bodies(run.events, 'messageFinished')[0]?.message.stop],
        ['completed', 'completed'],
      );
    });

    it('gives a call without what it needs, which is refused', async () => {
      const cut: EditorAnswerPart = { kind: 'call', id: 'cut', name: 'needs', input: {} };
      const model = new MemoryEditorModel({ answers: [[cut], [{ kind: 'text', text: 'Again.' }]] });
      const run = await runWith(model);
      assert.equal(run.state, 'completed');
      assert.match(results(await run.stored())['cut'] ?? '', /^Invalid arguments: value/);
      assert.deepEqual(bodies(run.events, 'toolStarted'), []);
    });

    it('fails the run where its provider says so, and no call of it runs', async () => {
      const failure = new ProviderError({
        code: 'overloaded',
        retryable: false,
        detail: 'Response too long',
      });
      const call: EditorAnswerPart = { kind: 'call', id: 'a', name: 'needs', input: { value: 'a' } };
      const run = await runWith(new MemoryEditorModel({ failure, answers: [[call]] }));
      assert.deepEqual([run.state, failureOf(run.events)], ['failed', 'modelOverloaded']);
      assert.deepEqual(bodies(run.events, 'toolStarted'), []);
    });
  });

  it('gets no tools unless it is marked for them', async () => {
    const model = new MemoryEditorModel();
    const events = await ask({ model, marks: { tools: false, images: false } });
    assert.deepEqual(events, [
      { kind: 'textDelta', text: 'Low.' },
      { kind: 'finished', reason: 'completed' },
    ]);
    assert.deepEqual(model.asked[0]?.tools, []);
  });

  for (const [consent, use, isSent] of [
    ['given', 'person', true],
    ['given', 'background', true],
    ['open', 'person', true],
    ['open', 'background', false],
    ['refused', 'person', false],
    ['refused', 'background', false],
  ] as const)
    it(`is ${isSent ? 'asked' : 'not asked'} for ${use} when consent is ${consent}`, async () => {
      const model = new MemoryEditorModel({ consent });
      const asking = ask({ model, use });
      if (isSent) await asking;
      else await assert.rejects(asking, { code: 'notPermitted', retryable: false });
      assert.equal(model.asked.length, isSent ? 1 : 0);
    });

  it('works in a run, whose figures are marked as estimates', async () => {
    const model = editorModelStream({
      model: new MemoryEditorModel(),
      marks: { tools: true, images: false },
      use: 'person',
    });
    const run = await finished({ answers: [], options: { model } });
    assert.equal(run.state, 'completed');
    const usage = bodies(run.events, 'usageUpdated')[0]?.usage;
    assert.equal(usage?.estimated, true);
  });

  for (const code of ['notPermitted', 'blocked', 'withdrawn'] as const)
    it(`ends a run once, with its own cause, when the editor says ${code}`, async () => {
      const failure = new ProviderError({ code, retryable: false });
      const model = new MemoryEditorModel({ failure, answers: [[]] });
      const marks = { tools: true, images: false };
      const run = await finished({
        answers: [],
        options: { model: editorModelStream({ model, marks, use: 'person' }) },
      });
      const expected = {
        notPermitted: 'modelNotPermitted',
        blocked: 'modelBlocked',
        withdrawn: 'modelWithdrawn',
      };
      assert.deepEqual([run.state, failureOf(run.events)], ['failed', expected[code]]);
      assert.equal(model.asked.length, 1);
    });

  it('passes on what the editor refuses', async () => {
    const failure = new ProviderError({ code: 'blocked', retryable: false, detail: 'quota' });
    await assert.rejects(ask({ model: new MemoryEditorModel({ failure }) }), failure);
  });

  it('is not finished when it was stopped', async () => {
    const stop = new AbortController();
    stop.abort(new Error('stopped by a test'));
    await assert.rejects(ask({ model: new MemoryEditorModel() }, stop.signal), {
      message: 'stopped by a test',
    });
  });
});
