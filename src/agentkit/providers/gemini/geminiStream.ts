import { z } from 'zod';
import type { Usage } from '../../message.ts';
import type { ModelEvent } from '../../model.ts';
import { AnswerCallIds } from '../wireCalls.ts';
import { filteredEnd, parseEvent } from '../wireEvents.ts';
import { toProviderItem, type KeptItem } from './geminiItems.ts';

const part = z.looseObject({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: z.string().nullish(),
  functionCall: z
    .object({
      id: z.string().nullish(),
      name: z.string().nullish(),
      /** An object; whatever else a model writes there is refused with its call, by the tool. */
      args: z.json().optional(),
    })
    .nullish(),
  toolCall: z.json().optional(),
  toolResponse: z.json().optional(),
});
type Part = z.infer<typeof part>;

const grounding = z.object({
  webSearchQueries: z.array(z.string()).nullish(),
  groundingChunks: z
    .array(z.object({ web: z.object({ title: z.string().nullish(), uri: z.string().nullish() }).nullish() }))
    .nullish(),
});

const usage = z.object({
  promptTokenCount: z.number().nullish(),
  toolUsePromptTokenCount: z.number().nullish(),
  candidatesTokenCount: z.number().nullish(),
  thoughtsTokenCount: z.number().nullish(),
  cachedContentTokenCount: z.number().nullish(),
});

const chunk = z.object({
  candidates: z
    .array(
      z.object({
        content: z.object({ parts: z.array(part).nullish() }).nullish(),
        finishReason: z.string().nullish(),
        groundingMetadata: grounding.nullish(),
      }),
    )
    .nullish(),
  promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: usage.nullish(),
});

/** Turns the chunks of one Gemini answer into model events. Source: agent runtime contract, section 21. */
export class GeminiStreamReader {
  readonly #tag: string;
  readonly #kept: KeptItem[] = [];
  readonly #searches = new Set<string>();
  readonly #ids = new AnswerCallIds();
  #calls = 0;

  constructor(tag: string) {
    this.#tag = tag;
  }

  /** Throws `ProviderError` `malformed` for a chunk of another shape. */
  read(value: unknown): ModelEvent[] {
    const { candidates, promptFeedback, usageMetadata } = parseEvent(chunk, value);
    const candidate = candidates?.[0];
    const events = (candidate?.content?.parts ?? []).flatMap((piece) => this.#readPart(piece));
    if (candidate?.groundingMetadata) events.push(...this.#readSearches(candidate.groundingMetadata));
    if (usageMetadata) events.push({ kind: 'usage', usage: toUsage(usageMetadata) });
    const isBlocked = promptFeedback?.blockReason != null;
    if (candidate?.finishReason) events.push(...this.#finish(candidate.finishReason));
    else if (isBlocked && candidate === undefined) events.push(...filteredEnd(this.#calls > 0));
    return events;
  }

  #readPart(piece: Part): ModelEvent[] {
    const { text, thought, thoughtSignature: signature, functionCall } = piece;
    if (functionCall) return this.#readCall(functionCall, signature ?? undefined);
    if (piece.toolCall !== undefined || piece.toolResponse !== undefined) {
      this.#kept.push({ kind: 'part', part: z.record(z.string(), z.json()).parse(piece) });
      return [];
    }
    if (thought) return this.#readThought(text ?? '', signature ?? undefined);
    if (signature) this.#kept.push({ kind: 'textSignature', signature });
    return text ? [{ kind: 'textDelta', text }] : [];
  }

  /** Each call is whole. One without an id gets its own from the runtime. */
  #readCall(
    { id, name, args }: NonNullable<Part['functionCall']>,
    signature: string | undefined,
  ): ModelEvent[] {
    const index = this.#calls++;
    if (signature !== undefined) this.#kept.push({ kind: 'callSignature', call: index, signature });
    return [
      {
        kind: 'toolCallDelta',
        index,
        ...this.#ids.of(id, index),
        name: name ?? '',
        argumentsText: JSON.stringify(args ?? {}),
      },
    ];
  }

  /** Thoughts arrive in pieces; those that follow each other are one part again, up to its signature. */
  #readThought(text: string, signature: string | undefined): ModelEvent[] {
    const open = this.#kept.at(-1);
    if (open?.kind === 'thought' && open.signature === undefined) this.#kept.pop();
    const before = open?.kind === 'thought' && open.signature === undefined ? open.text : '';
    this.#kept.push({ kind: 'thought', text: before + text, ...(signature !== undefined && { signature }) });
    return text === '' ? [] : [{ kind: 'reasoningDelta', text }];
  }

  #readSearches({ webSearchQueries, groundingChunks }: z.infer<typeof grounding>): ModelEvent[] {
    const detail = (groundingChunks ?? []).flatMap(({ web }) =>
      web?.uri ? [{ title: web.title ?? '', url: web.uri }] : [],
    );
    const fresh = (webSearchQueries ?? []).filter((query) => !this.#searches.has(query));
    for (const query of fresh) this.#searches.add(query);
    return fresh.map((query) => ({ kind: 'webSearch', query, detail }));
  }

  #finish(reason: string): ModelEvent[] {
    const items = this.#kept.map((item): ModelEvent => ({
      kind: 'providerItem',
      item: toProviderItem(this.#tag, item),
    }));
    return [...items, ...this.#ending(reason)];
  }

  #ending(reason: string): ModelEvent[] {
    switch (reason) {
      case 'STOP':
      case 'FINISH_REASON_UNSPECIFIED':
        return [{ kind: 'finished', reason: this.#calls > 0 ? 'toolCalls' : 'completed' }];
      case 'MAX_TOKENS':
      case 'CONTINUATION':
        return [{ kind: 'finished', reason: 'length' }];
      default:
        return failures.has(reason) ? [{ kind: 'finished', reason: 'error' }] : filteredEnd(this.#calls > 0);
    }
  }
}

/** Reasons that are no judgement about the content. Every other reason is a filter's. */
const failures: ReadonlySet<string> = new Set([
  'OTHER',
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'PUP_LIMITED_DISABLED',
]);

/** Thoughts are output, and what the provider's own searches brought is input. */
function toUsage(figures: z.infer<typeof usage>): Usage {
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount, thoughtsTokenCount } = figures;
  const input = sum(promptTokenCount, toolUsePromptTokenCount);
  const output = sum(candidatesTokenCount, thoughtsTokenCount);
  const cached = figures.cachedContentTokenCount;
  return {
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
    ...(typeof cached === 'number' && { cachedInputTokens: cached }),
  };
}

function sum(...figures: readonly (number | null | undefined)[]): number | undefined {
  const known = figures.filter((figure) => typeof figure === 'number');
  return known.length === 0 ? undefined : known.reduce((total, figure) => total + figure, 0);
}
