import type { StoredCall } from '../../../agentkit/index.ts';
import type { CardReview } from '../../../webview/assistant/protocol.ts';
import type { AssistantTexts } from './texts.ts';

/** What the security review said about a call, for its card. Undefined while nothing was said. */
export function presentReview(review: StoredCall['review'], texts: AssistantTexts): CardReview | undefined {
  switch (review?.kind) {
    case undefined:
    case 'reviewStarted':
      return undefined;
    case 'reviewFinished':
      return {
        result: review.allowed ? 'allowed' : 'denied',
        text: [
          review.allowed ? texts.reviewAllowed() : texts.reviewDenied(),
          ...(review.risk === undefined ? [] : [texts.reviewRisk(review.risk)]),
          texts.reviewAuthorization(review.authorization),
        ].join(' · '),
        rationale: review.rationale,
      };
    case 'reviewFailed':
      return { result: 'failed', text: texts.reviewFailed(review.code), rationale: '' };
  }
}
