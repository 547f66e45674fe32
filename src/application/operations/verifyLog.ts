import { faultOfRow, type ChainFault, type ChainPoint } from '../../domain/operations/operationChain.ts';
import type { OperationsPort } from '../ports/operations.ts';

/** The newest row that was noted outside of the database, and when. */
export interface KeptHead extends ChainPoint {
  /** Milliseconds UTC. */
  readonly at: number;
}

/**
 * What can be wrong besides a row: `cut`, the log ends before the row that was kept; `rewritten`, that row is another one now;
 * `removed`, it is gone from the front, although pruning keeps a newer one first; `front`, rows are gone from the front and no row says
 * that they were pruned.
 */
export type LogFault =
  ChainFault | { readonly k: 'cut' | 'rewritten' | 'removed' | 'front'; readonly seq: number };

export interface LogVerdict {
  /** Rows that were looked at. */
  readonly rows: number;
  /** Of the first row there is; undefined when there is none. */
  readonly firstSeq: number | undefined;
  readonly head: ChainPoint;
  readonly fault: LogFault | undefined;
}

/**
 * Follows the chain from its beginning to its end and compares it with what was kept outside of the database. Rows that are added or
 * pruned meanwhile do no harm. Rejects as `OperationsPort`, or with the signal's reason.
 */
export async function verifyLog(
  log: OperationsPort,
  known: { readonly kept: KeptHead | undefined },
  signal: AbortSignal,
): Promise<LogVerdict> {
  const { anchor } = await log.bounds();
  const walk = await followChain(log, { anchor, noted: known.kept?.seq }, signal);
  // A window may have pruned rows under the walk: then the gap is at the front, and the rest is looked at again.
  if (walk.fault?.k === 'missing' && (await log.bounds()).anchor.seq > anchor.seq)
    return verifyLog(log, known, signal);
  const { rows, head } = walk;
  const firstSeq = rows === 0 ? undefined : anchor.seq + 1;
  const fault =
    walk.fault ?? frontFault(anchor, walk.prunedThrough) ?? outsideFault(walk, anchor, known.kept);
  return { rows, firstSeq, head, fault };
}

interface Walk {
  readonly rows: number;
  readonly head: ChainPoint;
  readonly prunedThrough: number;
  readonly fault: ChainFault | undefined;
  /** The hash at the place that was asked for, if the walk came by. */
  readonly noted: string | undefined;
}

async function followChain(
  log: OperationsPort,
  from: { readonly anchor: ChainPoint; readonly noted: number | undefined },
  signal: AbortSignal,
): Promise<Walk> {
  let head = from.anchor;
  let [rows, prunedThrough] = [0, 0];
  let noted = head.seq === from.noted ? head.hash : undefined;
  for await (const row of log.rows(head.seq)) {
    signal.throwIfAborted();
    const fault = faultOfRow(head, row);
    if (fault !== undefined) return { rows, head, prunedThrough, noted, fault };
    rows++;
    head = { seq: row.seq, hash: row.hash };
    if (row.seq === from.noted) noted = row.hash;
    if (row.entry?.kind === 'pruned') prunedThrough = Math.max(prunedThrough, row.entry.through);
  }
  return { rows, head, prunedThrough, noted, fault: undefined };
}

function frontFault(anchor: ChainPoint, prunedThrough: number): LogFault | undefined {
  return anchor.seq > prunedThrough ? { k: 'front', seq: anchor.seq } : undefined;
}

function outsideFault(
  { head, noted }: Walk,
  anchor: ChainPoint,
  kept: KeptHead | undefined,
): LogFault | undefined {
  if (kept === undefined) return undefined;
  if (kept.seq < anchor.seq) return { k: 'removed', seq: kept.seq };
  if (kept.seq > head.seq) return { k: 'cut', seq: head.seq + 1 };
  return noted === kept.hash ? undefined : { k: 'rewritten', seq: kept.seq };
}
