import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callId, type ModelEvent } from '../../../src/agentkit/index.ts';
import type { ScriptedModel } from '../../lab/scriptedModel.ts';
import { gate, plainResponse, streamResponse } from '../../lab/scriptedResponse.ts';
import { forEachProvider } from './matrix.ts';
import { read, request } from './support.ts';

/** Variables with which the SDKs would change where a request goes and what it carries. */
const environment = {
  OPENAI_API_KEY: 'of-the-environment',
  OPENAI_BASE_URL: 'http://127.0.0.1:1',
  OPENAI_ORG_ID: 'of-the-environment',
  OPENAI_CUSTOM_HEADERS: 'x-extra: of-the-environment\nauthorization: of-the-environment',
  ANTHROPIC_API_KEY: 'of-the-environment',
  ANTHROPIC_AUTH_TOKEN: 'of-the-environment',
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
  ANTHROPIC_CUSTOM_HEADERS: 'x-extra: of-the-environment\nx-api-key: of-the-environment',
  GEMINI_API_KEY: 'of-the-environment',
  GOOGLE_API_KEY: 'of-the-environment',
  GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:1',
};

forEachProvider((provider) => {
  const { wire } = provider;
  const low = (): ReturnType<typeof streamResponse> =>
    streamResponse(wire.answer({ text: 'Low.' }, { turn: 1 }));

  describe(`${provider.name} against a server`, () => {
    let server: ScriptedModel<unknown>;
    beforeEach(async () => {
      server = await provider.start();
    });
    afterEach(() => server.stop());

    it('reads text, figures and the end', async () => {
      const figures = { input: 90, output: 7, cachedInput: 64 };
      server.enqueue(streamResponse(wire.answer({ text: 'The load is low.' }, { turn: 1, figures })));
      const { events, failure } = await read(provider.model(server.baseUrl));
      assert.equal(failure, undefined);
      const text = events.map((event) => (event.kind === 'textDelta' ? event.text : '')).join('');
      assert.equal(text, 'The load is low.');
      const last = events.findLast((event) => event.kind === 'usage')?.usage;
      assert.deepEqual(
        [last?.inputTokens, last?.outputTokens, last?.cachedInputTokens],
        [90, 7, 64],
        'what came from the cache is part of the input',
      );
      assert.deepEqual(
        events.filter((event) => event.kind === 'finished'),
        [{ kind: 'finished', reason: 'completed' }],
      );
    });

    it('reads calls with their ids, names and arguments', async () => {
      const calls = [
        { name: 'a', args: { x: 1 } },
        { name: 'b', args: {} },
      ];
      server.enqueue(streamResponse(wire.answer({ text: 'Looking.', calls }, { turn: 3 })));
      const { events } = await read(provider.model(server.baseUrl));
      assert.deepEqual(assembled(events), [
        { id: callId('call_3_0'), name: 'a', argumentsText: '{"x":1}' },
        { id: callId('call_3_1'), name: 'b', argumentsText: '{}' },
      ]);
      assert.deepEqual(events.find((event) => event.kind === 'finished')?.reason, 'toolCalls');
    });

    it('an event that never ends is no answer, in one line or in many', async () => {
      const line = `data: ${'x'.repeat(1_048_000)}`;
      for (const lines of [Array<string>(17).fill(line), Array<string>(17).fill(`${line}\n`)]) {
        server.enqueue(streamResponse(lines, { ending: 'silence' }));
        const { failure } = await read(provider.model(server.baseUrl));
        assert.deepEqual([failure?.code, failure?.detail], ['malformed', 'an event without end']);
      }
    });

    it('sends the key of this request and no other, and none where there is none', async () => {
      const keys = ['first', 'second', undefined, ''];
      const model = provider.model(server.baseUrl, { apiKey: () => Promise.resolve(keys.shift()) });
      for (const key of ['first', 'second', undefined, undefined]) {
        server.enqueue(low());
        await read(model);
        const sent = server.requests.at(-1)?.headers ?? {};
        assert.equal(wire.keyOf(sent), key);
        assert.equal(JSON.stringify(sent).includes('none'), false, 'not even a placeholder');
      }
    });

    it('sends nothing that it finds in the environment, and what it is told to', async () => {
      const before = { ...process.env };
      Object.assign(process.env, environment);
      try {
        server.enqueue(low());
        const model = provider.model(server.baseUrl, {
          apiKey: () => Promise.resolve('given'),
          headers: { 'x-team': 'operations' },
        });
        assert.equal((await read(model)).failure, undefined);
        const { headers } = await server.request(1);
        assert.equal(JSON.stringify(headers).includes('of-the-environment'), false);
        assert.deepEqual([wire.keyOf(headers), headers['x-team']], ['given', 'operations']);
      } finally {
        for (const name of Object.keys(environment)) Reflect.deleteProperty(process.env, name);
        Object.assign(process.env, before);
      }
    });

    it('follows no redirect: the key is meant for one address', async () => {
      const elsewhere = await provider.start();
      try {
        elsewhere.enqueue(low());
        server.enqueue(({ path }) =>
          plainResponse(307, '', { location: `http://127.0.0.1:${elsewhere.port}${path}` }),
        );
        const { failure } = await read(provider.model(server.baseUrl));
        assert.deepEqual(
          [failure?.code, failure?.status, failure?.detail],
          ['badRequest', 307, 'a redirect, which is not followed'],
        );
        assert.equal(elsewhere.requests.length, 0);
      } finally {
        await elsewhere.stop();
      }
    });

    it('an abort ends the attempt with its reason, and the server sees the line go', async () => {
      const held = gate();
      const [first = '', ...rest] = wire.answer({ text: 'Half of it' }, { turn: 1 });
      server.enqueue(streamResponse([first, ...rest.slice(0, 1), held]));
      const stop = new AbortController();
      const reading = (async () => {
        for await (const event of provider.model(server.baseUrl).stream(request(), stop.signal))
          if (event.kind === 'textDelta') stop.abort(new Error('stopped by a test'));
      })();
      await assert.rejects(reading, { message: 'stopped by a test' });
      assert.equal(await (await server.request(1)).ended, 'broken');
    });

    it('says that it is alive when the head arrives and with every keep-alive', async () => {
      const held = gate();
      server.enqueue(streamResponse([held, ': hi\n\n', ...wire.answer({ text: 'Low.' }, { turn: 1 })]));
      const kinds: string[] = [];
      const signal = AbortSignal.timeout(45_000);
      for await (const event of provider.model(server.baseUrl).stream(request(), signal)) {
        kinds.push(event.kind);
        held.open();
      }
      assert.equal(kinds[0], 'alive');
      assert.ok(kinds.includes('finished'));
    });
  });
});

/** The calls of an answer as the runtime puts them together. */
function assembled(events: readonly ModelEvent[]): unknown[] {
  const calls = new Map<number, { id: unknown; name: unknown; argumentsText: string }>();
  for (const event of events) {
    if (event.kind !== 'toolCallDelta' && event.kind !== 'toolCallSnapshot') continue;
    const before = event.kind === 'toolCallSnapshot' ? undefined : calls.get(event.index);
    calls.set(event.index, {
      id: event.id ?? before?.id,
      name: event.name ?? before?.name,
      argumentsText: (before?.argumentsText ?? '') + event.argumentsText,
    });
  }
  return [...calls.values()];
}
