import { everything } from '../conversation.ts';
import { request } from '../support.ts';
import { able, asksTitle, blankUser, fromElsewhere, madeId, titleSchema, type BodyRow } from './row.ts';

export const chatBodies: readonly BodyRow[] = [
  {
    name: 'a conversation with a bit of everything',
    asked: everything([]),
    isWhole: true,
    expected: {
      model: 'lab-1',
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: 'high',
      messages: [
        { role: 'system', content: 'You operate servers.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'How busy?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          ],
        },
        {
          role: 'assistant',
          content: 'Looking.',
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'ssh_exec_run', arguments: '{"host_id":"h1","command":"uptime"}' },
            },
            { id: 'call_2', type: 'function', function: { name: 'list_hosts', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'up' },
        { role: 'tool', tool_call_id: 'call_2', content: 'No host.' },
        { role: 'user', content: 'And now?' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'list_hosts',
            description: 'Hosts the user has.',
            parameters: { type: 'object', properties: {}, additionalProperties: false },
          },
        },
      ],
    },
  },
  {
    name: 'a call of another provider',
    asked: fromElsewhere,
    expected: {
      messages: [
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: madeId,
              type: 'function',
              function: { name: 'run', arguments: '{"invalid_arguments":"{\\"c\\":"}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: madeId, content: 'Invalid.' },
      ],
    },
  },
  {
    name: 'images for a model that reads text only',
    asked: blankUser,
    options: able({ images: false }),
    expected: {
      messages: [
        { role: 'user', content: '\n[Images attached here are left out: this model reads text only.]' },
        { role: 'user', content: ' ' },
      ],
    },
  },
  {
    name: 'a cache key where it is known',
    options: { sendsCacheKey: true },
    expected: { prompt_cache_key: 'chat-1' },
  },
  {
    name: 'no cache key, reasoning and tools where they are not known',
    options: able({ reasoning: [] }),
    asked: request({ reasoning: 'high' }),
    expected: { prompt_cache_key: undefined, reasoning_effort: undefined, tools: undefined },
  },
  {
    name: 'no reasoning where it can be switched off',
    options: able({ reasoning: ['off', 'low'] }),
    asked: request({ reasoning: 'off' }),
    expected: { reasoning_effort: 'none' },
  },
  {
    name: 'one JSON object',
    asked: asksTitle,
    expected: {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'title', schema: titleSchema, strict: true },
      },
    },
  },
];
