import type { CallCaptures } from '../capture/callCapture.ts';
import type { Redactor } from '../redactor.ts';
import { projectResult } from './projectResult.ts';
import type { Projection, ProjectionPort, ProjectionRequest } from './projectionPort.ts';
import { neverAborted } from '../neverAborted.ts';

/** The projection of the agent's own calls: default ceiling, enveloped, captured where the policy says so. */
export class OutputProjector implements ProjectionPort {
  readonly #redactor: Redactor;
  readonly #captures: CallCaptures | undefined;

  constructor(options: { readonly redactor: Redactor; readonly captures?: CallCaptures | undefined }) {
    this.#redactor = options.redactor;
    this.#captures = options.captures;
  }

  /** Without a signal: a capture is bounded by the scratch lock's own 10 seconds. */
  project(request: ProjectionRequest, signal: AbortSignal = neverAborted): Promise<Projection> {
    const { descriptor, policy, outcome, context } = request;
    const capture = this.#captures?.forCall(policy, context);
    const input = { descriptor, outcome, capture, strategy: policy.strategy, redactor: this.#redactor };
    return projectResult(input, signal);
  }
}
