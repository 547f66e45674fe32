import { z } from 'zod';
import type { Json } from '../../json.ts';
import type { Usage } from '../../message.ts';
import type { ModelEvent } from '../../model.ts';
import { filteredEnd, parseEvent } from '../wireEvents.ts';
import { AnswerCallIds, argumentsText } from '../wireCalls.ts';
import { fromWireError } from '../wireErrors.ts';
import { readOpenAiError } from './openaiErrors.ts';
import { keptItem, phaseItem, searchOf } from './responsesItems.ts';

const item = z.looseObject({ type: z.string() });
const functionCall = z.object({
  type: z.literal('function_call'),
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  /** Something else where a server forgot that the protocol sends text. */
  arguments: z.json().optional(),
});
const message = z.object({ type: z.literal('message'), phase: z.unknown().optional() });

const usage = z.object({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  input_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
});

const outcome = z.object({
  response: z.object({
    usage: usage.nullish(),
    error: z.unknown().optional(),
    incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  }),
});

const piece = z.object({ output_index: z.number(), delta: z.string() });
const itemEvent = z.object({ output_index: z.number(), item });
const summaryPart = z.object({ summary_index: z.number().nullish() });

/** Turns the events of one Responses stream into model events. Source: agent runtime contract, section 21. */
export class ResponsesStreamReader {
  readonly #tag: string;
  /** The calls by the place of their item among all items of the answer. */
  readonly #calls = new Set<number>();
  readonly #ids = new AnswerCallIds();
  #textOf: number | undefined;
  #hasReasoning = false;

  constructor(tag: string) {
    this.#tag = tag;
  }

  /** Events and members that nobody reads are not looked at. Throws `ProviderError`. */
  read(value: unknown): ModelEvent[] {
    const { type } = parseEvent(item, value);
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return this.#readText(parseEvent(piece, value));
      case 'response.reasoning_summary_part.added':
        return this.#beginReasoning(parseEvent(summaryPart, value).summary_index ?? 0);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#hasReasoning = true;
        return [{ kind: 'reasoningDelta', text: parseEvent(piece, value).delta }];
      case 'response.output_item.added':
        return this.#beginItem(parseEvent(itemEvent, value));
      case 'response.function_call_arguments.delta': {
        const { output_index: index, delta } = parseEvent(piece, value);
        return [{ kind: 'toolCallDelta', index, argumentsText: delta }];
      }
      case 'response.output_item.done':
        return this.#endItem(parseEvent(itemEvent, value));
      case 'response.completed':
        return this.#finish(parseEvent(outcome, value).response);
      case 'response.incomplete': {
        const { response } = parseEvent(outcome, value);
        // Without a word why: calls of an incomplete answer must not run.
        const reason = response.incomplete_details?.reason ?? 'max_output_tokens';
        return this.#finish({ ...response, incomplete_details: { reason } });
      }
      case 'response.failed':
        throw fromWireError(readOpenAiError(parseEvent(outcome, value).response.error, undefined));
      case 'error':
        throw fromWireError(readOpenAiError(value, undefined));
      default:
        return [];
    }
  }

  /** Several messages in one answer are paragraphs of it. */
  #readText({ output_index: index, delta }: z.infer<typeof piece>): ModelEvent[] {
    const isNext = this.#textOf !== undefined && this.#textOf !== index;
    this.#textOf = index;
    return [{ kind: 'textDelta', text: isNext ? `\n\n${delta}` : delta }];
  }

  #beginReasoning(part: number): ModelEvent[] {
    return part > 0 || this.#hasReasoning ? [{ kind: 'reasoningDelta', text: '\n\n' }] : [];
  }

  #beginItem({ output_index: index, item: added }: z.infer<typeof itemEvent>): ModelEvent[] {
    const call = functionCall.safeParse(added);
    if (!call.success) return [];
    this.#calls.add(index);
    const { call_id: id, name, arguments: args } = call.data;
    const own = this.#ids.of(id, index);
    return [{ kind: 'toolCallDelta', index, ...own, name: name ?? '', argumentsText: argumentsText(args) }];
  }

  /** A finished item says everything again; a server that sent no deltas is read from it. */
  #endItem({ output_index: index, item: done }: z.infer<typeof itemEvent>): ModelEvent[] {
    const call = functionCall.safeParse(done);
    if (call.success) {
      this.#calls.add(index);
      const { call_id: id, name, arguments: args } = call.data;
      const own = this.#ids.of(id, index);
      return [
        { kind: 'toolCallSnapshot', index, ...own, name: name ?? '', argumentsText: argumentsText(args) },
      ];
    }
    const search = searchOf(done);
    const kept = keptItem(done) ?? phaseItem(message.safeParse(done).data?.phase);
    return [...(search ? [{ kind: 'webSearch' as const, ...search }] : []), ...this.#keep(kept)];
  }

  #keep(kept: Json | undefined): ModelEvent[] {
    return kept === undefined ? [] : [{ kind: 'providerItem', item: { tag: this.#tag, item: kept } }];
  }

  #finish(response: z.infer<typeof outcome>['response']): ModelEvent[] {
    const events: ModelEvent[] = response.usage ? [{ kind: 'usage', usage: toUsage(response.usage) }] : [];
    const reason = response.incomplete_details?.reason;
    switch (reason) {
      case undefined:
      case null:
        return [...events, { kind: 'finished', reason: this.#calls.size > 0 ? 'toolCalls' : 'completed' }];
      case 'max_output_tokens':
        return [...events, { kind: 'finished', reason: 'length' }];
      default:
        return [...events, ...filteredEnd(this.#calls.size > 0)];
    }
  }
}

function toUsage(figures: z.infer<typeof usage>): Usage {
  const cached = figures.input_tokens_details?.cached_tokens;
  return {
    ...(typeof figures.input_tokens === 'number' && { inputTokens: figures.input_tokens }),
    ...(typeof figures.output_tokens === 'number' && { outputTokens: figures.output_tokens }),
    ...(typeof cached === 'number' && { cachedInputTokens: cached }),
  };
}
