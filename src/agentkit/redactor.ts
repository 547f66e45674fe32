/**
 * The one redactor of a window; every sink takes text through it. Replaces with `[redacted]`, is idempotent and never changes the
 * number of lines. Source: agent runtime contract, section 14; decisions 3.
 */
export interface Redactor {
  redact(text: string): string;
  /** Redacts every string inside a JSON value; values under sensitive keys are replaced whole. */
  redactJson<T>(value: T): T;
  /** A stream by whole lines with carry; text is returned when its line is complete or the carry is full. */
  stream(): RedactionStream;
  /** A text for a view while it is being written. */
  live(): LiveRedaction;
}

/** Text that is shown before its lines are complete. What was given out once stays: it is never taken back. */
export interface LiveRedaction {
  /** What can be shown now, behind what was given out before. */
  push(text: string): string;
  /** The rest of the last line. */
  end(): string;
}

export interface RedactionStream {
  push(text: string): string;
  /**
   * The number of lines in these ASCII bytes, when they are whole lines, follow directly on what was pushed, and none of them would
   * change: they then count as pushed and given away, without ever becoming a text. Undefined: push them.
   */
  passLines?(ascii: Uint8Array): number | undefined;
  /**
   * What is held back, redacted as if the stream ended here, for a look at a running command; without a tail that may be the
   * beginning of a known value. Changes nothing.
   */
  peek(): string;
  /** The rest. */
  end(): string;
}

/** The values a window knows. A value shorter than 6 bytes is not matched. */
export interface SecretRegistry {
  /** Registers a value in every form it may appear; disposing forgets it. */
  add(value: Uint8Array): { dispose(): void };
}
