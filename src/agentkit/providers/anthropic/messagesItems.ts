import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';
import type { Json } from '../../json.ts';
import type { ProviderItem } from '../../message.ts';

/** Blocks that a Messages answer leaves behind for the next request: thinking with its signature, and searches with their results. */

const thinking = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().min(1),
});
const redacted = z.object({ type: z.literal('redacted_thinking'), data: z.string() });
const search = z.looseObject({
  type: z.literal('server_tool_use'),
  id: z.string(),
  name: z.literal('web_search'),
  input: z.json(),
});
const found = z.looseObject({ type: z.literal('web_search_tool_result'), tool_use_id: z.string() });

/** The provider's own block, sent back as it came: a changed one is refused. */
const replayed = z.custom<ContentBlockParam>((block) =>
  [thinking, redacted, search, found].some((schema) => schema.safeParse(block).success),
);

/** A finished block that has to be sent again, or undefined. */
export function keptBlock(block: unknown): Json | undefined {
  return replayed.safeParse(block).success ? z.json().parse(block) : undefined;
}

/**
 * The blocks in the order in which they came, in front of text and calls. A search whose result did not come, and a result without its
 * search, would have the request refused.
 */
export function replayedBlocks(items: readonly ProviderItem[]): ContentBlockParam[] {
  const searches = new Set(items.map(({ item }) => search.safeParse(item).data?.id));
  const results = new Set(items.map(({ item }) => found.safeParse(item).data?.tool_use_id));
  return items.flatMap(({ item }) => {
    const id = search.safeParse(item).data?.id ?? found.safeParse(item).data?.tool_use_id;
    if (id !== undefined && !(searches.has(id) && results.has(id))) return [];
    return replayed.safeParse(item).data ?? [];
  });
}

/** Titles and addresses of what a search found, for its card; an error code when it failed. */
export function searchDetail(block: unknown): Json {
  const pages = z
    .object({ content: z.array(z.object({ title: z.string(), url: z.string() })) })
    .safeParse(block);
  if (pages.success) return pages.data.content;
  const error = z.object({ content: z.object({ error_code: z.string() }) }).safeParse(block);
  return error.success ? { error: error.data.content.error_code } : [];
}
