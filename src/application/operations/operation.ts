import type {
  ActEntry,
  CallDecidedEntry,
  CallEndedEntry,
  CallEntry,
  CallRefusedEntry,
  CallStartedEntry,
  OperationRow,
} from '../ports/operations.ts';

/** One call of the assistant with everything that the log says of it. */
export interface CallOperation {
  readonly k: 'call';
  /** Of its newest row. */
  readonly at: number;
  /** From its first row to its last. */
  readonly seqs: readonly [first: number, last: number];
  /** Any of its rows: what they have in common. */
  readonly call: CallEntry;
  readonly decisions: readonly CallDecidedEntry[];
  readonly started: CallStartedEntry | undefined;
  readonly ended: CallEndedEntry | undefined;
  readonly refused: CallRefusedEntry | undefined;
}

/** What one line of a timeline tells. */
export type Operation =
  | CallOperation
  | { readonly k: 'act'; readonly at: number; readonly seq: number; readonly entry: ActEntry }
  | { readonly k: 'pruned'; readonly at: number; readonly seq: number; readonly through: number }
  | { readonly k: 'unreadable'; readonly seq: number };

/** Rows, newest first, as operations, newest first: the rows of a call become one. */
export function operationsOf(newestFirst: readonly OperationRow[]): readonly Operation[] {
  const operations: Operation[] = [];
  const places = new Map<string, number>();
  for (const { seq, entry } of newestFirst) {
    if (entry === undefined) operations.push({ k: 'unreadable', seq });
    else if (entry.kind === 'act') operations.push({ k: 'act', at: entry.at, seq, entry });
    else if (entry.kind === 'pruned')
      operations.push({ k: 'pruned', at: entry.at, seq, through: entry.through });
    else {
      const key = JSON.stringify([entry.runId, entry.callId]);
      const place = places.get(key);
      const known = place === undefined ? undefined : operations[place];
      if (place === undefined || known?.k !== 'call') {
        places.set(key, operations.length);
        operations.push(withRow(emptyCall(entry, seq), entry, seq));
      } else operations[place] = withRow(known, entry, seq);
    }
  }
  return operations;
}

function emptyCall(call: CallEntry, seq: number): CallOperation {
  return {
    k: 'call',
    at: call.at,
    seqs: [seq, seq],
    call,
    decisions: [],
    started: undefined,
    ended: undefined,
    refused: undefined,
  };
}

function withRow(operation: CallOperation, entry: CallEntry, seq: number): CallOperation {
  const seqs = [seq, operation.seqs[1]] as const;
  switch (entry.kind) {
    case 'callStarted':
      return { ...operation, seqs, started: entry };
    case 'callEnded':
      return { ...operation, seqs, ended: entry };
    case 'callRefused':
      return { ...operation, seqs, refused: entry };
    case 'callDecided':
      return { ...operation, seqs, decisions: [entry, ...operation.decisions] };
  }
}
