import { sortedJson, toJsonObject } from '../../../agentkit/index.ts';
import {
  operationEntry,
  type ChainBounds,
  type OperationEntry,
  type OperationRow,
} from '../../../application/ports/operations.ts';
import {
  chainStart,
  hashOfRow,
  type ChainPoint,
  type ChainRow,
} from '../../../domain/operations/operationChain.ts';
import type { Connection, Row } from '../connection.ts';

/** Adds an entry at the end of the chain. The caller holds the write lock. */
export function appendOperation(connection: Connection, entry: OperationEntry): ChainPoint {
  const row = sealed(entry, boundsOf(connection).head);
  connection.run('INSERT INTO operations (seq, hash, entry) VALUES (?, ?, ?)', row.seq, row.hash, row.text);
  return { seq: row.seq, hash: row.hash };
}

/** The row that holds an entry behind `before`: canonical JSON with number and previous hash inside it, and its hash. */
export function sealed(entry: OperationEntry, before: ChainPoint): ChainRow {
  const seq = before.seq + 1;
  const text = sortedJson(toJsonObject({ ...entry, seq, previous: before.hash }));
  return { seq, text, hash: hashOfRow(text) };
}

export function boundsOf(connection: Connection): ChainBounds {
  const anchor = pointOf(connection.get('SELECT seq, hash FROM operations_anchor')) ?? chainStart;
  const head = pointOf(connection.get('SELECT seq, hash FROM operations ORDER BY seq DESC LIMIT 1'));
  return { anchor, head: head ?? anchor };
}

export function toOperationRow(row: Row): OperationRow {
  const [seq, hash, text] = [Number(row['seq']), String(row['hash']), String(row['entry'])];
  return { seq, hash, text, entry: entryIn(text) };
}

/** What the text of a row says; undefined where it cannot be read or was written by a later version. */
export function entryIn(text: string): OperationEntry | undefined {
  try {
    return operationEntry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function pointOf(row: Row | undefined): ChainPoint | undefined {
  return row === undefined ? undefined : { seq: Number(row['seq']), hash: String(row['hash']) };
}
