import type { ConversationId, DurableEvent, RunId } from '../../../agentkit/index.ts';
import { callEntry, inferredEnd } from '../../../application/operations/callEntries.ts';
import type { Connection } from '../connection.ts';
import { storedProposal, storedReview } from '../runRows.ts';
import { appendOperation, entryIn } from './operationRows.ts';

/** Writes what happened to one call into the operations log, from what is recorded of it. Belongs into the commit of the event. */
export function recordCallOperation(
  connection: Connection,
  event: DurableEvent,
  place: { readonly conversation: ConversationId; readonly window: string },
): void {
  const title = connection.get('SELECT title FROM conversations WHERE id = ?', place.conversation)?.['title'];
  const entry = callEntry(event, {
    window: place.window,
    conversation: { id: place.conversation, title: typeof title === 'string' ? title : '' },
    recorded: (callId) => {
      const row = connection.get(
        'SELECT proposed, review, dispatched FROM calls WHERE conversation_id = ? AND run_id = ? AND call_id = ?',
        place.conversation,
        event.runId,
        callId,
      );
      return {
        proposed: storedProposal.safeParse(jsonOf(row?.['proposed'])).data,
        review: storedReview.safeParse(jsonOf(row?.['review'])).data,
        isDispatched: row?.['dispatched'] === 1,
      };
    },
  });
  if (entry !== undefined) appendOperation(connection, entry);
}

/** Says of every call of an ended run that was dispatched and has no end in the log that nobody knows how it ended. */
export function appendInferredEnds(
  connection: Connection,
  run: RunId,
  now: { readonly at: number; readonly window: string },
): void {
  const rows = connection.all(
    `SELECT entry FROM operations AS begun WHERE run_id = ? AND kind = 'callStarted' AND NOT EXISTS (
       SELECT 1 FROM operations AS over
       WHERE over.run_id = begun.run_id AND over.call_id = begun.call_id AND over.kind = 'callEnded')
     ORDER BY seq`,
    run,
  );
  for (const row of rows) {
    const started = entryIn(String(row['entry']));
    if (started?.kind === 'callStarted') appendOperation(connection, inferredEnd(started, now));
  }
}

/** A column of `calls` that is JSON where it is not NULL. */
function jsonOf(column: unknown): unknown {
  return typeof column === 'string' ? JSON.parse(column) : undefined;
}
