import { z } from 'zod';
import {
  streamPieces,
  type ModelAnswer,
  type PostedConversation,
  type PostedMessage,
  type TokenFigures,
} from '../modelConversation.ts';
import { errorResponse } from '../scriptedResponse.ts';
import { checkBody } from './checkBody.ts';
import { CallWalk, isJsonObject } from './pairing.ts';
import { toolViolations } from './toolRules.ts';
import type { AnswerForm, Wire } from './wire.ts';

/** The Responses wire, as OpenAI's API reference describes it, without storage: bodies that come in, and streams that go out. */

const userPart = z.union([
  z.strictObject({ type: z.literal('input_text'), text: z.string().min(1) }),
  z.strictObject({
    type: z.literal('input_image'),
    detail: z.literal('auto'),
    image_url: z.string().startsWith('data:image/'),
  }),
]);

const thought = z.union([
  z.looseObject({ type: z.literal('reasoning'), id: z.string(), encrypted_content: z.string().min(1) }),
  z.looseObject({
    type: z.literal('web_search_call'),
    id: z.string(),
    action: z.looseObject({ type: z.string() }),
  }),
]);
type Thought = z.output<typeof thought>;

const item = z.union([
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string().min(1), z.array(userPart).min(1)]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().regex(/\S/),
    phase: z.enum(['commentary', 'final_answer']).optional(),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    call_id: z.string().min(1).max(64),
    name: z.string(),
    arguments: z.string().refine(isJsonObject, { error: 'no JSON object' }),
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: z.string(),
    output: z.string(),
  }),
  thought,
]);
type Item = z.output<typeof item>;

const functionTool = z.strictObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  strict: z.literal(false),
});

export const responsesRequest = z.strictObject({
  model: z.string().min(1),
  instructions: z.string().min(1).optional(),
  input: z.array(item).min(1),
  stream: z.literal(true),
  store: z.literal(false),
  include: z.array(z.literal('reasoning.encrypted_content')).optional(),
  reasoning: z
    .strictObject({
      summary: z.literal('auto'),
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high']).optional(),
    })
    .optional(),
  tools: z
    .array(z.union([functionTool, z.strictObject({ type: z.literal('web_search') })]))
    .min(1)
    .optional(),
  max_output_tokens: z.number().int().min(16).optional(),
  prompt_cache_key: z.string().optional(),
  text: z.looseObject({ format: z.looseObject({ type: z.literal('json_schema') }) }).optional(),
});
export type ResponsesRequest = z.output<typeof responsesRequest>;

function violations(request: ResponsesRequest): string[] {
  const found: string[] = [];
  let place = 'input.0';
  const say = (problem: string): void => void found.push(`${place}: ${problem}`);
  const walk = new CallWalk(say);
  request.input.forEach((one, at) => {
    place = `input.${at}`;
    const before = request.input[at - 1];
    const isOurs = !isThought(one) && kindOf(one) !== 'assistant' && kindOf(one) !== 'function_call';
    if (before !== undefined && isThought(before) && isOurs)
      say(`nothing follows the ${before.type} in front of it`);
    if (isThought(one)) return walk.other(one.type);
    if (!('type' in one)) return walk.other(one.role);
    if (one.type === 'function_call_output') return walk.result(one.call_id);
    if (before === undefined || isThought(before) || kindOf(before) !== 'function_call') walk.other(one.type);
    walk.call(one.call_id, one.name);
  });
  place = 'input';
  walk.end();
  const last = request.input.at(-1);
  if (last !== undefined && isThought(last)) say('ends with what nothing follows');
  if ((request.reasoning === undefined) !== (request.include === undefined))
    found.push('include: reasoning and its encrypted form are asked for together');
  const functions = (request.tools ?? []).filter((tool) => tool.type === 'function');
  return [...found, ...toolViolations(functions)];
}

function isThought(one: Item): one is Thought {
  return 'type' in one && (one.type === 'reasoning' || one.type === 'web_search_call');
}

function kindOf(one: Exclude<Item, Thought>): string {
  return 'type' in one ? one.type : one.role;
}

/** One message for all items of an answer. */
function read(request: ResponsesRequest): PostedConversation {
  const messages: PostedMessage[] =
    request.instructions === undefined ? [] : [{ role: 'system', text: request.instructions }];
  for (const one of request.input) {
    if (isThought(one)) continue;
    if ('type' in one && one.type === 'function_call_output')
      messages.push({ role: 'tool', callId: one.call_id, text: one.output });
    else if ('type' in one) {
      const call = { id: one.call_id, name: one.name, argumentsText: one.arguments };
      const last = messages.at(-1);
      const begun = last?.role === 'assistant' ? last : undefined;
      if (begun !== undefined) messages.pop();
      messages.push({ role: 'assistant', text: begun?.text ?? '', calls: [...(begun?.calls ?? []), call] });
    } else if (one.role === 'user') messages.push({ role: 'user', text: userText(one.content) });
    else messages.push({ role: 'assistant', text: one.content, calls: [] });
  }
  const toolNames = (request.tools ?? []).flatMap((tool) => (tool.type === 'function' ? [tool.name] : []));
  return { model: request.model, messages, toolNames };
}

function userText(content: string | readonly z.output<typeof userPart>[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'input_text' ? part.text : '')).join('');
}

function event(value: { readonly type: string }): string {
  return `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
}

/** Builders of server-sent events, each the exact text of one or several events. A stream is their concatenation. */
export const responsesSse = {
  begin: (): string => event(withResponse('response.created', { status: 'in_progress' })),
  text: (delta: string, at = 0): string =>
    event(
      piece('response.output_text.delta', {
        output_index: at,
        content_index: 0,
        item_id: `msg_${at}`,
        delta,
      }),
    ),
  refusal: (delta: string): string =>
    event(piece('response.refusal.delta', { output_index: 0, content_index: 0, item_id: 'msg_0', delta })),
  reasoning: (delta: string): string =>
    event(
      piece('response.reasoning_summary_text.delta', {
        output_index: 0,
        summary_index: 0,
        item_id: 'rs_0',
        delta,
      }),
    ),
  done: (at: number, done: Readonly<Record<string, unknown>>): string =>
    event(piece('response.output_item.done', { output_index: at, item: done })),
  /** Begins the call, sends its arguments in two pieces and ends it. Text as `args` is sent as it is, valid or not. */
  toolCall: (call: { id: string; name: string; args: unknown }, at = 0): string => {
    const text = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
    const half = Math.ceil(text.length / 2);
    const form = { type: 'function_call', id: `fc_${at}`, call_id: call.id, name: call.name };
    return [
      piece('response.output_item.added', { output_index: at, item: { ...form, arguments: '' } }),
      ...[text.slice(0, half), text.slice(half)]
        .filter((delta) => delta !== '')
        .map((delta) =>
          piece('response.function_call_arguments.delta', { output_index: at, item_id: form.id, delta }),
        ),
      piece('response.output_item.done', { output_index: at, item: { ...form, arguments: text } }),
    ]
      .map(event)
      .join('');
  },
  end: (figures?: TokenFigures): string =>
    event(withResponse('response.completed', { status: 'completed', usage: figures && usageOf(figures) })),
  incomplete: (reason: string): string =>
    event(withResponse('response.incomplete', { status: 'incomplete', incomplete_details: { reason } })),
  failed: (error: { readonly code: string; readonly message: string }): string =>
    event(withResponse('response.failed', { status: 'failed', error })),
} as const;

function piece(type: string, members: Readonly<Record<string, unknown>>): { readonly type: string } {
  return { type, ...members };
}

function withResponse(type: string, members: Readonly<Record<string, unknown>>): { readonly type: string } {
  return piece(type, { response: { id: 'resp_lab', object: 'response', model: 'lab-1', ...members } });
}

function usageOf(figures: TokenFigures): Readonly<Record<string, unknown>> {
  return {
    input_tokens: figures.input,
    input_tokens_details: { cached_tokens: figures.cachedInput },
    output_tokens: figures.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: figures.input + figures.output,
  };
}

/** The items of one answer come in this order, each with its own place. */
function answer(given: ModelAnswer, form: AnswerForm): string[] {
  const calls = given.calls ?? [];
  const thoughts = given.reasoning === undefined ? 0 : 1;
  const texts = given.text === undefined ? 0 : 1;
  return [
    responsesSse.begin(),
    ...streamPieces(given.reasoning ?? '').map(responsesSse.reasoning),
    ...(given.reasoning === undefined
      ? []
      : [
          responsesSse.done(0, {
            type: 'reasoning',
            id: `rs_${form.turn}`,
            summary: [{ type: 'summary_text', text: given.reasoning }],
            encrypted_content: `sealed-${form.turn}`,
          }),
        ]),
    ...streamPieces(given.text ?? '').map((text) => responsesSse.text(text, thoughts)),
    ...calls.map((call, index) =>
      responsesSse.toolCall(
        { id: `call_${form.turn}_${index}`, name: call.name, args: call.args },
        thoughts + texts + index,
      ),
    ),
    responsesSse.end(form.figures),
  ];
}

export const responsesWire: Wire<ResponsesRequest> = {
  basePath: '/v1',
  isRequest: (path) => path === '/v1/responses',
  keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ''),
  check: (body) => checkBody(responsesRequest, body, violations),
  read,
  answer,
  error: errorResponse,
};
