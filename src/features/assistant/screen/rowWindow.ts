import { limits, type DeltaOp, type Row } from '../../../webview/assistant/protocol.ts';
import { jsonBytes } from '../presentation/jsonSize.ts';
import type { Transcript } from '../presentation/transcript.ts';

/** One row takes at most this much of a frame, so that every frame shows at least the newest row. */
const rowBytes = limits.frameBytes / 4;

const shownTitle = 8 * 1024;

export interface Page {
  readonly rows: readonly Row[];
  /** How many rows leave the window at the other end. */
  readonly drop: number;
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

/**
 * The rows that one screen holds: an unbroken part of the transcript, at most `limits.windowRows`. The host owns it, so host and
 * screen cannot disagree about what is in the page.
 */
export class RowWindow {
  readonly #transcript: () => Transcript | undefined;
  #ids: string[] = [];
  #hasOlder = false;
  #hasNewer = false;

  constructor(transcript: () => Transcript | undefined) {
    this.#transcript = transcript;
  }

  get edges(): { readonly hasOlder: boolean; readonly hasNewer: boolean } {
    return { hasOlder: this.#hasOlder, hasNewer: this.#hasNewer };
  }

  /** Jumps to the newest rows with the next `fill`. */
  toLatest(): void {
    this.#hasNewer = false;
  }

  /** Takes the rows for a full frame, the newest or those it holds, within `maxBytes` as JSON. */
  fill(maxBytes: number, nowMs: number): readonly Row[] {
    const all = this.#transcript()?.ids ?? [];
    const last = this.#hasNewer ? all.lastIndexOf(this.#ids.at(-1) ?? '') : -1;
    const end = last < 0 ? all.length : last + 1;
    const rows = this.#collect(all.slice(0, end), { max: limits.windowRows, maxBytes, from: 'end' }, nowMs);
    this.#ids = rows.map((row) => row.id);
    this.#updateEdges();
    return rows;
  }

  /** Widens the window by at most one page. Undefined when there is nothing on that side. */
  page(direction: 'older' | 'newer', maxBytes: number, nowMs: number): Page | undefined {
    const all = this.#transcript()?.ids ?? [];
    const first = all.indexOf(this.#ids[0] ?? '');
    const last = all.lastIndexOf(this.#ids.at(-1) ?? '');
    if (first < 0 || last < 0) return undefined;
    const beyond = direction === 'older' ? all.slice(0, first) : all.slice(last + 1);
    if (beyond.length === 0) return undefined;
    const rows = this.#collect(
      beyond,
      { max: limits.pageRows, maxBytes, from: direction === 'older' ? 'end' : 'start' },
      nowMs,
    );
    const ids = rows.map((row) => row.id);
    const drop = Math.max(0, this.#ids.length + ids.length - limits.windowRows);
    this.#ids =
      direction === 'older'
        ? [...ids, ...this.#ids.slice(0, this.#ids.length - drop)]
        : [...this.#ids.slice(drop), ...ids];
    this.#updateEdges();
    return { rows, drop, ...this.edges };
  }

  /** What of a change concerns this window, in order. */
  filter(op: DeltaOp): readonly DeltaOp[] {
    switch (op.op) {
      case 'appendMarkdown':
      case 'appendReasoning':
        return this.#ids.includes(op.id) ? [op] : [];
      case 'remove': {
        const index = this.#ids.lastIndexOf(op.id);
        if (index < 0) return [];
        this.#ids.splice(index, 1);
        return [op];
      }
      case 'upsert':
        return this.#place(op);
      default:
        return [op];
    }
  }

  #place(op: Extract<DeltaOp, { op: 'upsert' }>): readonly DeltaOp[] {
    const fitted = { ...op, row: fitRow(op.row) };
    if (this.#ids.includes(op.row.id)) return [fitted];
    const behind = op.after === undefined ? -1 : this.#ids.lastIndexOf(op.after);
    const isFirst = op.after === undefined && !this.#hasOlder;
    if (behind < 0 && !isFirst && this.#ids.length > 0) return this.#edgesChanged();
    if (this.#hasNewer && behind === this.#ids.length - 1) return this.#edgesChanged();
    this.#ids.splice(behind + 1, 0, op.row.id);
    const dropped = this.#ids.splice(0, Math.max(0, this.#ids.length - limits.windowRows));
    return [fitted, ...dropped.map((id): DeltaOp => ({ op: 'remove', id })), ...this.#edgesChanged()];
  }

  #edgesChanged(): readonly DeltaOp[] {
    const before = this.edges;
    this.#updateEdges();
    const after = this.edges;
    const isSame = before.hasOlder === after.hasOlder && before.hasNewer === after.hasNewer;
    return isSame ? [] : [{ op: 'edges', ...after }];
  }

  #updateEdges(): void {
    const all = this.#transcript()?.ids ?? [];
    this.#hasOlder = this.#ids.length > 0 && all[0] !== this.#ids[0];
    this.#hasNewer = this.#ids.length > 0 && all.at(-1) !== this.#ids.at(-1);
  }

  #collect(
    ids: readonly string[],
    { max, maxBytes, from }: { max: number; maxBytes: number; from: 'start' | 'end' },
    nowMs: number,
  ): Row[] {
    const transcript = this.#transcript();
    const rows: Row[] = [];
    let bytes = 0;
    for (const id of from === 'end' ? ids.slice(-max).reverse() : ids.slice(0, max)) {
      const made = transcript?.row(id, nowMs);
      if (made === undefined) continue;
      const row = fitRow(made);
      bytes += jsonBytes(row) + 1;
      if (bytes > maxBytes && rows.length > 0) break;
      rows.push(row);
    }
    return from === 'end' ? rows.reverse() : rows;
  }
}

/** A card whose text is mostly escapes can be far larger as JSON than its limits say; then its folded body is left to `expand`. */
export function fitRow(row: Row): Row {
  if (row.kind !== 'card' || jsonBytes(row) <= rowBytes) return row;
  const body = row.body && { ...row.body, sections: [], shownLines: 0 };
  const folded = { ...row, body };
  return jsonBytes(folded) <= rowBytes ? folded : { ...folded, title: `${row.title.slice(0, shownTitle)}…` };
}
