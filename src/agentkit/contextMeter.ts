import { estimateTokenCount } from 'tokenx';
import { imageTokens } from './imageTokens.ts';
import { sortedJson, toJsonObject } from './json.ts';
import type { ModelItem, ModelRequest } from './model.ts';

/**
 * How far a provider's own count may move ours. A figure further away counts something else: some servers report only what their
 * cache did not hold.
 */
const scaleLimits = { least: 0.5, most: 3 } as const;

/**
 * Counts the tokens of requests: a rough count of ours, scaled to what the provider counted where it told. Items do not change under
 * their id, so each is counted once. Source: agent runtime contract, section 22.
 */
export class ContextMeter {
  readonly #counted = new Map<string, { readonly text: string; readonly tokens: number }>();
  #scale = 1;

  /** Takes a provider's count of the input of this request. */
  calibrate(request: ModelRequest, inputTokens: number): void {
    const ours = this.#count(request);
    if (ours === 0 || inputTokens <= 0) return;
    this.#scale = Math.min(scaleLimits.most, Math.max(scaleLimits.least, inputTokens / ours));
  }

  request(request: ModelRequest): number {
    return Math.ceil(this.#count(request) * this.#scale);
  }

  items(items: readonly ModelItem[]): number {
    return Math.ceil(this.#countItems(items) * this.#scale);
  }

  #count(request: ModelRequest): number {
    const tools = request.tools.map((tool) => sortedJson(toJsonObject(tool))).join('\n');
    return (
      this.#text('system', request.system) + this.#text('tools', tools) + this.#countItems(request.items)
    );
  }

  #countItems(items: readonly ModelItem[]): number {
    return items.reduce((sum, item) => sum + this.#text(item.id, itemText(item)) + imagesOf(item), 0);
  }

  #text(id: string, text: string): number {
    const known = this.#counted.get(id);
    if (known?.text === text) return known.tokens;
    const tokens = estimateTokenCount(text);
    this.#counted.set(id, { text, tokens });
    return tokens;
  }
}

function imagesOf(item: ModelItem): number {
  return item.role === 'user' ? item.images.reduce((sum, image) => sum + imageTokens(image), 0) : 0;
}

function itemText(item: ModelItem): string {
  switch (item.role) {
    case 'user':
    case 'tool':
      return item.text;
    case 'assistant':
      return [item.text, ...item.calls.flatMap((call) => [call.name, call.argumentsText])].join('\n');
  }
}
