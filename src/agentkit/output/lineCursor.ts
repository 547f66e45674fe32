import type { Json } from '../json.ts';

/** A body that can be taken line by line from either end. Source: agent runtime contract, sections 8.3 and 8.5. */
export interface CutBody {
  readonly lines: number;
  readonly empty: Json;
  /** A number of bytes that the whole body surely has inside a result, known without writing it. */
  readonly leastBytes: number;
  /** The body as it is emitted when nothing is cut. */
  whole(): Json;
  front(): LineCursor;
  back(): LineCursor;
}

/** One end of a body. Whoever walks asks for no more than `lines` in all. */
export interface LineCursor {
  /** Lines taken so far. */
  readonly taken: number;
  /** Bytes the next line adds to the result; above `limit` some number greater than it. */
  cost(limit: number): number;
  take(): void;
  /** What was taken, as a body of its own. */
  value(): Json;
  /** Where a front cursor stands: items taken whole, and lines taken of the next one (records only). */
  position(): { readonly items: number; readonly textLines: number };
  /** UTF-8 bytes of the next line without its LF, or of the next item. */
  nextBytes(): number;
}
