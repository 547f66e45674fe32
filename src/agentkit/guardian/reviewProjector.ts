import { projectResult } from '../output/projectResult.ts';
import type { Projection, ProjectionPort, ProjectionRequest } from '../output/projectionPort.ts';
import type { Redactor } from '../redactor.ts';
import { reviewLimits } from './limits.ts';
import { neverAborted } from '../neverAborted.ts';

/**
 * The projection of calls that a review makes: 16 KiB and 200 lines, always, and nothing is captured. Source: agent runtime contract,
 * section 12.
 */
export class ReviewProjector implements ProjectionPort {
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  project({ descriptor, policy, outcome }: ProjectionRequest): Promise<Projection> {
    const bounded = outcome.kind === 'success' ? withoutStrategy(outcome) : outcome;
    const strategy = policy.strategy === 'none' || policy.strategy === 'bypass' ? 'head' : policy.strategy;
    const { outputBytes: maxBytes, outputLines: maxLines } = reviewLimits;
    const input = { descriptor, outcome: bounded, strategy, redactor: this.#redactor, maxBytes, maxLines };
    return projectResult(input, neverAborted); // nothing is captured, so nothing waits
  }
}

function withoutStrategy<O extends { readonly strategy?: 'bypass' }>({
  strategy: _,
  ...rest
}: O): Omit<O, 'strategy'> {
  return rest;
}
