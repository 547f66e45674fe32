import { limits } from '../protocol.ts';

/** Where the reader is: at the newest row, or `offset` pixels below the top of a row. */
export interface ScrollAnchor {
  readonly rowId: string;
  readonly offset: number;
}

/** All that a page keeps for the time it is away. Source: vscode.md section 5. */
export interface PersistedState {
  readonly draft: string;
  readonly anchor: ScrollAnchor | undefined;
  /** The conversation the anchor belongs to; a serialised panel opens it again. */
  readonly conversationId: string | undefined;
}

const room = 1024;

/** What goes to `setState`: at most 64 KiB as JSON. A longer draft loses its end. */
export function toStored(state: PersistedState): PersistedState {
  let draft = state.draft;
  for (let size = bytes(draft); size > limits.stateBytes - room; size = bytes(draft))
    draft = draft.slice(0, Math.floor((draft.length * (limits.stateBytes - room)) / size) - 1);
  return { ...state, draft };
}

/** Reads what `getState` gave, which an older page may have written. */
export function fromStored(raw: unknown): PersistedState {
  const record = asRecord(raw);
  const anchor = asRecord(record['anchor']);
  return {
    draft: typeof record['draft'] === 'string' ? record['draft'] : '',
    anchor:
      typeof anchor['rowId'] === 'string' && typeof anchor['offset'] === 'number'
        ? { rowId: anchor['rowId'], offset: anchor['offset'] }
        : undefined,
    conversationId: typeof record['conversationId'] === 'string' ? record['conversationId'] : undefined,
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function bytes(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).length;
}
