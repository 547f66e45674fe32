import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { APIUserAbortError, NotFoundError, OpenAI, RateLimitError } from 'openai';
import type { ChatCompletionChunk, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { answerEvents, sse } from '../../lab/chatCompletions.ts';
import {
  startScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
} from '../../lab/scriptedModel.ts';
import {
  errorResponse,
  gate,
  plainResponse,
  silentResponse,
  streamResponse,
} from '../../lab/scriptedResponse.ts';

const hello = [
  sse.begin(),
  sse.text('Hel'),
  sse.text('lo, Wörld €'),
  sse.end('stop', { input: 9, output: 3, cachedInput: 4 }),
];

describe('scripted model, through the openai package', () => {
  let model: ScriptedModel;

  afterEach(() => model.stop());

  async function start(options: ScriptedModelOptions): Promise<void> {
    model = await startScriptedModel(options);
  }

  function client(): OpenAI {
    return new OpenAI({ baseURL: model.baseUrl, apiKey: 'key-1', maxRetries: 0, logLevel: 'off' });
  }

  function post(messages: ChatCompletionMessageParam[], signal?: AbortSignal) {
    const body = { model: 'lab-1', messages, stream: true, stream_options: { include_usage: true } } as const;
    return client().chat.completions.create(body, signal === undefined ? {} : { signal });
  }

  async function ask(messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hi' }]) {
    const chunks: ChatCompletionChunk[] = [];
    for await (const chunk of await post(messages)) chunks.push(chunk);
    return chunks;
  }

  /** What a client makes of the chunks. */
  function assembled(chunks: readonly ChatCompletionChunk[]) {
    const calls: { id: string; name: string; args: string }[] = [];
    let text = '';
    let finish: string | undefined;
    for (const choice of chunks.flatMap(({ choices }) => choices)) {
      text += choice.delta.content ?? '';
      finish ??= choice.finish_reason ?? undefined;
      for (const { index, id, function: called } of choice.delta.tool_calls ?? []) {
        const known = (calls[index] ??= { id: id ?? '', name: called?.name ?? '', args: '' });
        known.args += called?.arguments ?? '';
      }
    }
    return { text, calls, finish, cached: chunks.at(-1)?.usage?.prompt_tokens_details?.cached_tokens };
  }

  it('text arrives in its pieces, with role, finish reason and usage', async () => {
    await start({ script: [streamResponse(hello)] });
    const chunks = await ask();
    assert.equal(chunks[0]?.choices[0]?.delta.role, 'assistant');
    assert.deepEqual(assembled(chunks), { text: 'Hello, Wörld €', calls: [], finish: 'stop', cached: 4 });
  });

  it('a stream cut at any byte reads the same', async () => {
    const length = Buffer.byteLength(hello.join(''));
    const cuts = Array.from({ length: length - 1 }, (_, at) => at + 1);
    await start({
      script: [streamResponse(hello, { splitAt: cuts }), streamResponse(hello, { splitAt: [length >> 1] })],
    });
    assert.equal(assembled(await ask()).text, 'Hello, Wörld €');
    assert.equal(assembled(await ask()).text, 'Hello, Wörld €');
  });

  it('calls arrive by index, id and name first, then arguments in pieces', async () => {
    const answer = {
      text: 'Looking.',
      calls: [
        { name: 'a', args: { x: 1 } },
        { name: 'b', args: {} },
      ],
    };
    await start({ script: [streamResponse(answerEvents(answer, { turn: 3 }))] });
    assert.deepEqual(assembled(await ask()), {
      text: 'Looking.',
      calls: [
        { id: 'call_3_0', name: 'a', args: '{"x":1}' },
        { id: 'call_3_1', name: 'b', args: '{}' },
      ],
      finish: 'tool_calls',
      cached: undefined,
    });
  });

  it('every posted body is recorded, and a history that breaks a rule is answered with 400 and the reason', async () => {
    await start({ script: [streamResponse(hello)] });
    await ask();
    const [request] = model.requests;
    assert.deepEqual(
      [request?.path, request?.headers.authorization, request?.raw, request?.conversation],
      [
        '/v1/chat/completions',
        'Bearer key-1',
        '{"model":"lab-1","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
        { model: 'lab-1', messages: [{ role: 'user', text: 'Hi' }], toolNames: [] },
      ],
    );
    assert.equal(await request?.ended, 'answered');
    const orphan: ChatCompletionMessageParam = { role: 'tool', tool_call_id: 'a', content: 'up' };
    await assert.rejects(ask([{ role: 'user', content: 'Hi' }, orphan]), {
      status: 400,
      message: '400 messages.1: a result for a without a call in front of it',
    });
    assert.deepEqual(model.violations, ['messages.1: a result for a without a call in front of it']);
    assert.equal(model.requests.length, 1);
  });

  it('a request without an answer is an error that the test sees', async () => {
    await start({});
    await assert.rejects(ask(), { status: 500 });
    assert.deepEqual(model.violations, ['request 1 has no answer left in the script']);
  });

  it('errors arrive with status and headers', async () => {
    await start({ apiKey: 'another', script: [] });
    await assert.rejects(ask(), { status: 401, code: 'invalid_api_key' });
    await model.stop();
    await start({
      script: [errorResponse(429, 'Slow down.', { 'retry-after': '20' }), errorResponse(503, 'Busy.')],
    });
    await assert.rejects(ask(), (error) => {
      assert.ok(error instanceof RateLimitError);
      assert.equal(error.headers.get('retry-after'), '20');
      return true;
    });
    await assert.rejects(ask(), { status: 503, message: '503 Busy.' });
  });

  for (const ending of ['close', 'reset'] as const)
    it(`half a stream and a ${ending} fail in the middle, after what came before`, async () => {
      const bytes = Buffer.byteLength(hello.slice(0, 2).join(''));
      await start({ script: [streamResponse(hello, { stopAfterBytes: bytes, ending })] });
      const chunks: ChatCompletionChunk[] = [];
      await assert.rejects(async () => {
        for await (const chunk of await post([{ role: 'user', content: 'Hi' }])) chunks.push(chunk);
      }, /terminated/);
      assert.equal(assembled(chunks).text, 'Hel');
      assert.equal(await model.requests[0]?.ended, 'broken');
    });

  it('a stream that ends cleanly without its end gives what came', async () => {
    await start({ script: [streamResponse(hello.slice(0, 2))] });
    assert.deepEqual(assembled(await ask()), {
      text: 'Hel',
      calls: [],
      finish: undefined,
      cached: undefined,
    });
  });

  it('a stream whose end mark lacks its line feeds is still whole', async () => {
    await start({ script: [streamResponse(hello, { withoutFinalNewline: true })] });
    assert.equal(assembled(await ask()).text, 'Hello, Wörld €');
  });

  it('comments keep the line alive and say nothing', async () => {
    await start({ script: [streamResponse([sse.comment(), sse.begin(), sse.comment(), ...hello.slice(1)])] });
    assert.equal(assembled(await ask()).text, 'Hello, Wörld €');
  });

  it('an error object in a stream, and a body that is nonsense, fail', async () => {
    const overloaded = sse.error({ message: 'Overloaded.', type: 'server_error', code: 'overloaded' });
    await start({
      script: [streamResponse([sse.begin(), overloaded]), streamResponse(['data: {"choices":[{\n\n'])],
    });
    await assert.rejects(ask(), /Overloaded/);
    await assert.rejects(ask(), SyntaxError);
  });

  it('an answer of another type arrives as it is', async () => {
    await start({ script: [plainResponse(200, '<html>', { 'content-type': 'text/html' })] });
    const answer = await fetch(`${model.baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'm',
        messages: [{ role: 'user', content: 'Hi' }],
        stream: true,
        stream_options: { include_usage: true },
      }),
    });
    assert.deepEqual([answer.headers.get('content-type'), await answer.text()], ['text/html', '<html>']);
  });

  it('silence lasts until the client gives up', async () => {
    await start({ script: [silentResponse] });
    const stop = new AbortController();
    const asking = post([{ role: 'user', content: 'Hi' }], stop.signal);
    asking.catch(() => {});
    const request = await model.request(1);
    stop.abort();
    await assert.rejects(asking, APIUserAbortError);
    assert.equal(await request.ended, 'broken');
  });

  it('a gate holds the stream until the test opens it', async () => {
    const held = gate();
    await start({ script: [streamResponse([...hello.slice(0, 2), held, ...hello.slice(2)])] });
    const stream = await post([{ role: 'user', content: 'Hi' }]);
    const seen: string[] = [];
    await held.reached;
    for await (const chunk of stream) {
      const text = chunk.choices[0]?.delta.content ?? '';
      if (text === 'Hel') held.open();
      seen.push(text);
    }
    assert.deepEqual(seen, ['', 'Hel', 'lo, Wörld €', '', '']);
  });

  it('a brain answers what the script does not, and the shared beginning counts as cached', async () => {
    const brain = ({ messages }: { messages: readonly unknown[] }) => ({
      text: `${messages.length} messages`,
    });
    await start({ brain, script: [streamResponse(hello)] });
    const long: ChatCompletionMessageParam = { role: 'user', content: 'x'.repeat(4096) };
    assert.equal(assembled(await ask([long])).text, 'Hello, Wörld €');
    const next = assembled(
      await ask([long, { role: 'assistant', content: 'y' }, { role: 'user', content: 'z' }]),
    );
    assert.deepEqual([next.text, next.cached], ['3 messages', 1024]);
  });

  it('a request for a title is beside the script', async () => {
    const messages: ChatCompletionMessageParam[] = [
      { role: 'system', content: 'You name a conversation between a user and an assistant.' },
      { role: 'user', content: 'Hi' },
    ];
    await start({ title: 'Full disk', script: [] });
    assert.equal(assembled(await ask(messages)).text, '{"title":"Full disk"}');
    await model.stop();
    await start({});
    await assert.rejects(ask(messages), NotFoundError);
    assert.deepEqual([model.requests, model.violations], [[], []]);
  });

  it('the list of models is there', async () => {
    await start({ models: ['lab-1', 'lab-2'] });
    const { data } = await client().models.list();
    assert.deepEqual(
      data.map(({ id }) => id),
      ['lab-1', 'lab-2'],
    );
  });

  it('a port that is taken is said', async () => {
    await start({});
    await assert.rejects(
      startScriptedModel({ port: model.port }),
      /^Error: Port \d+ on 127\.0\.0\.1 cannot be had/,
    );
  });
});
