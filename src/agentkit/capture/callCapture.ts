import type { CaptureContext, OutputPolicy } from '../tool.ts';

/** `path` is scratch-relative. `reason` is one sentence for the model: what failed, or which part a partial copy holds. */
export type CaptureResult =
  { readonly kind: 'saved'; readonly path: string } | { readonly kind: 'failed'; readonly reason: string };

/**
 * The right of one call to save its redacted text in scratch, under the path its output policy generates. No file exists before
 * the first use. Source: seed 0; agent runtime contract, section 9.
 */
export interface CallCapture {
  /**
   * Creates a file of these bytes, at most the first 8 MiB of them; never overwrites. `missing` says what the bytes themselves
   * lack, for example an overwritten beginning; the copy is then named as partial. Never rejects.
   */
  save(bytes: Uint8Array, signal: AbortSignal, missing?: string): Promise<CaptureResult>;
  /** Starts a file that grows. Never rejects and creates nothing yet. */
  grow(): GrowingCapture;
}

/** A capture written while output arrives. One writer; nothing can be added once it is sealed. */
export interface GrowingCapture {
  /** Undefined until the file exists. */
  readonly path: string | undefined;
  /** Takes the bytes over; a promise = hold the source back until it resolves. Only the first 8 MiB are written. */
  append(bytes: Uint8Array): Promise<void> | undefined;
  /**
   * Writes what is still to be written and closes the file for good; an abort gives up the rest. The same result each time. Never
   * rejects.
   */
  seal(signal: AbortSignal): Promise<CaptureResult>;
}

/** Hands each call its capture. Undefined where the policy captures nothing. */
export interface CallCaptures {
  forCall(policy: OutputPolicy, context: CaptureContext): CallCapture | undefined;
}
