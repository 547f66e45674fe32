import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callTexts, systemClock, type Json, type JsonObject } from '../../../src/agentkit/index.ts';
import type { ModelAnswer } from '../../lab/modelConversation.ts';
import type { ScriptedModel } from '../../lab/scriptedModel.ts';
import { gate, silentResponse, streamResponse, type ScriptedResponse } from '../../lab/scriptedResponse.ts';
import { needyTool, probeTool } from '../../unit/agentkit/support/probeTool.ts';
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
import { forEachProvider, type WireCall } from './matrix.ts';

/** The history that was posted, as bytes without its end, and without the cache marks of Anthropic, which move on with each request. */
function postedHistory(raw: string, member: string): string {
  const history = (JSON.parse(raw) as JsonObject)[member] ?? null;
  const bare = (name: string, value: Json): Json | undefined =>
    name === 'cache_control' ? undefined : value;
  return JSON.stringify(history, bare).slice(0, -1);
}

forEachProvider((provider) => {
  const { wire, name } = provider;

  describe(`a run over the wire of ${name}`, () => {
    let server: ScriptedModel<unknown>;
    beforeEach(async () => {
      server = await provider.start();
    });
    afterEach(async () => {
      await server.stop();
      assert.deepEqual(server.violations, []);
    });

    const over = (setUp: Omit<RunSetUp, 'answers'> = {}): RunSetUp => ({
      ...setUp,
      answers: [],
      tools: [probeTool(), probeTool('other')],
      options: { model: provider.model(server.baseUrl), ...setUp.options },
    });
    let turn = 0;
    const say = (answer: ModelAnswer): ScriptedResponse => {
      turn += 1;
      const figures = { input: 40, output: 9, cachedInput: 32 };
      return streamResponse(wire.answer(answer, { turn, figures }));
    };
    beforeEach(() => {
      turn = 0;
    });
    const calls = (end: 'whole' | 'cutOff', made: readonly WireCall[]): ScriptedResponse =>
      streamResponse([...provider.calls(made, end)]);
    const halfArguments = provider.hasArgumentsAsText ? '{"value":"re' : {};
    /** Up to the first word that a person sees. */
    const half = (() => {
      const whole = wire.answer({ text: 'Half' }, { turn: 1 });
      return whole.slice(0, whole.findIndex((event) => event.includes('Half')) + 1);
    })();
    const twoCalls: ModelAnswer = {
      reasoning: 'Look first.',
      text: 'Looking.',
      calls: [
        { name: 'probe', args: { value: 'a' } },
        { name: 'other', args: {} },
      ],
    };

    it('answers two parallel calls before the next request', async () => {
      server.enqueue(say(twoCalls), say({ text: 'The load is low.' }));
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
              { id: 'call_1_0', name: 'probe', argumentsText: '{"value":"a"}' },
              { id: 'call_1_1', name: 'other', argumentsText: '{}' },
            ],
          },
          { role: 'tool', callId: 'call_1_0', text: envelope('{"echo":"a"}') },
          { role: 'tool', callId: 'call_1_1', text: envelope('{"echo":""}') },
        ],
        toolNames: ['other', 'probe'],
      });
      const usage = bodies(run.events, 'usageUpdated')[0]?.usage;
      assert.deepEqual(
        [usage?.inputTokens, usage?.outputTokens, usage?.cachedInputTokens, usage?.estimated],
        [40, 9, 32, undefined],
      );
    });

    it('posts a history that is a byte prefix of every later one, over runs and restarts', async () => {
      const on = await bench();
      server.enqueue(
        say(twoCalls),
        say({ text: 'Low.' }),
        say({ ...twoCalls, calls: [{ name: 'probe', args: { value: 'Größe €' } }] }),
        say({ reasoning: 'Hm.', text: 'Still low.' }),
        say({ text: 'Bye.' }),
      );
      for (const prompt of ['How busy?', 'And now?', 'Thanks.']) await finished(over({ on, prompt }));
      const posted = server.requests.map(({ raw }) => postedHistory(raw, provider.history));
      assert.equal(posted.length, 5);
      posted
        .slice(1)
        .forEach((later, at) =>
          assert.ok(later.startsWith(posted[at] ?? 'x'), `request ${String(at + 2)}: ${later}`),
        );
      const fixed = server.requests.map(({ raw }) => {
        const { tools, system, systemInstruction, instructions } = JSON.parse(raw) as JsonObject;
        return JSON.stringify([tools, system, systemInstruction, instructions]);
      });
      assert.equal(new Set(fixed).size, 1, 'what stands in front of the history never changes');
    });

    it('keeps working through a rate limit, half a stream and a keep-alive', async () => {
      const [first = '', ...rest] = wire.answer({ text: 'Low.' }, { turn: 1 });
      server.enqueue(
        wire.error(429, 'Slow down'),
        streamResponse(half, { ending: 'reset' }),
        streamResponse([': hi\n\n', first, ': hi\n\n', ...rest]),
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

    it('gives a server 120 seconds for its first byte, and as long for each that follows', async () => {
      server.enqueue(silentResponse, streamResponse(half, { ending: 'silence' }), say({ text: 'Low.' }));
      const run = await prepare(over());
      const ended = run.runtime.run();
      await server.request(1);
      await run.clock.advance(120_000);
      const begun = run.next('messageDelta');
      await run.clock.advance(1_000);
      await begun;
      await run.clock.advance(120_000);
      await run.clock.advance(2_000);
      assert.equal(await ended, 'completed');
      assert.deepEqual(
        bodies(run.events, 'modelRetryScheduled').map((body) => body.reason),
        ['timeout', 'timeout'],
      );
      assert.equal(await server.requests[0]?.ended, 'broken');
    });

    for (const [problem, answer, code] of [
      ['a wrong key', wire.error(401, 'Incorrect key'), 'modelUnauthorized'],
      ['nonsense', streamResponse(['event: x\ndata: <html>\n\n', 'data: <html>\n\n']), 'modelMalformed'],
      ['an unknown model', wire.error(404, 'No such model'), 'modelNotFound'],
    ] as const)
      it(`ends with one named cause on ${problem}, and the prompt is kept`, async () => {
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
        calls('cutOff', [
          { id: 'call_1', name: 'probe', args: { value: 'a' } },
          { id: 'call_2', name: 'probe', args: halfArguments },
        ]),
      );
      const run = await finished(over());
      assert.deepEqual([run.state, failureOf(run.events)], ['failed', 'outputLimit']);
      assert.deepEqual(results(await run.stored()), { call_1: callTexts.cutOff, call_2: callTexts.cutOff });
      assert.deepEqual(bodies(run.events, 'toolStarted'), []);
    });

    it('arguments that are no JSON object fail their call alone', async () => {
      const missing = provider.hasArgumentsAsText ? '' : undefined;
      const broken = { missing, null: null, list: [1], text: '{"value": broken', number: 7, yes: true };
      server.enqueue(
        calls('whole', [
          ...Object.entries(broken).map(([id, args]) => ({ id, name: 'needs', args })),
          { id: 'good', name: 'needs', args: { value: 'a' } },
          { id: 'bare', name: 'probe', args: missing },
        ]),
        say({ text: 'Low.' }),
      );
      const run = await finished({ ...over(), tools: [needyTool('needs'), probeTool()] });
      assert.equal(run.state, 'completed');
      const { good, bare, ...refused } = results(await run.stored());
      assert.deepEqual([good, bare], [envelope('{"echo":"a"}'), envelope('{"echo":""}')]);
      assert.deepEqual(Object.keys(refused), Object.keys(broken));
      for (const answer of Object.values(refused)) assert.match(answer, /^Invalid arguments: /);
      assert.deepEqual(
        bodies(run.events, 'toolStarted').map((body) => body.callId),
        ['good', 'bare'],
      );
    });

    it('goes on behind calls of tools that nobody has, under names that no tool can have', async () => {
      const made = ['df -h', '', 'functions.probe', 'x'.repeat(200)];
      server.enqueue(
        calls(
          'whole',
          made.map((toolName, at) => ({ id: `call_${String(at)}`, name: toolName, args: {} })),
        ),
        say({ text: 'Low.' }),
      );
      const run = await finished(over());
      assert.equal(run.state, 'completed');
      const answers = Object.values(results(await run.stored()));
      assert.equal(answers.length, made.length);
      for (const answer of answers) assert.match(answer, /^There is no tool named /);
    });

    it('goes on behind a length stop in the middle of a call', async () => {
      const on = await bench();
      server.enqueue(
        calls('cutOff', [{ id: 'call_1', name: 'probe', args: halfArguments }]),
        say({ text: 'Low.' }),
      );
      await finished(over({ on }));
      assert.equal((await finished(over({ on, prompt: 'Go on.' }))).state, 'completed');
    });

    it('Stop takes the line down, and a Retry behind the half answer is a valid request', async () => {
      const on = await bench();
      const held = gate();
      server.enqueue(streamResponse([...half, held]), say({ text: 'Low.' }));
      const run = await prepare(over({ on, options: { clock: systemClock } }));
      const ended = run.runtime.run();
      await run.next('messageDelta');
      run.runtime.stop();
      assert.equal(await ended, 'cancelled');
      assert.equal(await (await server.request(1)).ended, 'broken');
      assert.equal((await finished(over({ on }))).state, 'completed');
    });
  });
});
