import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callTexts, systemClock } from '../../../src/agentkit/index.ts';
import { sse } from '../../lab/chatCompletions.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import { errorResponse, gate, streamResponse } from '../../lab/scriptedResponse.ts';
import { probeTool } from '../../unit/agentkit/support/probeTool.ts';
import {
  bench,
  bodies,
  envelope,
  failureOf,
  finished,
  prepare,
  results,
  type RunSetUp,
} from '../../unit/agentkit/support/runHarness.ts';
import { chatModel } from './support.ts';

const say = (text: string): ReturnType<typeof streamResponse> =>
  streamResponse([sse.begin(), sse.text(text), sse.end('stop', { input: 10, output: 3, cachedInput: 0 })]);

describe('a run over the real wire', () => {
  let server: ScriptedModel;
  beforeEach(async () => {
    server = await startScriptedModel();
  });
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.violations, []);
  });

  const over = (setUp: Omit<RunSetUp, 'answers'> = {}): RunSetUp => ({
    ...setUp,
    answers: [],
    tools: [probeTool(), probeTool('other')],
    options: { model: chatModel(server.baseUrl), ...setUp.options },
  });

  it('answers two parallel calls before the next request', async () => {
    server.enqueue(
      streamResponse([
        sse.begin(),
        sse.text('Looking.'),
        sse.toolCall({ id: 'call_1', name: 'probe', args: { value: 'a' } }),
        sse.toolCall({ id: 'call_2', name: 'other', args: '' }, { index: 1 }),
        sse.end('tool_calls', { input: 40, output: 9, cachedInput: 32 }),
      ]),
      say('The load is low.'),
    );
    const run = await finished(over());
    assert.equal(run.state, 'completed');
    assert.deepEqual((await server.request(2)).conversation, {
      model: 'lab-1',
      messages: [
        { role: 'system', text: 'You operate servers.' },
        { role: 'user', text: 'How busy is it?' },
        {
          role: 'assistant',
          text: 'Looking.',
          calls: [
            { id: 'call_1', name: 'probe', argumentsText: '{"value":"a"}' },
            { id: 'call_2', name: 'other', argumentsText: '{}' },
          ],
        },
        { role: 'tool', callId: 'call_1', text: envelope('{"echo":"a"}') },
        { role: 'tool', callId: 'call_2', text: envelope('{"echo":""}') },
      ],
      toolNames: ['other', 'probe'],
    });
    assert.deepEqual(bodies(run.events, 'usageUpdated')[0]?.usage, {
      inputTokens: 40,
      outputTokens: 9,
      cachedInputTokens: 32,
    });
  });

  it('posts messages that are a byte prefix of those of every later request, over runs and restarts', async () => {
    const on = await bench();
    const called = streamResponse([
      sse.begin(),
      sse.toolCall({ id: 'call_1', name: 'probe', args: '{"value": broken' }),
      sse.toolCall({ id: 'call_2', name: 'probe', args: { value: 'Größe €' } }, { index: 1 }),
      sse.end('tool_calls'),
    ]);
    server.enqueue(called, say('Low.'), called, say('Still low.'), say('Bye.'));
    for (const prompt of ['How busy?', 'And now?', 'Thanks.']) await finished(over({ on, prompt }));
    const posted = server.requests.map(({ body }) => JSON.stringify(body.messages).slice(0, -1));
    assert.equal(posted.length, 5);
    posted
      .slice(1)
      .forEach((later, at) => assert.ok(later.startsWith(posted[at] ?? 'x'), `request ${String(at + 2)}`));
    const tools = new Set(server.requests.map(({ body }) => JSON.stringify(body.tools)));
    assert.equal(tools.size, 1);
  });

  it('keeps working through a rate limit, half a stream and a keep-alive', async () => {
    server.enqueue(
      errorResponse(429, 'Slow down'),
      streamResponse([sse.begin(), sse.text('Half an')], { ending: 'reset' }),
      streamResponse([sse.comment(), sse.begin(), sse.comment(), sse.text('Low.'), sse.end('stop')]),
    );
    const run = await prepare(over());
    const ended = run.runtime.run();
    for (const delayMs of [1_000, 2_000]) {
      await run.next('modelRetryScheduled');
      await run.clock.advance(delayMs);
    }
    assert.equal(await ended, 'completed');
    assert.deepEqual(
      bodies(run.events, 'modelRetryScheduled').map((body) => body.reason),
      ['rateLimited', 'network'],
    );
    assert.deepEqual(
      (await run.stored()).map((row) => row.text),
      ['How busy is it?', 'Low.'],
    );
  });

  for (const [name, answer, code] of [
    ['a wrong key', errorResponse(401, 'Incorrect key'), 'modelUnauthorized'],
    ['nonsense', streamResponse(['data: <html>\n\n']), 'modelMalformed'],
    ['an unknown model', errorResponse(404, 'No such model'), 'modelNotFound'],
  ] as const)
    it(`ends with one named cause on ${name}, and the prompt is kept`, async () => {
      server.enqueue(answer);
      const run = await finished(over());
      assert.deepEqual([run.state, failureOf(run.events)], ['failed', code]);
      assert.deepEqual(
        (await run.stored()).map((row) => row.text),
        ['How busy is it?'],
      );
    });

  it('a length stop with calls: none runs, and each is answered', async () => {
    server.enqueue(
      streamResponse([
        sse.begin(),
        sse.toolCall({ id: 'call_1', name: 'probe', args: { value: 'a' } }),
        sse.toolCall({ id: 'call_2', name: 'probe', args: '{"value":"re' }, { index: 1 }),
        sse.end('length'),
      ]),
    );
    const run = await finished(over());
    assert.deepEqual([run.state, failureOf(run.events)], ['failed', 'outputLimit']);
    assert.deepEqual(results(await run.stored()), { call_1: callTexts.cutOff, call_2: callTexts.cutOff });
    assert.deepEqual(bodies(run.events, 'toolStarted'), []);
  });

  it('Stop takes the line down', async () => {
    const held = gate();
    server.enqueue(streamResponse([sse.begin(), sse.text('Half'), held]));
    const run = await prepare(over({ options: { clock: systemClock } }));
    const ended = run.runtime.run();
    await run.next('messageDelta');
    run.runtime.stop();
    assert.equal(await ended, 'cancelled');
    assert.equal(await (await server.request(1)).ended, 'broken');
  });
});
