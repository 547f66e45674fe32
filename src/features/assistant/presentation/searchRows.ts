import { z } from 'zod';
import {
  callId,
  messageId,
  type AssistantMessage,
  type Json,
  type NativeSearch,
} from '../../../agentkit/index.ts';
import type { RowSource } from './rowSource.ts';
import { envelopeOf } from './toolResult.ts';

type SearchRow = Extract<RowSource, { kind: 'call' }>;

/**
 * A card for each search that the provider made by itself while it answered. It looks like that of a call that ran, and there was none:
 * nothing of it is ever sent to a model. Source: agent runtime contract, section 21.
 */
export function searchRows(message: AssistantMessage): readonly SearchRow[] {
  return (message.searches ?? []).map((search, index) => searchRow(message, search, index));
}

function searchRow(message: AssistantMessage, { query, detail }: NativeSearch, index: number): SearchRow {
  const id = `search:${message.id}:${index}`;
  const made = { callId: callId(id), toolName: 'web_search' };
  const problem = failed.safeParse(detail).data?.error;
  const about = { runId: message.runId, ...made };
  return {
    kind: 'call',
    id,
    call: {
      ...about,
      rowId: id,
      phase: 'finished',
      dispatched: true,
      proposed: {
        ...made,
        arguments: { query },
        presentation: {
          symbol: 'search',
          activity: 'Searching the web for',
          actionKind: 'read',
          groupsWithAdjacent: true,
        },
      },
      result: {
        ...about,
        role: 'tool',
        id: messageId(id),
        createdAt: message.createdAt,
        text: problem ?? envelopeOf({ results: pageLines(detail) }),
        isError: problem !== undefined,
        outcome: problem === undefined ? 'succeeded' : 'failed',
      },
    },
  };
}

const failed = z.object({ error: z.string() });
const page = z.object({ title: z.string().nullish(), url: z.string() });
/** A list, or the `sources` of what the provider did. */
const pages = z.union([
  z.array(z.json()),
  z.object({ sources: z.array(z.json()) }).transform((did) => did.sources),
]);

/** One line for each page that is told of. */
function pageLines(detail: Json): string[] {
  return (pages.safeParse(detail).data ?? []).map((told) => {
    const known = page.safeParse(told).data;
    return known === undefined ? JSON.stringify(told) : [known.title ?? '', known.url].join('  ').trim();
  });
}
