import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callId, messageId, type ModelItem } from '../../../src/agentkit/index.ts';
import { sse } from '../../lab/chatCompletions.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import { gate, streamResponse } from '../../lab/scriptedResponse.ts';
import { chatModel, read, request, user } from './support.ts';

describe('Chat Completions against a server', () => {
  let server: ScriptedModel;
  beforeEach(async () => {
    server = await startScriptedModel();
  });
  afterEach(() => server.stop());

  it('reads text, usage and the end', async () => {
    server.enqueue(
      streamResponse([
        sse.begin(),
        sse.text('The load '),
        sse.text('is low.'),
        sse.end('stop', { input: 90, output: 7, cachedInput: 64 }),
      ]),
    );
    assert.deepEqual(await read(chatModel(server.baseUrl)), {
      events: [
        { kind: 'textDelta', text: 'The load ' },
        { kind: 'textDelta', text: 'is low.' },
        { kind: 'finished', reason: 'completed' },
        { kind: 'usage', usage: { inputTokens: 90, outputTokens: 7, cachedInputTokens: 64 } },
      ],
      failure: undefined,
    });
  });

  it('posts history, tools and calls in sorted order, without a key and without what the endpoint may not know', async () => {
    server.enqueue(streamResponse([sse.begin(), sse.text('Low.'), sse.end('stop')]));
    const posted = request({
      items: [
        user('How busy?'),
        {
          role: 'assistant',
          id: messageId('a1'),
          text: '',
          reasoning: 'hidden',
          calls: [
            {
              id: callId('call_1'),
              name: 'ssh_exec_run',
              argumentsText: '{"host_id":"h1","command":"uptime"}',
            },
            { id: callId('call_2'), name: 'list_hosts', argumentsText: '' },
          ],
          providerItems: [],
        },
        {
          role: 'tool',
          id: messageId('t1'),
          callId: callId('call_1'),
          toolName: 'ssh_exec_run',
          text: 'up',
          isError: false,
        },
        {
          role: 'tool',
          id: messageId('t2'),
          callId: callId('call_2'),
          toolName: 'list_hosts',
          text: '[]',
          isError: true,
        },
      ],
      tools: [
        {
          name: 'list_hosts',
          description: 'Hosts the user has.',
          inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        },
      ],
      reasoning: 'high',
    });
    await read(chatModel(server.baseUrl), posted);
    const sent = await server.request(1);
    assert.equal(
      sent.raw,
      JSON.stringify({
        messages: [
          { content: 'You operate servers.', role: 'system' },
          { content: 'How busy?', role: 'user' },
          {
            content: null,
            role: 'assistant',
            tool_calls: [
              {
                function: { arguments: '{"host_id":"h1","command":"uptime"}', name: 'ssh_exec_run' },
                id: 'call_1',
                type: 'function',
              },
              { function: { arguments: '{}', name: 'list_hosts' }, id: 'call_2', type: 'function' },
            ],
          },
          { content: 'up', role: 'tool', tool_call_id: 'call_1' },
          { content: '[]', role: 'tool', tool_call_id: 'call_2' },
        ],
        model: 'lab-1',
        stream: true,
        stream_options: { include_usage: true },
        tools: [
          {
            function: {
              description: 'Hosts the user has.',
              name: 'list_hosts',
              parameters: { additionalProperties: false, properties: {}, type: 'object' },
            },
            type: 'function',
          },
        ],
      }),
    );
    assert.equal(sent.headers.authorization, undefined);
    assert.equal(sent.headers['openai-organization'], undefined);
  });

  it('sends the key of this request and no other', async () => {
    const keys = ['first', 'second'];
    const model = chatModel(server.baseUrl, { apiKey: () => Promise.resolve(keys.shift()) });
    for (const key of ['first', 'second']) {
      server.enqueue(streamResponse([sse.begin(), sse.end('stop')]));
      await read(model);
      assert.equal(server.requests.at(-1)?.headers.authorization, `Bearer ${key}`);
    }
  });

  it('sends images as parts to a model that reads them, and says so to one that does not', async () => {
    const withImage: ModelItem = {
      role: 'user',
      id: messageId('u1'),
      text: 'What is this?',
      images: [{ mediaType: 'image/png', base64: 'iVBORw0KGgo=' }],
    };
    const blind = { tools: true, images: false, reasoning: [] };
    for (const model of [chatModel(server.baseUrl), chatModel(server.baseUrl, { capabilities: blind })]) {
      server.enqueue(streamResponse([sse.begin(), sse.end('stop')]));
      await read(model, request({ system: '', items: [withImage] }));
    }
    assert.deepEqual(
      server.requests.map(({ body }) => body.messages),
      [
        [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
            ],
          },
        ],
        [
          {
            role: 'user',
            content: 'What is this?\n[Images attached here are left out: this model reads text only.]',
          },
        ],
      ],
    );
  });

  it('replays broken arguments inside an object and shortens ids of other providers', async () => {
    const id = callId(`toolu_${'x'.repeat(60)}`);
    server.enqueue(streamResponse([sse.begin(), sse.end('stop')]));
    await read(
      chatModel(server.baseUrl),
      request({
        items: [
          user('Go'),
          {
            role: 'assistant',
            id: messageId('a1'),
            text: 'Trying.',
            reasoning: '',
            calls: [{ id, name: 'run', argumentsText: '{"c":' }],
            providerItems: [{ tag: 'other/api/model', item: { secret: true } }],
          },
          { role: 'tool', id: messageId('t1'), callId: id, toolName: 'run', text: 'Invalid.', isError: true },
        ],
      }),
    );
    const [, , assistant, result] = (await server.request(1)).body.messages;
    assert.ok(assistant?.role === 'assistant' && result?.role === 'tool');
    const [sent] = assistant.tool_calls ?? [];
    assert.equal(sent?.function.arguments, '{"invalid_arguments":"{\\"c\\":"}');
    assert.equal(sent.id, result.tool_call_id);
    assert.match(sent.id, /^call_[0-9a-f]{32}$/);
  });

  for (const [host, sends] of [
    ['https://api.openai.com/v1', true],
    ['https://openrouter.example.com/api/v1', false],
  ] as const)
    it(`${sends ? 'sends' : 'does not send'} a cache key to ${host}`, async () => {
      let posted = '';
      const model = chatModel(host, {
        fetch: (_url, init) => {
          posted = typeof init?.body === 'string' ? init.body : '';
          return Promise.resolve(new Response('', { headers: { 'content-type': 'text/event-stream' } }));
        },
      });
      await read(model);
      assert.equal(
        (JSON.parse(posted) as { prompt_cache_key?: string }).prompt_cache_key,
        sends ? 'chat-1' : undefined,
      );
    });

  for (const [wanted, supported, sent] of [
    ['low', ['low', 'medium', 'high'], 'low'],
    ['minimal', ['low', 'high'], 'low'],
    ['high', ['low', 'medium'], 'medium'],
    ['off', ['off', 'low'], 'none'],
    ['medium', [], undefined],
  ] as const)
    it(`asks for reasoning ${String(sent)} when ${wanted} is wanted and the model has ${supported.join(', ') || 'none'}`, async () => {
      server.enqueue(streamResponse([sse.begin(), sse.end('stop')]));
      const capabilities = { tools: true, images: true, reasoning: supported };
      await read(chatModel(server.baseUrl, { capabilities }), request({ reasoning: wanted }));
      assert.equal((await server.request(1)).body['reasoning_effort'], sent);
    });

  it('asks for one JSON object where it is wanted', async () => {
    server.enqueue(streamResponse([sse.begin(), sse.end('stop')]));
    const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
    await read(chatModel(server.baseUrl), request({ responseSchema: { name: 'title', schema } }));
    assert.deepEqual((await server.request(1)).body['response_format'], {
      type: 'json_schema',
      json_schema: { name: 'title', schema, strict: true },
    });
  });

  it('an abort ends the attempt with its reason, and the server sees the line go', async () => {
    const held = gate();
    server.enqueue(streamResponse([sse.begin(), sse.text('Half'), held]));
    const stop = new AbortController();
    const events: unknown[] = [];
    const reading = (async () => {
      for await (const event of chatModel(server.baseUrl).stream(request(), stop.signal)) {
        events.push(event);
        if (event.kind === 'textDelta') stop.abort(new Error('stopped by a test'));
      }
    })();
    await assert.rejects(reading, { message: 'stopped by a test' });
    assert.equal(await (await server.request(1)).ended, 'broken');
  });

  it('says that it is alive when the head arrives and with every keep-alive', async () => {
    const held = gate();
    server.enqueue(streamResponse([held, sse.comment(), sse.text('Low.'), sse.end('stop')]));
    const kinds: string[] = [];
    for await (const event of chatModel(server.baseUrl).stream(request(), AbortSignal.timeout(10_000))) {
      kinds.push(event.kind);
      held.open();
    }
    assert.equal(kinds[0], 'alive');
    assert.deepEqual(
      kinds.filter((kind) => kind !== 'alive'),
      ['textDelta', 'finished'],
    );
  });
});
