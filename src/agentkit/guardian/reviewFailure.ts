import { isAborted } from '../clock.ts';
import { ProviderError } from '../model.ts';

/** Why a review came to no verdict. Each is a denial. Source: agent runtime contract, section 12. */
export const reviewFailureCodes = [
  'noReviewer',
  'unauthorized',
  'timeout',
  'cancelled',
  'unreachable',
  'invalidVerdict',
  'tooLarge',
  'breakerOpen',
  'internal',
] as const;
export type ReviewFailureCode = (typeof reviewFailureCodes)[number];

const sentences: Record<ReviewFailureCode, string> = {
  noReviewer: 'no reviewer is set up',
  unauthorized: 'the reviewer is not allowed or not able to answer with the credentials that are set up',
  timeout: 'the review was not over within 30 seconds',
  cancelled: 'the review was cancelled',
  unreachable: 'the reviewer could not be reached or failed',
  invalidVerdict: 'the reviewer gave no valid verdict',
  tooLarge: 'the action is too large to be reviewed',
  breakerOpen: 'too many reviews of this run ended without an approval',
  internal: 'the review failed',
};

/** Ends a review without a verdict. `message` is part of a sentence, for the model; views translate by code. */
export class ReviewFailed extends Error {
  override readonly name = 'ReviewFailed';
  readonly code: ReviewFailureCode;

  constructor(code: ReviewFailureCode, cause?: unknown) {
    super(sentences[code], { cause });
    this.code = code;
  }
}

/** What any error of a review means for it; `signal` is that of the call. */
export function toReviewFailed(error: unknown, signal: AbortSignal): ReviewFailed {
  if (isAborted(signal)) return new ReviewFailed('cancelled', error);
  if (error instanceof ReviewFailed) return error;
  if (!(error instanceof ProviderError)) return new ReviewFailed('internal', error);
  const isRefused = error.code === 'unauthorized' || error.code === 'notPermitted';
  return new ReviewFailed(isRefused ? 'unauthorized' : 'unreachable', error);
}
