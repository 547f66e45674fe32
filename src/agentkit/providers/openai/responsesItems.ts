import type { ResponseFunctionWebSearch, ResponseReasoningItem } from 'openai/resources/responses/responses';
import { z } from 'zod';
import type { Json } from '../../json.ts';
import type { ProviderItem } from '../../message.ts';

/** What a Responses answer leaves behind for the next request, one provider item each; everything else of it is in the message itself. */

/** Without its encrypted form nobody knows the reasoning afterwards, because nothing is stored. */
const reasoning = z.looseObject({ type: z.literal('reasoning'), encrypted_content: z.string().min(1) });

const webSearch = z.looseObject({
  type: z.literal('web_search_call'),
  action: z.looseObject({ type: z.string(), query: z.string().nullish() }),
});

const phase = z.object({ type: z.literal('message_phase'), phase: z.enum(['commentary', 'final_answer']) });

/** The provider's own item, sent back as it came. */
const replayed = z.custom<ResponseReasoningItem | ResponseFunctionWebSearch>(
  (item) => reasoning.safeParse(item).success || webSearch.safeParse(item).success,
);

/** A finished output item that has to be sent again, or undefined. */
export function keptItem(item: unknown): Json | undefined {
  return replayed.safeParse(item).success ? z.json().parse(item) : undefined;
}

/** The search that a finished output item describes. */
export function searchOf(item: unknown): { readonly query: string; readonly detail: Json } | undefined {
  const action = webSearch.safeParse(item).data?.action;
  return action && { query: action.query ?? '', detail: z.json().parse(action) };
}

/** How the provider labelled its message. Newer models answer worse when it is not sent again. */
export function phaseItem(label: unknown): Json | undefined {
  return phase.safeParse({ type: 'message_phase', phase: label }).data;
}

export function messagePhase(items: readonly ProviderItem[]): z.infer<typeof phase>['phase'] | undefined {
  return items.map(({ item }) => phase.safeParse(item).data?.phase).findLast((label) => label !== undefined);
}

/** Reasoning and searches in the order in which they came; they stand in front of the text and the calls that follow from them. */
export function replayedItems(
  items: readonly ProviderItem[],
): (ResponseReasoningItem | ResponseFunctionWebSearch)[] {
  return items.map(({ item }) => replayed.safeParse(item).data).filter((item) => item !== undefined);
}
