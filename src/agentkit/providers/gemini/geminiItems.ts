import type { Part } from '@google/genai/web';
import { z } from 'zod';
import type { ProviderItem } from '../../message.ts';

/**
 * What a Gemini answer leaves behind for the next request: its thoughts, the searches of the provider with their results as whole parts, and
 * the signatures of its text and of its calls, which must come back at the part where they were.
 */
const kept = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('thought'), text: z.string(), signature: z.string().optional() }),
  z.object({ kind: z.literal('part'), part: z.record(z.string(), z.json()) }),
  z.object({ kind: z.literal('textSignature'), signature: z.string() }),
  z.object({ kind: z.literal('callSignature'), call: z.number().int(), signature: z.string() }),
]);
export type KeptItem = z.infer<typeof kept>;

export interface ReplayedItems {
  /** In the order in which they came; they stand in front of text and calls. */
  readonly parts: readonly Part[];
  readonly textSignature: string | undefined;
  /** By the place of the call in its message. */
  readonly callSignatures: ReadonlyMap<number, string>;
}

export function toProviderItem(tag: string, item: KeptItem): ProviderItem {
  return { tag, item: z.json().parse(item) };
}

export function replayedItems(items: readonly ProviderItem[]): ReplayedItems {
  const known = items.map(({ item }) => kept.safeParse(item).data).filter((item) => item !== undefined);
  return {
    parts: known.flatMap(toPart),
    textSignature: known.findLast((item) => item.kind === 'textSignature')?.signature,
    callSignatures: new Map(
      known.flatMap((item) => (item.kind === 'callSignature' ? [[item.call, item.signature] as const] : [])),
    ),
  };
}

function toPart(item: KeptItem): Part[] {
  switch (item.kind) {
    case 'thought': {
      const { text, signature } = item;
      return [{ text, thought: true, ...(signature !== undefined && { thoughtSignature: signature }) }];
    }
    case 'part':
      return [z.custom<Part>().parse(item.part)];
    case 'textSignature':
    case 'callSignature':
      return [];
  }
}
