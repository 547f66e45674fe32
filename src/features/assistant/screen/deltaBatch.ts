import type { DeltaOp } from '../../../webview/assistant/protocol.ts';
import { prefixWithin } from '../presentation/fold.ts';
import { jsonBytes } from '../presentation/jsonSize.ts';

/**
 * Changes that wait for the next flush. Later ones absorb earlier ones where the result is the same: text is joined, a row replaces
 * its earlier self, of the single values (status, pinned card, …) the last one counts.
 */
export class DeltaBatch {
  #ops: DeltaOp[] = [];

  get isEmpty(): boolean {
    return this.#ops.length === 0;
  }

  add(op: DeltaOp): void {
    switch (op.op) {
      case 'upsert':
        return this.#addRow(op);
      case 'appendMarkdown':
      case 'appendReasoning':
        return this.#addText(op);
      case 'remove':
        this.#ops.push(op);
        return;
      default:
        this.#ops = this.#ops.filter((known) => known.op !== op.op);
        this.#ops.push(op);
    }
  }

  clear(): void {
    this.#ops = [];
  }

  /**
   * Takes everything, cut into lists of at most `maxBytes` as JSON. Undefined when one change alone is larger: then only a full frame
   * can tell it.
   */
  take(maxBytes: number): (readonly DeltaOp[])[] | undefined {
    const ops = this.#ops.flatMap((op) => splitText(op, maxBytes));
    this.#ops = [];
    const lists: DeltaOp[][] = [];
    let bytes = Infinity;
    for (const op of ops) {
      const size = jsonBytes(op) + 1;
      if (size > maxBytes) return undefined;
      if (bytes + size > maxBytes) {
        lists.push([]);
        bytes = 2;
      }
      lists.at(-1)?.push(op);
      bytes += size;
    }
    return lists;
  }

  #addRow(op: Extract<DeltaOp, { op: 'upsert' }>): void {
    const known = this.#lastOf(op.row.id, 'upsert');
    if (known === undefined) {
      this.#dropText(op.row.id, 0);
      this.#ops.push(op);
      return;
    }
    const before = this.#ops[known];
    this.#dropText(op.row.id, known);
    if (before?.op === 'upsert') this.#ops[known] = { ...before, row: op.row };
  }

  #addText(op: Extract<DeltaOp, { op: 'appendMarkdown' | 'appendReasoning' }>): void {
    const index = this.#lastOf(op.id, 'upsert') ?? this.#lastOf(op.id, op.op);
    const before = index === undefined ? undefined : this.#ops[index];
    if (index === undefined || before === undefined) this.#ops.push(op);
    else this.#ops[index] = joined(before, op);
  }

  /** The place of the last change of this kind to a row, unless the row was removed after it. */
  #lastOf(id: string, kind: 'upsert' | 'appendMarkdown' | 'appendReasoning'): number | undefined {
    const index = this.#ops.findLastIndex(
      (op) => (op.op === kind && idOf(op) === id) || (op.op === 'remove' && op.id === id),
    );
    return index < 0 || this.#ops[index]?.op === 'remove' ? undefined : index;
  }

  #dropText(id: string, from: number): void {
    this.#ops = this.#ops.filter(
      (op, index) =>
        index < from || (op.op !== 'appendMarkdown' && op.op !== 'appendReasoning') || op.id !== id,
    );
  }
}

function idOf(op: DeltaOp): string | undefined {
  switch (op.op) {
    case 'upsert':
      return op.row.id;
    case 'remove':
    case 'appendMarkdown':
    case 'appendReasoning':
      return op.id;
    default:
      return undefined;
  }
}

function joined(
  before: DeltaOp,
  op: Extract<DeltaOp, { op: 'appendMarkdown' | 'appendReasoning' }>,
): DeltaOp {
  if (before.op === 'appendMarkdown' || before.op === 'appendReasoning')
    return { ...before, text: before.text + op.text };
  if (before.op !== 'upsert' || before.row.kind !== 'assistant') return before;
  const { row } = before;
  if (op.op === 'appendMarkdown') return { ...before, row: { ...row, markdown: row.markdown + op.text } };
  const reasoning = row.reasoning ?? { text: '', hasMore: false, durationMs: undefined };
  return { ...before, row: { ...row, reasoning: { ...reasoning, text: reasoning.text + op.text } } };
}

/** Appended text may be cut anywhere between characters. */
function splitText(op: DeltaOp, maxBytes: number): DeltaOp[] {
  if (op.op !== 'appendMarkdown' && op.op !== 'appendReasoning') return [op];
  const room = maxBytes - jsonBytes({ ...op, text: '' }) - 1;
  const parts: DeltaOp[] = [];
  for (let rest = op.text; rest !== '';) {
    const text = prefixWithin(rest, room);
    if (text === '') return [op];
    parts.push({ ...op, text });
    rest = rest.slice(text.length);
  }
  return parts;
}
