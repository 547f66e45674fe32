import type { CallId } from './ids.ts';
import type { NativeSearch, ProviderItem, StopReason, ToolCall, Usage } from './message.ts';
import type { ModelEvent } from './model.ts';

/** A call as it arrived; `id` is undefined when the provider gave none. */
export type ArrivedCall = Omit<ToolCall, 'id'> & { readonly id: CallId | undefined };

/** One complete (or cancelled) answer of a model, before it becomes a message. */
export interface AssembledTurn {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ArrivedCall[];
  readonly providerItems: readonly ProviderItem[];
  readonly searches: readonly NativeSearch[];
  readonly usage: Usage | undefined;
  readonly stop: StopReason;
}

/** Of what a provider tells about one search, and of one answer. More is left out: cards need titles and addresses only. */
const longestQuery = 1_000;
const longestDetail = 16_384;
const mostSearches = 64;

interface GrowingCall {
  id: CallId | undefined;
  readonly index: number;
  name: string;
  argumentsText: string;
}

/**
 * Puts the events of one attempt together. Text: deltas append, snapshots replace. Calls are found by id first, by index second, and
 * kept in the order first seen; an id that is new never joins a call that has another. Usage is the maximum of each figure.
 * Source: agent runtime contract, section 21.
 */
export class TurnAssembly {
  #text = '';
  #reasoning = '';
  #usage: Usage | undefined;
  #stop: StopReason | undefined;
  readonly #calls: GrowingCall[] = [];
  readonly #items: ProviderItem[] = [];
  readonly #searches: NativeSearch[] = [];

  get text(): string {
    return this.#text;
  }

  get reasoning(): string {
    return this.#reasoning;
  }

  /** True once the provider said how the answer ended; what follows is at most usage. */
  get isFinished(): boolean {
    return this.#stop !== undefined;
  }

  accept(event: ModelEvent): void {
    if (event.kind === 'usage') this.#usage = mergeUsage(this.#usage, event.usage);
    else if (!this.isFinished) this.#acceptContent(event);
  }

  /**
   * The answer as it stands; `cancelled` when it was not finished. Only an answer that came to its end, or to the output limit, has
   * calls: anything else may have broken off inside one.
   */
  result(): AssembledTurn {
    const isWhole = this.#stop === 'completed' || this.#stop === 'toolCalls' || this.#stop === 'length';
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      calls: isWhole ? this.#calls.map(({ id, name, argumentsText }) => ({ id, name, argumentsText })) : [],
      providerItems: isWhole ? [...this.#items] : [],
      searches: [...this.#searches],
      usage: this.#usage,
      stop: this.#stop ?? 'cancelled',
    };
  }

  #acceptContent(event: Exclude<ModelEvent, { kind: 'usage' }>): void {
    switch (event.kind) {
      case 'textDelta':
        this.#text += event.text;
        return;
      case 'textSnapshot':
        this.#text = event.text;
        return;
      case 'reasoningDelta':
        this.#reasoning += event.text;
        return;
      case 'reasoningSnapshot':
        this.#reasoning = event.text;
        return;
      case 'toolCallDelta': {
        const call = this.#call(event);
        if (call.name === '') call.name = event.name ?? '';
        call.argumentsText += event.argumentsText;
        return;
      }
      case 'toolCallSnapshot': {
        const call = this.#call(event);
        call.name = event.name;
        call.argumentsText = event.argumentsText;
        return;
      }
      case 'providerItem':
        this.#items.push(event.item);
        return;
      case 'finished':
        this.#stop = event.reason;
        return;
      case 'webSearch':
        if (this.#searches.length < mostSearches) this.#searches.push(boundedSearch(event));
        return;
      case 'alive':
        return;
    }
  }

  #call(event: { readonly id?: CallId; readonly index: number }): GrowingCall {
    const known = this.#calls.findLast((call) =>
      event.id === undefined ? call.index === event.index : call.id === event.id,
    );
    if (known !== undefined) return known;
    const unnamed = this.#calls.findLast((call) => call.index === event.index && call.id === undefined);
    if (unnamed !== undefined) {
      unnamed.id = event.id;
      return unnamed;
    }
    const call: GrowingCall = { id: event.id, index: event.index, name: '', argumentsText: '' };
    this.#calls.push(call);
    return call;
  }
}

function boundedSearch({ query, detail }: NativeSearch): NativeSearch {
  const isBounded = JSON.stringify(detail).length <= longestDetail;
  return { query: query.slice(0, longestQuery), detail: isBounded ? detail : [] };
}

const figures = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'cacheWriteTokens'] as const;

/** The larger of each figure; an absent figure counts as not reported. */
export function mergeUsage(before: Usage | undefined, more: Usage): Usage {
  const merged: { -readonly [K in keyof Usage]: Usage[K] } = { ...before, ...more };
  for (const figure of figures) {
    const known = [before?.[figure], more[figure]].filter((value) => value !== undefined);
    if (known.length > 0) merged[figure] = Math.max(...known);
  }
  return merged;
}
