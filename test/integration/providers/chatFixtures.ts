import { callId, type ModelEvent } from '../../../src/agentkit/index.ts';

/**
 * Streams as servers send them, short, so that each can be replayed at every cut. `events` is what must come out, deltas joined;
 * `failure` the code when the stream breaks; a stream that just ends
 * has no `finished`.
 */
export interface ChatFixture {
  readonly name: string;
  readonly bytes: Buffer;
  readonly events: readonly ModelEvent[];
  readonly failure?: string;
}

const chunk = (delta: object, finish?: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta, ...(finish !== undefined && { finish_reason: finish }) }] })}\n\n`;
const end = 'data: [DONE]\n\n';
const bytes = (...parts: readonly string[]): Buffer => Buffer.from(parts.join(''), 'utf8');

const say = (text: string): ModelEvent => ({ kind: 'textDelta', text });
const completed: ModelEvent = { kind: 'finished', reason: 'completed' };
const toolCalls: ModelEvent = { kind: 'finished', reason: 'toolCalls' };

function whole(call: { index: number; id?: string; name?: string; args: string }): ModelEvent {
  const { index, id, name, args } = call;
  return {
    kind: 'toolCallDelta',
    index,
    ...(id !== undefined && { id: callId(id) }),
    ...(name !== undefined && { name }),
    argumentsText: args,
  };
}

function piece(
  index: number,
  args: string,
  begin: { readonly id?: string; readonly name?: string } = {},
): object {
  return { tool_calls: [{ index, id: begin.id, function: { name: begin.name, arguments: args } }] };
}

export const chatFixtures: readonly ChatFixture[] = [
  {
    name: 'text with characters of several bytes',
    bytes: bytes(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Die Größe: 5 € ' }),
      chunk({ content: '🙂' }, 'stop'),
      end,
    ),
    events: [say('Die Größe: 5 € 🙂'), completed],
  },
  {
    name: 'lines that end with CR LF',
    bytes: Buffer.from(
      [chunk({ content: 'one ' }), chunk({ content: 'two' }), chunk({}, 'stop'), end]
        .join('')
        .replaceAll('\n', '\r\n'),
    ),
    events: [say('one two'), completed],
  },
  {
    name: 'reasoning in the member of vLLM and DeepSeek',
    bytes: bytes(
      chunk({ reasoning_content: 'Look ' }),
      chunk({ reasoning_content: 'first.' }),
      chunk({ content: 'Low.' }, 'stop'),
      end,
    ),
    events: [{ kind: 'reasoningDelta', text: 'Look first.' }, say('Low.'), completed],
  },
  {
    name: 'reasoning in the member of OpenRouter and Ollama',
    bytes: bytes(chunk({ reasoning: 'Look.' }), chunk({ content: 'Low.' }, 'stop'), end),
    events: [{ kind: 'reasoningDelta', text: 'Look.' }, say('Low.'), completed],
  },
  {
    name: 'two parallel calls whose pieces alternate',
    bytes: bytes(
      chunk(piece(0, '', { id: 'a', name: 'df' })),
      chunk(piece(1, '', { id: 'b', name: 'du' })),
      chunk(piece(0, '{"p":')),
      chunk(piece(1, '{}')),
      chunk(piece(0, '"/"}')),
      chunk({}, 'tool_calls'),
      end,
    ),
    events: [
      whole({ index: 0, id: 'a', name: 'df', args: '' }),
      whole({ index: 1, id: 'b', name: 'du', args: '' }),
      whole({ index: 0, args: '{"p":' }),
      whole({ index: 1, args: '{}' }),
      whole({ index: 0, args: '"/"}' }),
      toolCalls,
    ],
  },
  {
    name: 'empty arguments',
    bytes: bytes(chunk(piece(0, '', { id: 'a', name: 'list_hosts' })), chunk({}, 'tool_calls'), end),
    events: [whole({ index: 0, id: 'a', name: 'list_hosts', args: '' }), toolCalls],
  },
  {
    name: 'arguments split inside an escape',
    bytes: bytes(
      chunk(piece(0, '{"c":"echo \\', { id: 'a', name: 'run' })),
      chunk(piece(0, 'u20')),
      chunk(piece(0, 'ac"}')),
      chunk({}, 'tool_calls'),
      end,
    ),
    events: [
      whole({ index: 0, id: 'a', name: 'run', args: '{"c":"echo \\' }),
      whole({ index: 0, args: 'u20' }),
      whole({ index: 0, args: 'ac"}' }),
      toolCalls,
    ],
  },
  {
    name: 'indexes with gaps',
    bytes: bytes(
      chunk(piece(2, '{}', { id: 'a', name: 'df' })),
      chunk(piece(5, '{}', { id: 'b', name: 'du' })),
      chunk({}, 'tool_calls'),
      end,
    ),
    events: [
      whole({ index: 2, id: 'a', name: 'df', args: '{}' }),
      whole({ index: 5, id: 'b', name: 'du', args: '{}' }),
      toolCalls,
    ],
  },
  {
    name: 'whole calls without indexes, ended by stop',
    bytes: bytes(
      chunk({
        tool_calls: [
          { id: 'a', function: { name: 'df', arguments: '{}' } },
          { id: 'b', function: { name: 'du', arguments: '{}' } },
        ],
      }),
      chunk({}, 'stop'),
      end,
    ),
    events: [
      whole({ index: 0, id: 'a', name: 'df', args: '{}' }),
      whole({ index: 1, id: 'b', name: 'du', args: '{}' }),
      toolCalls,
    ],
  },
  {
    name: 'whole calls without ids, each at index 0',
    bytes: bytes(
      chunk(piece(0, '{}', { name: 'df' })),
      chunk(piece(0, '{}', { name: 'df' })),
      chunk({}, 'tool_calls'),
      end,
    ),
    events: [
      whole({ index: 0, name: 'df', args: '{}' }),
      whole({ index: 1, name: 'df', args: '{}' }),
      toolCalls,
    ],
  },
  {
    name: 'calls with ids, all at index 0',
    bytes: bytes(
      chunk(piece(0, '{}', { id: 'a', name: 'df' })),
      chunk(piece(0, '{}', { id: 'b', name: 'du' })),
      chunk({}, 'tool_calls'),
      end,
    ),
    events: [
      whole({ index: 0, id: 'a', name: 'df', args: '{}' }),
      whole({ index: 1, id: 'b', name: 'du', args: '{}' }),
      toolCalls,
    ],
  },
  {
    name: 'arguments as an object instead of text',
    bytes: bytes(
      chunk({ tool_calls: [{ function: { name: 'df', arguments: { path: '/' } } }] }),
      chunk({}, 'stop'),
      end,
    ),
    events: [whole({ index: 0, name: 'df', args: '{"path":"/"}' }), toolCalls],
  },
  {
    name: 'a refusal',
    bytes: bytes(chunk({ refusal: 'I cannot ' }), chunk({ refusal: 'help.' }), chunk({}, 'stop'), end),
    events: [say('I cannot help.'), completed],
  },
  {
    name: 'a length stop inside a call',
    bytes: bytes(chunk(piece(0, '{"c":"re', { id: 'a', name: 'run' })), chunk({}, 'length'), end),
    events: [
      whole({ index: 0, id: 'a', name: 'run', args: '{"c":"re' }),
      { kind: 'finished', reason: 'length' },
    ],
  },
  {
    name: 'a content filter',
    bytes: bytes(chunk({ content: 'So ' }), chunk({}, 'content_filter'), end),
    events: [say('So [The content filter of the provider ended this answer.]'), completed],
  },
  {
    name: 'an error object after 200',
    bytes: bytes(chunk({ content: 'Half' }), 'data: {"error":{"message":"busy","code":502}}\n\n'),
    events: [say('Half')],
    failure: 'overloaded',
  },
  {
    name: 'a named error event after 200',
    bytes: bytes('event: error\ndata: {"error":{"message":"slow down","type":"rate_limit_error"}}\n\n'),
    events: [],
    failure: 'rateLimited',
  },
  {
    name: 'nothing but keep-alives',
    bytes: bytes(': PROCESSING\n\n', ': PROCESSING\n\n'),
    events: [],
  },
  {
    name: 'keep-alives in between',
    bytes: bytes(': PROCESSING\n\n', chunk({ content: 'Low.' }), ': PROCESSING\n\n', chunk({}, 'stop'), end),
    events: [say('Low.'), completed],
  },
  {
    name: 'usage in front of the end, and no end mark',
    bytes: bytes(
      chunk({ content: 'Low.' }),
      `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: null } })}\n\n`,
      chunk({}, 'stop'),
    ),
    events: [say('Low.'), { kind: 'usage', usage: { inputTokens: 9, outputTokens: 2 } }, completed],
  },
  {
    name: 'a last event without its line end',
    bytes: bytes(chunk({ content: 'Low.' }), chunk({}, 'stop').trimEnd()),
    events: [say('Low.'), completed],
  },
  {
    name: 'an end in the middle of an event',
    bytes: bytes(chunk({ content: 'Half' }), 'data: {"choices":[{"del'),
    events: [say('Half')],
    failure: 'endedEarly',
  },
  {
    name: 'an end without a finish reason',
    bytes: bytes(chunk({ content: 'Half' }), end),
    events: [say('Half')],
  },
  {
    name: 'an event that is no JSON',
    bytes: bytes(chunk({ content: 'Half' }), 'data: <html>\n\n', chunk({}, 'stop'), end),
    events: [say('Half')],
    failure: 'malformed',
  },
  {
    name: 'an event of another shape',
    bytes: bytes('data: {"choices":[{"delta":{"content":7}}]}\n\n', end),
    events: [],
    failure: 'malformed',
  },
];
