import type { ApprovalId, CallId, ConversationId, RunId } from './ids.ts';
import type { JsonObject } from './json.ts';
import type { ApprovalSubject, ToolDescriptor } from './tool.ts';

export type PermissionMode = 'ask' | 'review' | 'full';

/** What a tool hands in when it asks; the executor adds ids, mode and digest. */
export interface ApprovalRequestInput {
  readonly subject: ApprovalSubject;
  readonly reasons: readonly string[];
  readonly alwaysAskUser: boolean;
}

/**
 * One question to the gate. `digest` is SHA-256 (hex) over the sorted JSON of everything shown: tool, arguments, subject and
 * reasons. A decision for another digest is a denial. Source: agent runtime contract, section 11.
 */
export interface ApprovalRequest {
  readonly id: ApprovalId;
  readonly runId: RunId;
  readonly conversationId?: ConversationId;
  readonly callId: CallId;
  readonly descriptor: ToolDescriptor;
  /** As rewritten by preflight; redacted; shown in full. */
  readonly invocation: { readonly name: string; readonly arguments: JsonObject };
  readonly subject: ApprovalSubject;
  readonly userIntent: string;
  readonly reasons: readonly string[];
  readonly alwaysAskUser: boolean;
  readonly mode: PermissionMode;
  readonly digest: string;
}

export type DecisionGround = 'proof' | 'grant' | 'user' | 'review' | 'mode';

/** `digest` repeats what was shown; the executor compares it with what it is about to run. */
export type Decision =
  | { readonly verdict: 'allow'; readonly digest: string; readonly ground: DecisionGround }
  | { readonly verdict: 'deny'; readonly reason: string; readonly ground: DecisionGround };

/**
 * The gate. Not an extension point: the executor calls it for every call that requires authorization, and whatever goes wrong
 * in it (rejection, abort, undefined) is a denial. Source: seed 1, "Agent runtime and security".
 */
export interface ApprovalPort {
  decide(request: ApprovalRequest, signal: AbortSignal): Promise<Decision>;
}
