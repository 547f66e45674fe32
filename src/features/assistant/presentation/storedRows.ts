import {
  presentPlanTool,
  type CompactionRecord,
  type Message,
  type StoredCall,
  type StoredRun,
  type ToolCall,
  type ToolMessage,
} from '../../../agentkit/index.ts';
import type { ConversationSnapshot } from '../../../application/assistant/assistantLibrary.ts';
import type { PlanState } from '../../../webview/assistant/protocol.ts';
import { answerRows } from './answerRows.ts';
import { callRowId, type CallFacts } from './callFacts.ts';
import { isOutcomeUnknown } from './card.ts';
import { isLive } from './status.ts';
import type { RowSource } from './rowSource.ts';
import { searchRows } from './searchRows.ts';

/** A run that has ended, as its notice needs it. */
export interface RunEnd {
  readonly run: StoredRun;
  /** Its calls with an unknown outcome, in order; told for interrupted runs only. */
  readonly unknown: readonly CallFacts[];
  /** Nothing followed it, so its notice offers the next step. */
  readonly isLast: boolean;
}

/** The row that tells how a run ended; undefined = it needs none. */
export type DescribeEnd = (end: RunEnd) => RowSource | undefined;

/**
 * The rows of a conversation in order: prompts, answers, one card per search and call behind the answer that made it, a line where older
 * messages were summarised, the end of each run that did not complete, and last what waits in the inbox. `live` has newer facts of calls of the run that is live here.
 */
export function storedRows(
  snapshot: ConversationSnapshot,
  live: ReadonlyMap<string, CallFacts>,
  describeEnd: DescribeEnd,
): RowSource[] {
  const results = new Map<string, ToolMessage>();
  for (const message of snapshot.messages)
    if (message.role === 'tool') results.set(callRowId(message.runId, message.callId), message);
  const stored = new Map(snapshot.calls.map((call) => [callRowId(call.runId, call.callId), call]));
  const runs = new Map(snapshot.runs.map((run) => [run.id as string, run]));
  const rows: RowSource[] = [];
  let calls: CallFacts[] = [];

  const lastRun = snapshot.runs.at(-1);
  const endRun = (runId: string | undefined): void => {
    const run = runId === undefined ? undefined : runs.get(runId);
    const row =
      run === undefined || isLive(run.state)
        ? undefined
        : describeEnd({
            run,
            unknown: run.state === 'interrupted' ? calls.filter(isOutcomeUnknown) : [],
            isLast: run.id === lastRun?.id,
          });
    if (row !== undefined) rows.push(row);
    calls = [];
  };
  const callRow = (runId: string, call: ToolCall): RowSource | undefined => {
    const id = callRowId(runId, call.id);
    const run = runs.get(runId);
    const facts =
      live.get(id) ??
      storedFacts({
        runId,
        call,
        stored: stored.get(id),
        result: results.get(id),
        isLive: isRunLive(run),
        planState: planStateOf(snapshot, { runId, call, stored: stored.get(id) }),
      });
    if (facts === undefined) return undefined;
    calls.push(facts);
    return { kind: 'call', id, call: facts };
  };

  const cuts = snapshot.compactions.flatMap((record) => compactionRow(record, snapshot.messages) ?? []);
  const cutsBefore = (at: number): void => {
    while (cuts[0] !== undefined && cuts[0].at < at) rows.push(...cuts.splice(0, 1));
  };

  let current: string | undefined;
  for (const message of snapshot.messages) {
    cutsBefore(message.createdAt);
    if (message.runId !== current) endRun(current);
    current = message.runId;
    rows.push(...messageRows(message));
    if (message.role === 'assistant')
      for (const call of message.calls) {
        const row = callRow(message.runId, call);
        if (row !== undefined) rows.push(row);
      }
  }
  rows.push(...cuts);
  endRun(current);
  if (lastRun !== undefined && lastRun.id !== current) endRun(lastRun.id);
  for (const { id, text, at } of snapshot.queued) rows.push({ kind: 'user', id, text, at, queued: true });
  return rows;
}

/** The row of a person's message; others are of the runtime and stay out of sight. */
export function promptRow(message: Extract<Message, { role: 'user' }>): RowSource | undefined {
  if (message.origin.kind !== 'person') return undefined;
  return { kind: 'user', id: message.id, text: message.text, at: message.createdAt, queued: false };
}

/** Undefined when what was summarised is no longer there. */
function compactionRow(
  record: CompactionRecord,
  messages: readonly Message[],
): Extract<RowSource, { kind: 'compaction' }> | undefined {
  const boundary = messages.findIndex(({ id }) => id === record.boundary);
  if (boundary < 0) return undefined;
  const summarised = messages
    .slice(0, boundary + 1)
    .filter(
      (message) =>
        message.role === 'assistant' || (message.role === 'user' && message.origin.kind === 'person'),
    );
  return {
    kind: 'compaction',
    id: `compaction:${record.messageId}`,
    at: record.createdAt,
    messages: summarised.length,
  };
}

/** Undefined for a call that hands over no plan. */
function planStateOf(
  { plan }: ConversationSnapshot,
  made: { readonly runId: string; readonly call: ToolCall; readonly stored: StoredCall | undefined },
): PlanState | undefined {
  if (made.call.name !== presentPlanTool) return undefined;
  const isLatest = plan?.runId === made.runId && plan.callId === made.call.id;
  return made.stored?.planOutcome ?? (isLatest ? 'pending' : 'superseded');
}

function messageRows(message: Message): RowSource[] {
  switch (message.role) {
    case 'user': {
      const row = promptRow(message);
      return row === undefined ? [] : [row];
    }
    case 'assistant':
      return [...answerRows({ ...message, streaming: false }), ...searchRows(message)];
    case 'tool':
      return [];
  }
}

function isRunLive(run: StoredRun | undefined): boolean {
  return run !== undefined && isLive(run.state);
}

/** A call of a live run that was not proposed yet has no card. */
function storedFacts(facts: {
  readonly runId: string;
  readonly call: ToolCall;
  readonly stored: StoredCall | undefined;
  readonly result: ToolMessage | undefined;
  readonly isLive: boolean;
  readonly planState: PlanState | undefined;
}): CallFacts | undefined {
  const { runId, call, stored, planState } = facts;
  const result = facts.result ?? stored?.result;
  if (stored === undefined && result === undefined && facts.isLive) return undefined;
  const dispatched = stored?.dispatched ?? false;
  const open = facts.isLive ? (dispatched ? 'running' : 'proposed') : 'orphaned';
  return {
    rowId: callRowId(runId, call.id),
    runId,
    callId: call.id,
    toolName: call.name,
    phase: result === undefined ? open : 'finished',
    dispatched,
    proposed: stored?.proposed,
    review: stored?.review,
    result,
    planState,
  };
}
