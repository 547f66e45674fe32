import type { Json } from '../../../../src/agentkit/index.ts';
import { answer, call, everything, listHosts, result } from '../conversation.ts';
import { anthropicTag } from '../fixtures/anthropicFixtures.ts';
import { request, user } from '../support.ts';
import {
  able,
  asksTitle,
  blankUser,
  fromElsewhere,
  kept,
  madeId,
  titleSchema,
  toolFree,
  withoutOrder,
  type BodyRow,
} from './row.ts';

const thought = { type: 'thinking', thinking: 'Look.', signature: 'sig' };
const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'df' } };
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };
const mark = { cache_control: { type: 'ephemeral' } };
const text = (words: string, marked: object = {}): Json => ({ type: 'text', text: words, ...marked });
const said = (role: 'user' | 'assistant', words: string, marked: object = {}): Json => ({
  role,
  content: [text(words, marked)],
});
const thinkingLoop = request({
  reasoning: 'high',
  items: [user('Go'), answer('a1', '', { calls: [call('c1', 'run', '{}')] }), result('c1', 'run', 'up')],
  tools: [listHosts],
});

export const anthropicBodies: readonly BodyRow[] = [
  {
    name: 'a conversation with a bit of everything, thinking first, both results in one message, the last two messages marked',
    asked: everything(kept(anthropicTag, thought, search, found)),
    isWhole: true,
    expected: {
      model: 'lab-1',
      max_tokens: 4_096,
      stream: true,
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
      system: [text('You operate servers.', mark)],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            text('How busy?'),
          ],
        },
        {
          role: 'assistant',
          content: [
            thought,
            search,
            found,
            text('Looking.'),
            {
              type: 'tool_use',
              id: 'call_1',
              name: 'ssh_exec_run',
              input: { host_id: 'h1', command: 'uptime' },
            },
            { type: 'tool_use', id: 'call_2', name: 'list_hosts', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: 'up', is_error: false },
            { type: 'tool_result', tool_use_id: 'call_2', content: 'No host.', is_error: true, ...mark },
          ],
        },
        said('user', 'And now?', mark),
      ],
      tools: [
        {
          name: 'list_hosts',
          description: 'Hosts the user has.',
          input_schema: { type: 'object', properties: {}, additionalProperties: false },
        },
      ],
    },
  },
  {
    name: 'a call of another provider',
    asked: { ...fromElsewhere, tools: [listHosts] },
    expected: {
      system: undefined,
      messages: [
        said('user', 'Go'),
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: madeId, name: 'run', input: { invalid_arguments: '{"c":' }, ...mark },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: madeId, content: 'Invalid.', is_error: true, ...mark },
          ],
        },
      ],
    },
  },
  {
    name: 'turns, where a history has none',
    asked: withoutOrder,
    expected: {
      messages: [
        said('user', '[Earlier messages are not shown.]'),
        said('assistant', 'Earlier.'),
        said('user', 'Go'),
        said('assistant', 'Half'),
        said('user', 'Continue.'),
        said('assistant', 'More', mark),
        said('user', 'Continue.', mark),
      ],
    },
  },
  {
    name: 'the tools of the history, switched off, when none may be called',
    asked: toolFree,
    expected: {
      tools: [{ name: 'run', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    },
  },
  {
    name: 'messages without a visible character',
    asked: blankUser,
    expected: {
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
              ...mark,
            },
          ],
        },
        said('user', '(empty message)', mark),
      ],
    },
  },
  {
    name: 'images for a model that reads text only',
    asked: blankUser,
    options: able({ images: false }),
    expected: {
      messages: [
        said('user', '\n[Images attached here are left out: this model reads text only.]', mark),
        said('user', '(empty message)', mark),
      ],
    },
  },
  {
    name: 'no half of a search',
    asked: request({
      items: [user('Go'), answer('a1', 'Low.', { providerItems: kept(anthropicTag, search) }), user('And?')],
    }),
    expected: { messages: [said('user', 'Go'), said('assistant', 'Low.', mark), said('user', 'And?', mark)] },
  },
  {
    name: 'the maximum of the model',
    options: able({ maxOutputTokens: 64_000 }),
    expected: { max_tokens: 64_000, thinking: undefined, output_config: undefined, tools: undefined },
  },
  {
    name: 'a budget to a model that thinks within one',
    options: { ...able({ maxOutputTokens: 32_000 }), model: 'claude-haiku-4-5-20251001' },
    asked: request({ reasoning: 'high' }),
    expected: { thinking: { type: 'enabled', budget_tokens: 16_384 }, output_config: undefined },
  },
  {
    name: 'a budget that leaves room for the answer',
    options: { model: 'claude-opus-4-1' },
    asked: request({ reasoning: 'high' }),
    expected: { max_tokens: 4_096, thinking: { type: 'enabled', budget_tokens: 3_072 } },
  },
  {
    name: 'the maximum that the name of the model tells',
    options: { model: 'claude-opus-5-5' },
    expected: { max_tokens: 64_000 },
  },
  {
    name: 'no budget where the answer that is continued has no thinking',
    options: { model: 'claude-opus-4-1' },
    asked: thinkingLoop,
    expected: { thinking: undefined },
  },
  {
    name: 'an effort where the answer that is continued has no thinking',
    options: { model: 'claude-opus-4-6' },
    asked: thinkingLoop,
    expected: { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
  },
  {
    name: 'no thinking where it can be switched off',
    options: able({ reasoning: ['off', 'low'] }),
    asked: request({ reasoning: 'off' }),
    expected: { thinking: { type: 'disabled' }, output_config: undefined },
  },
  {
    name: 'the search of the provider beside our tools, at most eight times',
    options: { nativeSearch: true },
    asked: request({ tools: [listHosts] }),
    expected: {
      tools: [
        { name: 'list_hosts', description: listHosts.description, input_schema: listHosts.inputSchema },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
      ],
    },
  },
  {
    name: 'no search in a request without tools',
    options: { nativeSearch: true },
    expected: { tools: undefined },
  },
  {
    name: 'one JSON object',
    asked: asksTitle,
    expected: { output_config: { format: { type: 'json_schema', schema: titleSchema } } },
  },
];
