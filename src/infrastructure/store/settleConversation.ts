import type { ConversationId } from '../../agentkit/index.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import type { Connection } from './connection.ts';
import { decodeJson } from './decode.ts';
import type { LeaseOwner } from './leases.ts';
import { isLive, openRuns } from './runRecords.ts';
import { storedToolMessage } from './runRows.ts';
import { appendMessages } from './transcript.ts';

const recordedSql = `SELECT key, call_id, result FROM calls
  WHERE conversation_id = ? AND result IS NOT NULL AND answered = 0 AND slot IS NOT NULL ORDER BY slot LIMIT 200`;

/** There is something to settle and nobody else at work. */
export function hasUnsettled(
  connection: Connection,
  id: ConversationId,
  { self, now }: { readonly self: LeaseOwner; readonly now: number },
): boolean {
  if (openRuns(connection, id).some((run) => isLive(run, self, now))) return false;
  return (
    connection.get(recordedSql, id) !== undefined ||
    connection.get('SELECT 1 FROM inbox WHERE conversation_id = ? AND in_flight = 1', id) !== undefined
  );
}

/**
 * First step of a restore: results that were recorded before the process ended become transcript rows at the places of their calls,
 * and messages that were taken from the inbox and did not reach the transcript wait at their old places again. A conversation
 * whose run is live is left to its owner. Source: agent runtime contract, section 23.
 */
export function settleConversation(
  connection: Connection,
  id: ConversationId,
  { self, now, log }: { readonly self: LeaseOwner; readonly now: number; readonly log: LogPort },
): void {
  if (openRuns(connection, id).some((run) => isLive(run, self, now))) return;
  for (const row of connection.all(recordedSql, id)) {
    const name = `the result of call ${String(row['call_id'])}`;
    const result = decodeJson(storedToolMessage, row['result'], { name, log });
    // What cannot be read is not asked for again; its call is answered as unknown at the model boundary.
    if (result === undefined)
      connection.run('UPDATE calls SET answered = 1 WHERE key = ?', Number(row['key']));
    else appendMessages(connection, id, [result]);
  }
  connection.run('UPDATE inbox SET in_flight = 0 WHERE conversation_id = ?', id);
}
