import { limits } from '../protocol.ts';
import { noAnswer, type AnswerDraft } from './answerDraft.ts';

/** Where the reader is: at the newest row, or `offset` pixels below the top of a row. */
export interface ScrollAnchor {
  readonly rowId: string;
  readonly offset: number;
}

/** All that a page keeps for the time it is away. Source: vscode.md section 5. */
export interface PersistedState {
  readonly draft: string;
  /** The draft as it stands is on its way under this id, and no answer has come. */
  readonly sending: string | undefined;
  readonly anchor: ScrollAnchor | undefined;
  /** The conversation the anchor belongs to; a serialised panel opens it again. */
  readonly conversationId: string | undefined;
  /** What is filled into the questions that wait; of no use for other ones. */
  readonly answers: { readonly cardId: string; readonly drafts: readonly AnswerDraft[] } | undefined;
  readonly areTasksOpen: boolean;
}

const room = 1024;

/** Of filled in answers; more are not kept. */
const answerBytes = 16 * 1024;

/** What goes to `setState`: at most 64 KiB as JSON. A longer draft loses its end. */
export function toStored(state: PersistedState): PersistedState {
  const answers =
    state.answers !== undefined && bytes(state.answers) <= answerBytes ? state.answers : undefined;
  const most = limits.stateBytes - room - answerBytes;
  let draft = state.draft;
  for (let size = bytes(draft); size > most; size = bytes(draft))
    draft = draft.slice(0, Math.floor((draft.length * most) / size) - 1);
  return { ...state, draft, answers };
}

/** Reads what `getState` gave, which an older page may have written. */
export function fromStored(raw: unknown): PersistedState {
  const record = asRecord(raw);
  const anchor = asRecord(record['anchor']);
  return {
    draft: typeof record['draft'] === 'string' ? record['draft'] : '',
    sending: typeof record['sending'] === 'string' ? record['sending'] : undefined,
    anchor:
      typeof anchor['rowId'] === 'string' && typeof anchor['offset'] === 'number'
        ? { rowId: anchor['rowId'], offset: anchor['offset'] }
        : undefined,
    conversationId: typeof record['conversationId'] === 'string' ? record['conversationId'] : undefined,
    answers: answersFrom(asRecord(record['answers'])),
    areTasksOpen: record['areTasksOpen'] === true,
  };
}

function answersFrom(record: Readonly<Record<string, unknown>>): PersistedState['answers'] {
  const { cardId, drafts } = record;
  if (typeof cardId !== 'string' || !Array.isArray(drafts)) return undefined;
  return { cardId, drafts: drafts.map((draft: unknown) => draftFrom(asRecord(draft))) };
}

function draftFrom({ selected, isOwn, text }: Readonly<Record<string, unknown>>): AnswerDraft {
  return {
    selected: Array.isArray(selected) ? selected.filter((id: unknown) => typeof id === 'string') : [],
    isOwn: isOwn === true,
    text: typeof text === 'string' ? text : noAnswer.text,
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function bytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
