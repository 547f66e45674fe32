import { z } from 'zod';
import {
  streamPieces,
  type ModelAnswer,
  type PostedConversation,
  type PostedMessage,
  type TokenFigures,
} from './modelConversation.ts';
import type { AnswerForm } from './wires/wire.ts';

/** The Chat Completions wire, as OpenAI's API reference describes it: bodies that come in, and streams that go out. */

const toolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const textPart = z.object({ type: z.literal('text'), text: z.string() });
const imagePart = z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) });
const content = z.union([z.string(), z.array(z.union([textPart, imagePart]))]);

const chatMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content }),
  z.object({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(toolCall).optional(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);
export type ChatMessage = z.output<typeof chatMessage>;

const chatTool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string(),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  }),
});

/** The body of a streamed request. Members that no rule looks at are let through. */
export const chatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(chatMessage).min(1),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
  tools: z.array(chatTool).min(1).optional(),
});
export type ChatRequest = z.output<typeof chatRequest>;

/** What a parsed body asks, without the form of this wire. Images are left out. */
export function readConversation(request: ChatRequest): PostedConversation {
  return {
    model: request.model,
    messages: request.messages.map(readMessage),
    toolNames: (request.tools ?? []).map((tool) => tool.function.name),
  };
}

function readMessage(message: ChatMessage): PostedMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', text: message.content };
    case 'user':
      return { role: 'user', text: readText(message.content) };
    case 'tool':
      return { role: 'tool', callId: message.tool_call_id, text: message.content };
    case 'assistant':
      return {
        role: 'assistant',
        text: message.content ?? '',
        calls: (message.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function.name,
          argumentsText: call.function.arguments,
        })),
      };
  }
}

function readText(parts: z.output<typeof content>): string {
  if (typeof parts === 'string') return parts;
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function chunk(members: Readonly<Record<string, unknown>>): string {
  const head = {
    id: 'chatcmpl-lab',
    object: 'chat.completion.chunk',
    created: 1_735_689_600,
    model: 'lab-1',
  };
  return event({ ...head, ...members });
}

function delta(value: Readonly<Record<string, unknown>>, finish: FinishReason | null = null): string {
  return chunk({ choices: [{ index: 0, delta: value, logprobs: null, finish_reason: finish }] });
}

export interface ToolCallForm {
  /** Position among the calls of the turn; 0 when absent. */
  readonly index?: number;
  /** Into how many pieces the arguments are cut; 2 when absent. */
  readonly fragments?: number;
}

/** Builders of server-sent events, each the exact text of one or several events. A stream is their concatenation. */
export const sse = {
  /** The first chunk of every answer. */
  begin: (): string => delta({ role: 'assistant', content: '', refusal: null }),
  text: (text: string): string => delta({ content: text }),
  /** The member that several servers use for visible reasoning. */
  reasoning: (text: string): string => delta({ reasoning_content: text }),
  /** Id and name first, then the arguments in pieces. Text as `args` is sent as it is, valid or not. */
  toolCall: (call: { id: string; name: string; args: unknown }, form: ToolCallForm = {}): string => {
    const index = form.index ?? 0;
    const text = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
    const size = Math.max(1, Math.ceil(text.length / (form.fragments ?? 2)));
    const open = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    const pieces: string[] = [];
    for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
    return [open, ...pieces.map((piece) => ({ index, function: { arguments: piece } }))]
      .map((one) => delta({ tool_calls: [one] }))
      .join('');
  },
  finish: (reason: FinishReason): string => delta({}, reason),
  /** The chunk that `stream_options.include_usage` asks for: no choices, behind the finish reason. */
  usage: (figures: TokenFigures): string =>
    chunk({
      choices: [],
      usage: {
        prompt_tokens: figures.input,
        completion_tokens: figures.output,
        total_tokens: figures.input + figures.output,
        prompt_tokens_details: { cached_tokens: figures.cachedInput, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
      },
    }),
  done: (): string => 'data: [DONE]\n\n',
  /** Finish reason, usage where given, and the end mark. */
  end: (reason: FinishReason, figures?: TokenFigures): string =>
    sse.finish(reason) + (figures === undefined ? '' : sse.usage(figures)) + sse.done(),
  /** A comment, which keeps a connection alive and says nothing. */
  comment: (text = 'ping'): string => `: ${text}\n\n`,
  /** An error inside a stream whose status was already 200. */
  error: (error: { message: string; type: string; code?: string | number }): string => event({ error }),
} as const;

/** The events of one answer, one string an event or call, in the pieces in which a model would send them. */
export function answerEvents(answer: ModelAnswer, form: AnswerForm): string[] {
  const calls = answer.calls ?? [];
  return [
    sse.begin(),
    ...streamPieces(answer.reasoning ?? '').map(sse.reasoning),
    ...streamPieces(answer.text ?? '').map(sse.text),
    ...calls.map((call, index) =>
      sse.toolCall({ id: `call_${form.turn}_${index}`, name: call.name, args: call.args }, { index }),
    ),
    sse.end(calls.length > 0 ? 'tool_calls' : 'stop', form.figures),
  ];
}
