import type { Json, JsonObject } from '../json.ts';
import { commaCost, jsonBytes } from './itemsBody.ts';
import type { CutBody, LineCursor } from './lineCursor.ts';
import { countLines } from './lines.ts';
import { BackOfText, FrontOfText } from './textBody.ts';

type TextCursor = FrontOfText | BackOfText;

/** A record whose text is cut by lines; a record without text is one line. */
interface CutRecord {
  readonly fields: JsonObject;
  readonly text: string | undefined;
  readonly lines: number;
}

export function recordsBody(items: readonly Json[], textField: string): CutBody {
  const records = items.map((item) => cutRecord(item, textField));
  const show = (record: CutRecord, text: string | undefined): JsonObject => ({
    ...record.fields,
    ...(text !== undefined && { [textField]: text }),
    text_truncated: text !== record.text || record.fields['text_truncated'] === true,
  });
  return {
    lines: records.reduce((sum, { lines }) => sum + lines, 0),
    empty: [],
    leastBytes: records.reduce((sum, { text }) => sum + (text?.length ?? 0), 0),
    whole: () => records.map((record) => show(record, record.text)),
    front: () => new RecordCursor(records, { side: 'front', show }),
    back: () => new RecordCursor(records, { side: 'back', show }),
  };
}

function cutRecord(item: Json, textField: string): CutRecord {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw new Error('a record is not an object');
  const { [textField]: text, ...fields } = item as JsonObject;
  if (typeof text !== 'string') return { fields: item as JsonObject, text: undefined, lines: 1 };
  return { fields, text, lines: Math.max(1, countLines(text)) };
}

interface RecordView {
  readonly side: 'front' | 'back';
  readonly show: (record: CutRecord, text: string | undefined) => JsonObject;
}

class RecordCursor implements LineCursor {
  readonly #records: readonly CutRecord[];
  readonly #view: RecordView;
  #whole = 0;
  #lines = 0;
  #text: TextCursor | undefined;

  constructor(records: readonly CutRecord[], view: RecordView) {
    this.#records = records;
    this.#view = view;
  }
  get taken(): number {
    return this.#lines;
  }
  cost(limit: number): number {
    const record = this.#current();
    const text = this.#text ?? this.#openText(record);
    const line = text === undefined ? 0 : text.cost(limit);
    if (this.#text !== undefined) return line;
    const bare = { ...this.#view.show(record, emptied(record.text)), text_truncated: false };
    return jsonBytes(bare) + commaCost + line;
  }
  take(): void {
    const record = this.#current();
    this.#text ??= this.#openText(record);
    this.#text?.take();
    this.#lines++;
    if (this.#text !== undefined && this.#text.taken < record.lines) return;
    this.#text = undefined;
    this.#whole++;
  }
  value(): readonly Json[] {
    const { show, side } = this.#view;
    const at = side === 'front' ? 0 : this.#records.length - this.#whole;
    const shown = this.#records.slice(at, at + this.#whole).map((record) => show(record, record.text));
    if (this.#text === undefined) return shown;
    const cut = show(this.#current(), this.#text.value());
    return side === 'front' ? [...shown, cut] : [cut, ...shown];
  }
  position(): { items: number; textLines: number } {
    return { items: this.#whole, textLines: this.#text?.taken ?? 0 };
  }
  nextBytes(): number {
    const record = this.#current();
    return (this.#text ?? this.#openText(record))?.nextBytes() ?? jsonBytes(record.fields);
  }

  #current(): CutRecord {
    const { side } = this.#view;
    const record = this.#records[side === 'front' ? this.#whole : this.#records.length - 1 - this.#whole];
    if (record === undefined) throw new Error('walked past the end of a body');
    return record;
  }

  /** Undefined for a record whose one line is the record itself. */
  #openText(record: CutRecord): TextCursor | undefined {
    if (record.text === undefined || record.text === '') return undefined;
    return this.#view.side === 'front' ? new FrontOfText(record.text) : new BackOfText(record.text);
  }
}

function emptied(text: string | undefined): string | undefined {
  return text === undefined ? undefined : '';
}
