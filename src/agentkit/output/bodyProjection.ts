import type { CaptureResult } from '../capture/callCapture.ts';
import type { JsonObject } from '../json.ts';
import type { BodySpec, OutputStrategy, ToolBody } from '../tool.ts';
import { cutBody } from './cutBody.ts';
import { resultBytes, resultText, type Framing } from './envelope.ts';
import type { CutBody } from './lineCursor.ts';
import { markerText, type LineRange } from './marker.ts';
import { dropOversize } from './oversizeMetadata.ts';
import type { Projection } from './projectionPort.ts';
import { walk, type Kept } from './walk.ts';

export interface Ceiling {
  readonly bytes: number;
  readonly lines: number;
}

/** Of one result. Source: seed 0. */
export const defaultCeiling: Ceiling = { bytes: 65_536, lines: 2_000 };

export type Projected = Omit<Projection, 'isError'>;

export interface BodyProjectionInput {
  readonly spec: BodySpec;
  /** Redacted, as is the body. */
  readonly fields: JsonObject;
  readonly body: ToolBody;
  readonly droppable: readonly string[];
  readonly strategy: Exclude<OutputStrategy, 'bypass'>;
  readonly framing: Framing;
  readonly ceiling: Ceiling;
}

/** Behind which item and, for records, behind which line of the item after it. */
interface Position {
  readonly items: number;
  readonly textLines: number;
}

const longestCursor = 512;
const widestNumber = 9_999_999_999;

/**
 * One body on its way into a result object: as it is when it fits, else by whole lines with marker and continuation.
 * Source: agent runtime contract, section 8.5.
 */
export class BodyProjection {
  readonly #input: BodyProjectionInput;
  readonly #lines: CutBody;
  readonly #first: number;
  readonly #total: number | null;
  /** The source holds more in the asked direction than `content` does. */
  readonly #more: boolean;

  constructor(input: BodyProjectionInput) {
    const { body, spec } = input;
    this.#input = input;
    this.#lines = cutBody(spec, body.content);
    this.#first = body.firstLine ?? 1;
    const counted = body.hasMore === true ? null : this.#first - 1 + this.#lines.lines;
    this.#total = body.totalLines === undefined ? counted : body.totalLines;
    this.#more = body.hasMore === true || body.skippedLine !== undefined || body.full?.isWhole === false;
  }

  /** Strategy `none`: the source bounds itself, and there is no marker. */
  uncut(): Projected {
    const { marker: _, ...result } = this.#whole(this.#input.fields);
    return this.#emit(result);
  }

  /** The result when no line has to be cut, if need be without metadata that alone exceeds the ceiling; else undefined. */
  fitting(): Projected | undefined {
    const { ceiling, framing, body, fields } = this.#input;
    if (body.full?.isWhole === false) return undefined;
    if (this.#lines.lines > ceiling.lines || this.#lines.leastBytes > ceiling.bytes) return undefined;
    const whole = this.#whole(fields);
    if (resultBytes(whole, framing) <= ceiling.bytes) return this.#emit(whole);
    const reduced = this.#reduced({});
    if (reduced === fields) return undefined;
    const smaller = this.#whole(reduced);
    return resultBytes(smaller, framing) <= ceiling.bytes ? this.#emit(smaller) : undefined;
  }

  /** The cut result. A capture that was tried is named, or its failure is. */
  cut(captured: CaptureResult | undefined): Projected {
    const { strategy, framing, ceiling } = this.#input;
    const saved = captureFields(captured);
    const fields = { ...this.#reduced(saved), ...saved };
    const limits = {
      lines: ceiling.lines,
      bytes: ceiling.bytes - resultBytes(this.#skeleton(fields), framing),
    };
    return this.#emit(this.#cut(fields, walk(this.#lines, strategy === 'none' ? 'head' : strategy, limits)));
  }

  /** The metadata that leave room for the skeleton; the same object when all of them do. */
  #reduced(saved: JsonObject): JsonObject {
    const { fields, droppable, framing, ceiling } = this.#input;
    return dropOversize(fields, droppable, (candidate) => {
      return resultBytes(this.#skeleton({ ...candidate, ...saved }), framing) - ceiling.bytes;
    });
  }

  /** The object with all of `content`. */
  #whole(fields: JsonObject): JsonObject {
    const { spec, body } = this.#input;
    const { lines } = this.#lines;
    const items = typeof body.content === 'string' ? lines : body.content.length;
    return {
      ...fields,
      [spec.field]: this.#lines.whole(),
      returned_lines: lines,
      total_lines: this.#total,
      truncated: this.#more,
      ...(this.#more && { marker: this.#marker(this.#range(0, lines), fields) }),
      ...(body.skippedLine
        ? this.#skipped(body.skippedLine)
        : this.#continuation({ items, textLines: 0 }, this.#first + lines)),
    };
  }

  /** The object with an empty body and every varying figure at its widest. */
  #skeleton(fields: JsonObject): JsonObject {
    const { spec, strategy, body } = this.#input;
    const widest = this.#first + this.#lines.lines;
    const range: LineRange = [widest, widest];
    return {
      ...fields,
      [spec.field]: this.#lines.empty,
      ...(strategy === 'middle' && { [`${spec.field}_tail`]: this.#lines.empty }),
      returned_lines: widest,
      total_lines: this.#total,
      truncated: true,
      marker: this.#marker(strategy === 'middle' ? [range, range] : [range], fields),
      ...(spec.paging === 'cursor' && { cursor: 'x'.repeat(longestCursor) }),
      ...(spec.paging === 'next_offset' && { next_offset: body.offsetAfter ? widestNumber : widest }),
      ...(spec.paging && { skipped_line: { line: widest, bytes: widestNumber } }),
    };
  }

  /** The object built from what the walk kept. */
  #cut(fields: JsonObject, kept: Kept): JsonObject {
    const { spec } = this.#input;
    const { lines } = this.#lines;
    const [front, back] = [kept.front.taken, kept.back.taken];
    const isWhole = front + back === lines;
    if (isWhole) return this.#whole(fields);
    const ranges = [...this.#range(0, front), ...this.#range(lines - back, lines)];
    return {
      ...fields,
      ...keptSides(spec.field, kept),
      returned_lines: front + back,
      total_lines: this.#total,
      truncated: true,
      marker: this.#marker(ranges, fields),
      ...(front + back === 0 && spec.paging
        ? this.#skipped({ line: this.#first, bytes: kept.front.nextBytes() })
        : this.#continuation(kept.front.position(), this.#first + front)),
    };
  }

  /** A line that can never fit is named, and reading goes on behind it. */
  #skipped(skipped: { readonly line: number; readonly bytes: number }): JsonObject {
    const { line, bytes } = skipped;
    return { skipped_line: { line, bytes }, ...this.#continuation(this.#behindFirstLine(), line + 1) };
  }

  #behindFirstLine(): Position {
    if (this.#lines.lines === 0) return { items: 1, textLines: 0 };
    const cursor = this.#lines.front();
    cursor.take();
    return cursor.position();
  }

  /** `line` is the source number of the first line that was not returned. */
  #continuation(position: Position, line: number): JsonObject {
    const { spec, body } = this.#input;
    if (spec.paging === undefined) return {};
    if (spec.paging === 'cursor') {
      const cursor = body.cursorAfter?.(position.items, position.textLines) ?? null;
      if (cursor !== null && JSON.stringify(cursor).length - 2 > longestCursor)
        throw new Error(`the cursor has more than ${longestCursor} characters`);
      return { cursor };
    }
    if (body.offsetAfter) return { next_offset: body.offsetAfter(position.items, position.textLines) };
    const isEnd =
      this.#total === null ? !this.#more && line >= this.#first + this.#lines.lines : line > this.#total;
    return { next_offset: isEnd ? null : line };
  }

  #marker(ranges: readonly LineRange[], fields: JsonObject): string {
    const path = fields['full_output_path'];
    return markerText({ ranges, total: this.#total, ...(typeof path === 'string' && { path }) });
  }

  /** Body lines `from` (from 0) to before `to`, in source numbers. */
  #range(from: number, to: number): readonly LineRange[] {
    return to > from ? [[this.#first + from, this.#first + to - 1]] : [];
  }

  #emit(result: JsonObject): Projected {
    const { strategy, framing, ceiling } = this.#input;
    const text = resultText(result, framing);
    const { marker, returned_lines, full_output_path, capture_error } = result;
    return {
      text: strategy === 'none' ? text : withinCeiling(text, ceiling),
      truncated: result['truncated'] === true,
      ...(typeof marker === 'string' && { marker }),
      ...(typeof full_output_path === 'string' && { capturedPath: full_output_path }),
      ...(typeof capture_error === 'string' && { captureError: capture_error }),
      ...(typeof returned_lines === 'number' && { returnedLines: returned_lines }),
      totalLines: this.#total,
    };
  }
}

/** Two fields when both ends were kept, one when only one was. */
function keptSides(field: string, { front, back }: Kept): JsonObject {
  if (back.taken === 0) return { [field]: front.value() };
  if (front.taken === 0) return { [field]: back.value() };
  return { [field]: front.value(), [`${field}_tail`]: back.value() };
}

function captureFields(captured: CaptureResult | undefined): JsonObject {
  if (captured === undefined) return {};
  return captured.kind === 'saved' ? { full_output_path: captured.path } : { capture_error: captured.reason };
}

/** The text, or a fault of this module: the algorithm leaves no way to exceed the ceiling. */
export function withinCeiling(text: string, ceiling: Ceiling): string {
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes > ceiling.bytes)
    throw new Error(`a result of ${bytes} bytes exceeds its ceiling of ${ceiling.bytes}`);
  return text;
}
