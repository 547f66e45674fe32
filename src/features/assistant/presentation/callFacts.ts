import type { JsonObject, ProposedCall, StoredCall, ToolMessage } from '../../../agentkit/index.ts';
import type { PlanState } from '../../../webview/assistant/protocol.ts';

/** Where one call stands. `orphaned` = its run has ended and no result was recorded. */
export type CallPhase = 'proposed' | 'waiting' | 'running' | 'finished' | 'orphaned';

/** Everything a card is made of. Values only; the frozen text is read when the card is shown. */
export interface CallFacts {
  readonly rowId: string;
  readonly runId: string;
  readonly callId: string;
  readonly toolName: string;
  readonly phase: CallPhase;
  /** It was sent, so it may have happened even without a result. */
  readonly dispatched: boolean;
  /** As proposed; absent when the process died before that. */
  readonly proposed?: ProposedCall | undefined;
  /** The last thing that is known about its security review. */
  readonly review?: StoredCall['review'] | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly startedAt?: number | undefined;
  /** The answer, with its outcome and duration. */
  readonly result?: ToolMessage | undefined;
  /** The last progress report of a running call. */
  readonly progress?: JsonObject | undefined;
  /** What became of the plan that this call handed over. */
  readonly planState?: PlanState | undefined;
}

/** The row of a call, the same while it is live and after a restart. */
export function callRowId(runId: string, callId: string): string {
  return `call:${runId}:${callId}`;
}
