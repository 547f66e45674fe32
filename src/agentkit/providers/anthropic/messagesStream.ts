import { z } from 'zod';
import { isJsonObject, parseJsonObject, type Json } from '../../json.ts';
import type { Usage } from '../../message.ts';
import type { ModelEvent } from '../../model.ts';
import { filteredEnd, parseEvent } from '../wireEvents.ts';
import { AnswerCallIds } from '../wireCalls.ts';
import { isBlank } from '../wireText.ts';
import { keptBlock, searchDetail } from './messagesItems.ts';

const figures = z.object({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
});
type Figures = z.infer<typeof figures>;

const event = z.object({ type: z.string() });
const messageStart = z.object({ message: z.object({ usage: figures.nullish() }) });
const messageDelta = z.object({
  delta: z.object({ stop_reason: z.string().nullish() }),
  usage: figures.nullish(),
});
const blockStart = z.object({ index: z.number(), content_block: z.looseObject({ type: z.string() }) });
const blockDelta = z.object({
  index: z.number(),
  delta: z.object({
    type: z.string(),
    text: z.string().optional(),
    partial_json: z.string().optional(),
    thinking: z.string().optional(),
    signature: z.string().optional(),
  }),
});
const blockStop = z.object({ index: z.number() });

const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string().nullish(),
  name: z.string().nullish(),
  input: z.json().optional(),
});
const query = z.object({ input: z.object({ query: z.string() }) });

/** A block as it grows. `inputText` is the JSON of a call or search, which arrives in pieces. */
interface GrowingBlock {
  readonly place: number;
  readonly content: Record<string, unknown>;
  inputText: string;
}

/** Turns the events of one Messages answer into model events. Source: agent runtime contract, section 21. */
export class MessagesStreamReader {
  readonly #tag: string;
  /** By the index of the event; a continued answer counts from zero again. */
  readonly #open = new Map<number, GrowingBlock>();
  /** Every finished block of the answer since it was last continued. */
  #finished: Json[] = [];
  readonly #queries = new Map<string, string>();
  readonly #ids = new AnswerCallIds();
  readonly #usage = new UsageSum();
  #places = 0;
  #hasCalls = false;
  #hasReasoning = false;
  #isPaused = false;

  constructor(tag: string) {
    this.#tag = tag;
  }

  /** The provider interrupted a long search; the answer goes on when it is sent back. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The blocks that came since the answer began or was last continued; from now on events continue it. */
  takePaused(): readonly Json[] {
    const blocks = this.#finished;
    this.#isPaused = false;
    this.#finished = [];
    this.#open.clear();
    this.#usage.next();
    return blocks;
  }

  /** Events and members that nobody reads are not looked at. Throws `ProviderError`. */
  read(value: unknown): ModelEvent[] {
    switch (parseEvent(event, value).type) {
      case 'message_start':
        return this.#usage.add(parseEvent(messageStart, value).message.usage);
      case 'content_block_start':
        return this.#begin(parseEvent(blockStart, value));
      case 'content_block_delta':
        return this.#grow(parseEvent(blockDelta, value));
      case 'content_block_stop':
        return this.#end(parseEvent(blockStop, value).index);
      case 'message_delta': {
        const { delta, usage } = parseEvent(messageDelta, value);
        return [...this.#usage.add(usage), ...this.#stop(delta.stop_reason ?? undefined)];
      }
      default:
        return [];
    }
  }

  #begin({ index, content_block: content }: z.infer<typeof blockStart>): ModelEvent[] {
    const block: GrowingBlock = { place: this.#places++, content: { ...content }, inputText: '' };
    this.#open.set(index, block);
    const call = toolUse.safeParse(content);
    if (call.success) return this.#beginCall(block, call.data);
    switch (content.type) {
      case 'text':
        return textOf(content['text'], 'textDelta');
      case 'thinking':
        return [
          ...(this.#hasReasoning ? [{ kind: 'reasoningDelta' as const, text: '\n\n' }] : []),
          ...this.#reason(content['thinking']),
        ];
      default:
        return [];
    }
  }

  /** Servers that borrow the protocol send the whole input at once. */
  #beginCall(block: GrowingBlock, { id, name, input }: z.infer<typeof toolUse>): ModelEvent[] {
    this.#hasCalls = true;
    if (!isEmpty(input)) block.inputText = JSON.stringify(input);
    const argumentsText = block.inputText;
    const own = this.#ids.of(id, block.place);
    return [{ kind: 'toolCallDelta', index: block.place, ...own, name: name ?? '', argumentsText }];
  }

  #grow({ index, delta }: z.infer<typeof blockDelta>): ModelEvent[] {
    const block = this.#open.get(index);
    if (block === undefined) return [];
    switch (delta.type) {
      case 'text_delta':
        append(block.content, 'text', delta.text);
        return textOf(delta.text, 'textDelta');
      case 'thinking_delta':
        append(block.content, 'thinking', delta.thinking);
        return this.#reason(delta.thinking);
      case 'signature_delta':
        append(block.content, 'signature', delta.signature);
        return [];
      case 'input_json_delta': {
        const argumentsText = delta.partial_json ?? '';
        block.inputText += argumentsText;
        if (block.content['type'] !== 'tool_use' || argumentsText === '') return [];
        return [{ kind: 'toolCallDelta', index: block.place, argumentsText }];
      }
      default:
        return [];
    }
  }

  #end(index: number): ModelEvent[] {
    const block = this.#open.get(index);
    if (block === undefined) return [];
    this.#open.delete(index);
    const { content, inputText } = block;
    if (inputText !== '') content['input'] = parseJsonObject(inputText) ?? {};
    const whole = z.json().parse(content);
    if (content['type'] !== 'text' || !isBlank(String(content['text']))) this.#finished.push(whole);
    const kept = keptBlock(whole);
    return [
      ...this.#searched(content),
      ...(kept === undefined
        ? []
        : [{ kind: 'providerItem' as const, item: { tag: this.#tag, item: kept } }]),
    ];
  }

  #searched(content: Readonly<Record<string, unknown>>): ModelEvent[] {
    if (content['type'] === 'server_tool_use') {
      const asked = query.safeParse(content).data?.input.query ?? '';
      this.#queries.set(String(content['id']), asked);
    }
    if (content['type'] !== 'web_search_tool_result') return [];
    const asked = this.#queries.get(String(content['tool_use_id'])) ?? '';
    return [{ kind: 'webSearch', query: asked, detail: searchDetail(content) }];
  }

  #reason(text: unknown): ModelEvent[] {
    const events = textOf(text, 'reasoningDelta');
    if (events.length > 0) this.#hasReasoning = true;
    return events;
  }

  #stop(reason: string | undefined): ModelEvent[] {
    switch (reason) {
      case undefined:
        return [];
      case 'max_tokens':
      case 'model_context_window_exceeded':
        return [{ kind: 'finished', reason: 'length' }];
      case 'refusal':
        return filteredEnd(this.#hasCalls);
      case 'pause_turn':
        this.#isPaused = true;
        return [];
      default:
        return [{ kind: 'finished', reason: this.#hasCalls ? 'toolCalls' : 'completed' }];
    }
  }
}

/** The input stands empty where it arrives in pieces. */
function isEmpty(input: Json | undefined): boolean {
  return input === undefined || input === null || (isJsonObject(input) && Object.keys(input).length === 0);
}

function append(content: Record<string, unknown>, member: string, more: string | undefined): void {
  const before = content[member];
  content[member] = (typeof before === 'string' ? before : '') + (more ?? '');
}

function textOf(text: unknown, kind: 'textDelta' | 'reasoningDelta'): ModelEvent[] {
  return typeof text === 'string' && text !== '' ? [{ kind, text }] : [];
}

/**
 * The protocol counts what was read from and written to the cache apart from the rest of the input, and repeats growing figures. A continued
 * answer is paid for in every part.
 */
class UsageSum {
  #before: Required<Record<keyof Figures, number>> = none;
  #now: Required<Record<keyof Figures, number>> = none;

  add(more: Figures | null | undefined): ModelEvent[] {
    if (!more) return [];
    const now = { ...this.#now };
    for (const figure of names) now[figure] = Math.max(now[figure], more[figure] ?? 0);
    this.#now = now;
    return [{ kind: 'usage', usage: this.#toUsage() }];
  }

  next(): void {
    const before = { ...this.#before };
    for (const figure of names) before[figure] += this.#now[figure];
    this.#before = before;
    this.#now = none;
  }

  #toUsage(): Usage {
    const sum = (figure: keyof Figures): number => this.#before[figure] + this.#now[figure];
    const cachedInputTokens = sum('cache_read_input_tokens');
    const cacheWriteTokens = sum('cache_creation_input_tokens');
    return {
      inputTokens: sum('input_tokens') + cachedInputTokens + cacheWriteTokens,
      outputTokens: sum('output_tokens'),
      cachedInputTokens,
      cacheWriteTokens,
    };
  }
}

const names = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const satisfies readonly (keyof Figures)[];

const none = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};
