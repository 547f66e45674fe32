import { z } from 'zod';
import type { Usage } from '../../message.ts';
import type { ModelEvent } from '../../model.ts';
import { filteredEnd, parseEvent } from '../wireEvents.ts';
import { AnswerCallIds, argumentsText } from '../wireCalls.ts';
import { fromWireError } from '../wireErrors.ts';
import { readOpenAiError } from './openaiErrors.ts';

const toolCallDelta = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      /** Something else where a server forgot that the protocol sends text. */
      arguments: z.json().optional(),
    })
    .nullish(),
});
type ToolCallDelta = z.infer<typeof toolCallDelta>;

const delta = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(toolCallDelta).nullish(),
});

const usage = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
});

/** One `chat.completion.chunk` as OpenAI, Ollama, vLLM and OpenRouter send it. Members nobody reads are not looked at. */
const chunk = z.object({
  choices: z
    .array(
      z.object({ index: z.number().nullish(), delta: delta.nullish(), finish_reason: z.string().nullish() }),
    )
    .nullish(),
  usage: usage.nullish(),
  error: z.unknown().optional(),
});

/** Turns the chunks of one Chat Completions stream into model events. Source: agent runtime contract, section 21. */
export class ChatStreamReader {
  readonly #calls = new CallPositions();

  /** Throws `ProviderError`: `malformed` for a chunk of another shape, or what an error object in the stream says. */
  read(value: unknown): ModelEvent[] {
    const { choices, usage: figures, error } = parseEvent(chunk, value);
    if (error !== undefined && error !== null) throw fromWireError(readOpenAiError(error, undefined));
    const choice = choices?.find(({ index }) => (index ?? 0) === 0);
    const events = choice?.delta ? this.#readDelta(choice.delta) : [];
    if (figures) events.push({ kind: 'usage', usage: toUsage(figures) });
    if (choice?.finish_reason) events.push(...this.#finish(choice.finish_reason));
    return events;
  }

  #readDelta(piece: z.infer<typeof delta>): ModelEvent[] {
    const events: ModelEvent[] = [];
    const reasoning = piece.reasoning_content ?? piece.reasoning;
    if (reasoning) events.push({ kind: 'reasoningDelta', text: reasoning });
    if (piece.content) events.push({ kind: 'textDelta', text: piece.content });
    if (piece.refusal) events.push({ kind: 'textDelta', text: piece.refusal });
    for (const call of piece.tool_calls ?? []) events.push(this.#calls.read(call));
    return events;
  }

  #finish(reason: string): ModelEvent[] {
    switch (reason) {
      case 'length':
      case 'max_tokens':
        return [{ kind: 'finished', reason: 'length' }];
      case 'content_filter':
        return filteredEnd(!this.#calls.isEmpty);
      case 'error':
        return [{ kind: 'finished', reason: 'error' }];
      default:
        // Several servers say `stop` behind tool calls, so the calls decide.
        return [{ kind: 'finished', reason: this.#calls.isEmpty ? 'completed' : 'toolCalls' }];
    }
  }
}

function toUsage(figures: z.infer<typeof usage>): Usage {
  const cached = figures.prompt_tokens_details?.cached_tokens;
  return {
    ...(typeof figures.prompt_tokens === 'number' && { inputTokens: figures.prompt_tokens }),
    ...(typeof figures.completion_tokens === 'number' && { outputTokens: figures.completion_tokens }),
    ...(typeof cached === 'number' && { cachedInputTokens: cached }),
  };
}

/**
 * Gives every piece of a call the position it belongs to. Servers leave out ids, indexes or both, and some repeat index 0 for every
 * whole call: an id that is new, or a name without an id where a call already has its name, begins another call. So does a name at a new
 * index under the id of a call that has its name.
 */
class CallPositions {
  readonly #byId = new Map<string, number>();
  readonly #ids = new AnswerCallIds();
  readonly #named = new Set<number>();
  #count = 0;
  #last = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  read(piece: ToolCallDelta): ModelEvent {
    const id = piece.id || undefined;
    const name = piece.function?.name || undefined;
    const index = this.#position(id, name, piece.index ?? undefined);
    this.#last = index;
    this.#count = Math.max(this.#count, index + 1);
    if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, index);
    if (name !== undefined) this.#named.add(index);
    return {
      kind: 'toolCallDelta',
      index,
      ...this.#ids.of(id, index),
      ...(name !== undefined && { name }),
      argumentsText: argumentsText(piece.function?.arguments),
    };
  }

  #position(id: string | undefined, name: string | undefined, index: number | undefined): number {
    const known = id === undefined ? undefined : this.#byId.get(id);
    const isTaken = index !== undefined && this.#named.has(index);
    const isRepeated = name !== undefined && index !== undefined && !isTaken;
    if (known !== undefined && !(isRepeated && known !== index && this.#named.has(known))) return known;
    const beginsAnother = name !== undefined && (index === undefined || isTaken);
    if (beginsAnother) return this.#count;
    return index ?? (id === undefined ? this.#last : this.#count);
  }
}
