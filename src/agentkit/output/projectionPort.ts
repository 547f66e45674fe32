import type { CaptureContext, OutputPolicy, ToolDescriptor, ToolOutcome } from '../tool.ts';

export interface ProjectionRequest {
  readonly descriptor: ToolDescriptor;
  readonly policy: OutputPolicy;
  readonly outcome: ToolOutcome;
  /** For the capture path. */
  readonly context: CaptureContext;
}

/** The bounded, redacted text a model sees of one result; it is stored and replayed byte for byte for ever. The rest is for cards. */
export interface Projection {
  readonly text: string;
  readonly isError: boolean;
  readonly truncated: boolean;
  readonly marker?: string;
  /** Scratch-relative path of the saved full text; absent when nothing was captured or the capture failed. */
  readonly capturedPath?: string;
  readonly captureError?: string;
  /** Of the body; absent without one. */
  readonly returnedLines?: number;
  /** Null when the source did not tell; absent without a body. */
  readonly totalLines?: number | null;
}

/**
 * Redacts, captures, cuts and freezes one outcome, exactly once per call. A failed capture never rejects. Rejects only on a fault
 * of its own; the executor then answers the call without the result.
 * Source: agent runtime contract, sections 8 and 9.
 */
export interface ProjectionPort {
  project(request: ProjectionRequest): Promise<Projection>;
}
