import type { AssistantRow, DeltaOp, Frame, ReplyValue, Row, Strings, ToWebview } from '../protocol.ts';

/** What the screen shows, as the host sent it. `undefined` before the first frame. */
export interface ScreenState {
  readonly generation: number;
  readonly seq: number;
  readonly strings: Strings;
  readonly frame: Frame;
  /** When the status and the running cards of this state arrived, on the clock given to `applyMessage`. */
  readonly statusAt: number;
  /** Arrival of the last form of each running card, by row id. */
  readonly runningAt: Readonly<Record<string, number>>;
}

export type Applied =
  | { readonly kind: 'state'; readonly state: ScreenState }
  /** A gap or a foreign generation: ask for a frame. */
  | { readonly kind: 'resync' }
  /** Nothing to do, for example a delta before the first frame. */
  | { readonly kind: 'none' };

type Sequenced = Extract<ToWebview, { kind: 'frame' | 'delta' }> | Extract<ReplyValue, { kind: 'page' }>;

/** One message that has a place in the sequence. Pure; unchanged rows keep their identity. `now` counts milliseconds. */
export function applyMessage(state: ScreenState | undefined, message: Sequenced, now: number): Applied {
  if (message.kind === 'frame') return { kind: 'state', state: fromFrame(message, now) };
  if (state === undefined) return { kind: 'none' };
  if (message.generation !== state.generation || message.seq !== state.seq + 1) return { kind: 'resync' };
  const next = { ...state, seq: message.seq };
  return {
    kind: 'state',
    state:
      message.kind === 'page'
        ? { ...next, frame: withPage(state.frame, message) }
        : message.ops.reduce((before, op) => applyOp(before, op, now), next),
  };
}

function fromFrame(message: Extract<ToWebview, { kind: 'frame' }>, now: number): ScreenState {
  const runningAt: Record<string, number> = {};
  for (const row of message.frame.rows) if (isRunning(row)) runningAt[row.id] = now;
  return {
    generation: message.generation,
    seq: message.seq,
    strings: message.strings,
    frame: message.frame,
    statusAt: now,
    runningAt,
  };
}

function withPage(frame: Frame, page: Extract<ReplyValue, { kind: 'page' }>): Frame {
  const { hasOlder, hasNewer } = page;
  const kept =
    page.direction === 'older'
      ? frame.rows.slice(0, Math.max(0, frame.rows.length - page.drop))
      : frame.rows.slice(page.drop);
  const rows = page.direction === 'older' ? [...page.rows, ...kept] : [...kept, ...page.rows];
  return { ...frame, rows, hasOlder, hasNewer };
}

function applyOp(state: ScreenState, op: DeltaOp, now: number): ScreenState {
  const { frame } = state;
  const withFrame = (change: Partial<Frame>): ScreenState => ({ ...state, frame: { ...frame, ...change } });
  switch (op.op) {
    case 'upsert': {
      const next = withFrame({ rows: upsert(frame.rows, op.row, op.after) });
      return isRunning(op.row) ? { ...next, runningAt: { ...state.runningAt, [op.row.id]: now } } : next;
    }
    case 'remove':
      return withFrame({ rows: frame.rows.filter((row) => row.id !== op.id) });
    case 'appendMarkdown':
      return withFrame({
        rows: replaceAnswer(frame.rows, op.id, (row) => ({ ...row, markdown: row.markdown + op.text })),
      });
    case 'appendReasoning':
      return withFrame({ rows: replaceAnswer(frame.rows, op.id, (row) => withReasoning(row, op.text)) });
    case 'edges':
      return withFrame({ hasOlder: op.hasOlder, hasNewer: op.hasNewer });
    case 'title':
      return withFrame({ title: op.title });
    case 'banner':
      return withFrame({ banner: op.banner });
    case 'status':
      return { ...withFrame({ status: op.status }), statusAt: now };
    case 'tasks':
      return withFrame({ tasks: op.tasks });
    case 'pinned':
      return withFrame({ pinned: op.pinned });
    case 'composer':
      return withFrame({ composer: op.composer });
    case 'empty':
      return withFrame({ empty: op.empty });
  }
}

function upsert(rows: readonly Row[], row: Row, after: string | undefined): readonly Row[] {
  const index = rows.findIndex((known) => known.id === row.id);
  if (index >= 0) return rows.map((known, at) => (at === index ? row : known));
  const behind = after === undefined ? -1 : rows.findIndex((known) => known.id === after);
  const place = after !== undefined && behind < 0 ? rows.length : behind + 1;
  return [...rows.slice(0, place), row, ...rows.slice(place)];
}

function replaceAnswer(
  rows: readonly Row[],
  id: string,
  change: (row: AssistantRow) => AssistantRow,
): readonly Row[] {
  return rows.map((row) => (row.id === id && row.kind === 'assistant' ? change(row) : row));
}

function withReasoning(row: AssistantRow, text: string): AssistantRow {
  const reasoning = row.reasoning ?? { text: '', hasMore: false, durationMs: undefined };
  return { ...row, reasoning: { ...reasoning, text: reasoning.text + text } };
}

function isRunning(row: Row): boolean {
  return row.kind === 'card' && row.runningMs !== undefined;
}
