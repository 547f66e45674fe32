import { z } from 'zod';
import {
  streamPieces,
  type ModelAnswer,
  type PostedConversation,
  type PostedMessage,
  type TokenFigures,
} from '../modelConversation.ts';
import { plainResponse, type ScriptedResponse } from '../scriptedResponse.ts';
import { checkBody } from './checkBody.ts';
import { CallWalk } from './pairing.ts';
import { toolViolations } from './toolRules.ts';
import type { AnswerForm, Wire } from './wire.ts';

/** The Messages wire, as Anthropic's API reference describes version 2026-10-21: bodies that come in, and streams that go out. */

const cacheMark = z.strictObject({ type: z.literal('ephemeral') });
const marked = { cache_control: cacheMark.optional() };
/** Blocks of white space are refused. */
const text = z.strictObject({ type: z.literal('text'), text: z.string().regex(/\S/), ...marked });

const block = z.discriminatedUnion('type', [
  text,
  z.strictObject({
    type: z.literal('image'),
    source: z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.string(),
    }),
    ...marked,
  }),
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().min(1) }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
    ...marked,
  }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.string(),
    is_error: z.boolean(),
    ...marked,
  }),
  z.looseObject({ type: z.literal('server_tool_use'), id: z.string(), name: z.literal('web_search') }),
  z.looseObject({ type: z.literal('web_search_tool_result'), tool_use_id: z.string() }),
]);
type Block = z.output<typeof block>;

const message = z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) });
type Message = z.output<typeof message>;

const clientTool = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  input_schema: z.record(z.string(), z.unknown()),
});
const searchTool = z.strictObject({
  type: z.literal('web_search_20250305'),
  name: z.literal('web_search'),
  max_uses: z.literal(8),
});

export const messagesRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.number().int().min(1),
  stream: z.literal(true),
  system: z.array(text).min(1).optional(),
  messages: z.array(message).min(1),
  tools: z
    .array(z.union([searchTool, clientTool]))
    .min(1)
    .optional(),
  tool_choice: z.strictObject({ type: z.literal('none') }).optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('adaptive'), display: z.literal('summarized') }),
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.number().int().min(1_024) }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high']).optional(),
      format: z
        .strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })
        .optional(),
    })
    .optional(),
});
export type MessagesRequest = z.output<typeof messagesRequest>;

function violations(request: MessagesRequest): string[] {
  const found = [...historyViolations(request.messages), ...thinkingViolations(request)];
  const marks = [...(request.system ?? []), ...request.messages.flatMap(({ content }) => content)].filter(
    (one) => 'cache_control' in one && one.cache_control !== undefined,
  );
  if (marks.length > 4) found.push(`messages: ${marks.length} cache marks`);
  const usesTools = request.messages.some(({ content }) => content.some(({ type }) => type === 'tool_use'));
  if (usesTools && request.tools === undefined) found.push('tools: calls in the history and no tools');
  const offered = (request.tools ?? []).filter((tool) => !('max_uses' in tool));
  return [
    ...found,
    ...toolViolations(
      offered.map((tool) => ({
        name: tool.name,
        parameters: 'input_schema' in tool ? tool.input_schema : {},
      })),
    ),
  ];
}

function historyViolations(messages: readonly Message[]): string[] {
  const found: string[] = [];
  let place = 'messages.0';
  const say = (problem: string): void => void found.push(`${place}: ${problem}`);
  const walk = new CallWalk(say);
  messages.forEach(({ role, content }, at) => {
    place = `messages.${at}`;
    const before = messages[at - 1];
    if (at === 0 && role !== 'user') say('the first message is no user message');
    if (role === 'assistant' && before?.role === 'assistant') say('two answers are neighbours');
    if (role === 'user' && isResults(content) && before !== undefined && isResults(before.content))
      say('results that follow each other are one message');
    if (role === 'assistant' && !isPaused(messages, at)) answerViolations(content, say);
    for (const one of content) {
      if (one.type === 'tool_result') walk.result(one.tool_use_id);
      else if (one.type === 'tool_use') walk.call(one.id, one.name);
      else walk.other(one.type);
    }
    if (role === 'user') walk.other('the end of the user message');
  });
  place = 'messages';
  if (messages.at(-1)?.role !== 'user' && !isPaused(messages, messages.length - 1))
    say('the last message is no user message');
  walk.end();
  return found;
}

function isResults(content: readonly Block[]): boolean {
  return content.every(({ type }) => type === 'tool_result');
}

/** An answer that was interrupted in its searches and is sent back to be continued. */
function isPaused(messages: readonly Message[], at: number): boolean {
  const isLast = at === messages.length - 1;
  return isLast && (messages[at]?.content ?? []).some(({ type }) => type === 'server_tool_use');
}

const answerOrder: readonly (readonly Block['type'][])[] = [
  ['thinking', 'redacted_thinking', 'server_tool_use', 'web_search_tool_result'],
  ['text'],
  ['tool_use'],
];

/** Thinking first, then text, then calls; a search with its result; and something behind the thinking. */
function answerViolations(content: readonly Block[], say: (problem: string) => void): void {
  const ranks = content.map(({ type }) => answerOrder.findIndex((types) => types.includes(type)));
  if (ranks.some((rank) => rank < 0)) say('a block that no answer has');
  if (ranks.some((rank, at) => rank < (ranks[at - 1] ?? 0))) say('blocks out of order');
  if (ranks.at(-1) === 0) say('nothing follows the thinking');
  const searches = content.flatMap((one) => (one.type === 'server_tool_use' ? [one.id] : []));
  const results = content.flatMap((one) => (one.type === 'web_search_tool_result' ? [one.tool_use_id] : []));
  if (searches.join() !== results.join()) say('a search without its result');
}

function thinkingViolations({ thinking, max_tokens: maxTokens, messages }: MessagesRequest): string[] {
  if (thinking?.type !== 'enabled') return [];
  const found =
    thinking.budget_tokens < maxTokens ? [] : ['thinking: the budget leaves no room for an answer'];
  const last = messages.at(-1);
  const caller = messages.at(-2);
  const continues = last !== undefined && isResults(last.content);
  if (continues && !/thinking$/.test(caller?.content[0]?.type ?? ''))
    found.push('thinking: the answer that is continued has none');
  return found;
}

function read(request: MessagesRequest): PostedConversation {
  return {
    model: request.model,
    messages: [
      ...(request.system ?? []).map((one): PostedMessage => ({ role: 'system', text: one.text })),
      ...request.messages.flatMap(readMessage),
    ],
    toolNames: (request.tools ?? []).flatMap((tool) => ('max_uses' in tool ? [] : [tool.name])),
  };
}

function readMessage({ role, content }: Message): PostedMessage[] {
  const said = content.map((one) => (one.type === 'text' ? one.text : '')).join('');
  if (role === 'user' && isResults(content))
    return content.flatMap((one) =>
      one.type === 'tool_result' ? [{ role: 'tool', callId: one.tool_use_id, text: one.content }] : [],
    );
  if (role === 'user') return [{ role: 'user', text: said }];
  const calls = content.flatMap((one) =>
    one.type === 'tool_use' ? [{ id: one.id, name: one.name, argumentsText: JSON.stringify(one.input) }] : [],
  );
  return [{ role: 'assistant', text: said, calls }];
}

function event(value: { readonly type: string }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}

interface Figures {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
}

/** Builders of server-sent events, each the exact text of one or several events. A stream is their concatenation. */
export const anthropicSse = {
  begin: (usage: Figures = { input_tokens: 1, output_tokens: 1 }): string =>
    event(
      member('message_start', {
        message: { id: 'msg_lab', type: 'message', role: 'assistant', content: [], usage },
      }),
    ),
  ping: (): string => event(member('ping', {})),
  start: (index: number, content: Readonly<Record<string, unknown>>): string =>
    event(member('content_block_start', { index, content_block: content })),
  delta: (index: number, delta: Readonly<Record<string, unknown>>): string =>
    event(member('content_block_delta', { index, delta })),
  stop: (index: number): string => event(member('content_block_stop', { index })),
  text: (pieces: readonly string[], index = 0): string =>
    [
      anthropicSse.start(index, { type: 'text', text: '' }),
      ...pieces.map((one) => anthropicSse.delta(index, { type: 'text_delta', text: one })),
      anthropicSse.stop(index),
    ].join(''),
  thinking: (pieces: readonly string[], signature: string, index = 0): string =>
    [
      anthropicSse.start(index, { type: 'thinking', thinking: '', signature: '' }),
      ...pieces.map((one) => anthropicSse.delta(index, { type: 'thinking_delta', thinking: one })),
      anthropicSse.delta(index, { type: 'signature_delta', signature }),
      anthropicSse.stop(index),
    ].join(''),
  /** Text as `args` is sent as it is, valid or not, in two pieces. */
  toolCall: (call: { id: string; name: string; args: unknown }, index = 0): string => {
    const json = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
    const half = Math.ceil(json.length / 2);
    return [
      anthropicSse.start(index, { type: 'tool_use', id: call.id, name: call.name, input: {} }),
      ...[json.slice(0, half), json.slice(half)].map((partial_json) =>
        anthropicSse.delta(index, { type: 'input_json_delta', partial_json }),
      ),
      anthropicSse.stop(index),
    ].join('');
  },
  end: (reason: string, usage: Figures = { output_tokens: 2 }): string =>
    event(member('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage })) +
    event(member('message_stop', {})),
  error: (type: string, message: string): string => event(member('error', { error: { type, message } })),
} as const;

function member(type: string, members: Readonly<Record<string, unknown>>): { readonly type: string } {
  return { type, ...members };
}

function answer(given: ModelAnswer, form: AnswerForm): string[] {
  const calls = given.calls ?? [];
  const thoughts = given.reasoning === undefined ? 0 : 1;
  const texts = given.text === undefined ? 0 : 1;
  return [
    anthropicSse.begin(inputFigures(form.figures)),
    ...(given.reasoning === undefined
      ? []
      : [anthropicSse.thinking(streamPieces(given.reasoning), `signed-${form.turn}`)]),
    ...(given.text === undefined ? [] : [anthropicSse.text(streamPieces(given.text), thoughts)]),
    ...calls.map((call, index) =>
      anthropicSse.toolCall(
        { id: `call_${form.turn}_${index}`, name: call.name, args: call.args },
        thoughts + texts + index,
      ),
    ),
    anthropicSse.end(calls.length > 0 ? 'tool_use' : 'end_turn', {
      output_tokens: form.figures?.output ?? 1,
    }),
  ];
}

function inputFigures(figures: TokenFigures | undefined): Figures {
  if (figures === undefined) return { input_tokens: 1, output_tokens: 1 };
  return {
    input_tokens: figures.input - figures.cachedInput,
    cache_read_input_tokens: figures.cachedInput,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  };
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function error(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): ScriptedResponse {
  const type = errorTypes[status] ?? 'api_error';
  return plainResponse(status, { type: 'error', error: { type, message: text } }, headers);
}

export const anthropicWire: Wire<MessagesRequest> = {
  basePath: '/v1',
  isRequest: (path) => path === '/v1/messages',
  keyOf: (headers) => headers['x-api-key']?.toString(),
  check: (body) => checkBody(messagesRequest, body, violations),
  read,
  answer,
  error,
};
