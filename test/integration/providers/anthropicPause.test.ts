import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { messageId, type JsonObject } from '../../../src/agentkit/index.ts';
import type { ScriptedModel } from '../../lab/scriptedModel.ts';
import { streamResponse, type ScriptedResponse } from '../../lab/scriptedResponse.ts';
import { anthropicSse } from '../../lab/wires/anthropicWire.ts';
import { anthropicTag } from './fixtures/anthropicFixtures.ts';
import { anthropic } from './matrix.ts';
import { read, request, user } from './support.ts';

const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'df' } };
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };

/** An answer that looks something up and is interrupted. */
const paused: ScriptedResponse = streamResponse([
  anthropicSse.begin({ input_tokens: 10, output_tokens: 1 }),
  anthropicSse.thinking(['Look.'], 'sig', 0),
  anthropicSse.text(['Searching. '], 1),
  anthropicSse.start(2, { ...search, input: {} }),
  anthropicSse.delta(2, { type: 'input_json_delta', partial_json: '{"query":"df"}' }),
  anthropicSse.stop(2),
  anthropicSse.end('pause_turn', { output_tokens: 5 }),
]);

describe('an answer that Anthropic pauses', () => {
  let server: ScriptedModel<unknown>;
  beforeEach(async () => {
    server = await anthropic.start();
  });
  afterEach(() => server.stop());

  it('is continued where it stood, as one answer that is paid for twice', async () => {
    server.enqueue(
      paused,
      streamResponse([
        anthropicSse.begin({ input_tokens: 20, output_tokens: 1 }),
        anthropicSse.start(0, found),
        anthropicSse.stop(0),
        anthropicSse.text(['It is full.'], 1),
        anthropicSse.end('end_turn', { output_tokens: 7 }),
      ]),
    );
    const { events, failure } = await read(anthropic.model(server.baseUrl));
    assert.equal(failure, undefined);
    const kept = (item: JsonObject) => ({ kind: 'providerItem', item: { tag: anthropicTag, item } });
    const usage = (inputTokens: number, outputTokens: number) => ({
      kind: 'usage',
      usage: { inputTokens, outputTokens, cachedInputTokens: 0, cacheWriteTokens: 0 },
    });
    assert.deepEqual(events, [
      usage(10, 1),
      { kind: 'reasoningDelta', text: 'Look.' },
      kept({ type: 'thinking', thinking: 'Look.', signature: 'sig' }),
      { kind: 'textDelta', text: 'Searching. ' },
      kept(search),
      usage(10, 5),
      usage(30, 6),
      { kind: 'webSearch', query: 'df', detail: [] },
      kept(found),
      { kind: 'textDelta', text: 'It is full.' },
      usage(30, 12),
      { kind: 'finished', reason: 'completed' },
    ]);
    const { messages } = JSON.parse((await server.request(2)).raw) as {
      readonly messages: readonly unknown[];
    };
    assert.deepEqual(messages.at(-1), {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Look.', signature: 'sig' },
        { type: 'text', text: 'Searching. ' },
        search,
      ],
    });
    assert.equal(messages.length, 2);
  });

  it('is sent back as one message however often it is paused, and ends after the fourth time', async () => {
    server.enqueue(paused, paused, paused, paused, paused);
    const { events, failure } = await read(
      anthropic.model(server.baseUrl),
      request({ items: [user('Go'), { role: 'user', id: messageId('u2'), text: 'Now', images: [] }] }),
    );
    assert.equal(failure, undefined);
    assert.deepEqual(events.at(-1), { kind: 'finished', reason: 'completed' });
    const sizes = server.requests.map(({ raw }) => {
      const { messages } = JSON.parse(raw) as {
        readonly messages: readonly { readonly content: readonly unknown[] }[];
      };
      return [messages.length, messages.at(-1)?.content.length];
    });
    assert.deepEqual(sizes, [
      [2, 1],
      [3, 3],
      [3, 6],
      [3, 9],
      [3, 12],
    ]);
  });
});
