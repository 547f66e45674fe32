import type { ConversationId, RunId, RunState } from '../../agentkit/index.ts';
import { localFault } from '../../domain/fault.ts';
import type { Connection, Row } from './connection.ts';
import { isLeaseLive, isSameOwner, type Lease, type LeaseOwner } from './leases.ts';
import { leaseOfRow } from './leaseRows.ts';
import { runStates } from './runRows.ts';

/** What decides who may write for a run. */
export interface RunRecord {
  readonly id: RunId;
  readonly conversationId: ConversationId;
  readonly state: RunState;
  readonly hasEnded: boolean;
  /** Absent when the run has ended. */
  readonly lease: Lease | undefined;
}

const columns = `id, conversation_id, state, ended_at, lease_window, lease_machine, lease_pid, lease_start, renewed_at`;

export function readRun(connection: Connection, id: RunId): RunRecord | undefined {
  const row = connection.get(`SELECT ${columns} FROM runs WHERE id = ?`, id);
  return row === undefined ? undefined : toRecord(row);
}

/** Runs that have not ended: of one conversation, or of all. */
export function openRuns(connection: Connection, conversation?: ConversationId): readonly RunRecord[] {
  const rows =
    conversation === undefined
      ? connection.all(`SELECT ${columns} FROM runs WHERE ended_at IS NULL`)
      : connection.all(
          `SELECT ${columns} FROM runs WHERE conversation_id = ? AND ended_at IS NULL`,
          conversation,
        );
  return rows.map(toRecord);
}

function toRecord(row: Row): RunRecord {
  const state = runStates.safeParse(row['state']);
  const hasEnded = row['ended_at'] !== null;
  return {
    id: row['id'] as RunId,
    conversationId: row['conversation_id'] as ConversationId,
    state: state.success ? state.data : 'interrupted',
    hasEnded,
    lease: hasEnded ? undefined : leaseOfRow(row),
  };
}

/** Somebody still works on the run. */
export function isLive(run: RunRecord, self: LeaseOwner, now: number): boolean {
  if (run.hasEnded || run.lease === undefined) return false;
  return isLeaseLive(run.lease, self, now);
}

export function isHeldBy(run: RunRecord, self: LeaseOwner): boolean {
  return run.lease !== undefined && isSameOwner(run.lease.owner, self);
}

/** Fails unless nobody else works in the conversation. */
export function refuseForeignRun(
  connection: Connection,
  conversation: ConversationId,
  { self, now }: { readonly self: LeaseOwner; readonly now: number },
): void {
  for (const run of openRuns(connection, conversation))
    if (!isHeldBy(run, self) && isLive(run, self, now)) throw localFault('run-leased');
}

export function endRun(
  connection: Connection,
  id: RunId,
  end: { readonly state: RunState; readonly endedAt: number; readonly failure?: string },
): void {
  connection.run(
    `UPDATE runs SET state = ?, ended_at = ?, failure = ?, lease_window = NULL, lease_machine = NULL,
       lease_pid = NULL, lease_start = NULL, renewed_at = NULL WHERE id = ?`,
    end.state,
    end.endedAt,
    end.failure ?? null,
    id,
  );
}

export function leaseRun(
  connection: Connection,
  run: { readonly runId: RunId; readonly conversationId: ConversationId; readonly startedAt: number },
  { self, now }: { readonly self: LeaseOwner; readonly now: number },
): void {
  connection.run(
    `INSERT INTO runs (id, conversation_id, state, started_at, lease_window, lease_machine, lease_pid,
       lease_start, renewed_at) VALUES (?, ?, 'connecting', ?, ?, ?, ?, ?, ?)`,
    run.runId,
    run.conversationId,
    run.startedAt,
    self.windowId,
    self.machine,
    self.pid,
    self.startToken,
    now,
  );
}
