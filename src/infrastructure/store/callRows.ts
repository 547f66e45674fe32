import type { CallId, ConversationId, DurableEvent, RunId } from '../../agentkit/index.ts';
import type { Connection } from './connection.ts';

/** Writes what happened to one call. Nothing that was recorded before is taken back. */
export function recordCallEvent(
  connection: Connection,
  conversation: ConversationId,
  event: DurableEvent,
): void {
  const { body } = event;
  switch (body.kind) {
    case 'toolProposed':
      ensureCall(connection, conversation, { run: event.runId, call: body.call.callId });
      update('proposed = ?', JSON.stringify(body.call), body.call.callId);
      return;
    case 'toolStarted':
      ensureCall(connection, conversation, { run: event.runId, call: body.callId });
      update('dispatched = ?', 1, body.callId);
      return;
    case 'toolFinished':
      ensureCall(connection, conversation, { run: event.runId, call: body.message.callId });
      update(
        'result = CASE WHEN answered = 0 THEN coalesce(result, ?) END',
        JSON.stringify(body.message),
        body.message.callId,
      );
      return;
    case 'callDecided':
      // Only the operations log keeps it.
      return;
    case 'reviewStarted':
    case 'reviewFinished':
    case 'reviewFailed':
      ensureCall(connection, conversation, { run: event.runId, call: body.callId });
      update('review = ?', JSON.stringify(body), body.callId);
  }

  function update(change: string, value: string | number, call: CallId): void {
    connection.run(
      `UPDATE calls SET ${change} WHERE conversation_id = ? AND run_id = ? AND call_id = ?`,
      value,
      conversation,
      event.runId,
      call,
    );
  }
}

function ensureCall(
  connection: Connection,
  conversation: ConversationId,
  { run, call }: { readonly run: RunId; readonly call: CallId },
): void {
  connection.run(
    'INSERT OR IGNORE INTO calls (conversation_id, run_id, call_id) VALUES (?, ?, ?)',
    conversation,
    run,
    call,
  );
}
