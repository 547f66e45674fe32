import { createHash } from 'node:crypto';
import type { RiskLevel, UserAuthorization } from './guardian/verdict.ts';
import type { ApprovalId, CallId, ConversationId, MessageId, RunId } from './ids.ts';
import { sortedJson, toJsonObject, type JsonObject } from './json.ts';
import type { ApprovalSubject, ToolDescriptor } from './tool.ts';
import type { UserWords } from './userWords.ts';

export type PermissionMode = 'ask' | 'review' | 'full';

/** What a tool hands in when it asks; the executor adds ids, mode and digest. */
export interface ApprovalRequestInput {
  readonly subject: ApprovalSubject;
  readonly reasons: readonly string[];
  readonly alwaysAskUser: boolean;
}

/**
 * One question to the gate. `digest` is SHA-256 (hex) over the sorted JSON of everything shown (tool, arguments, subject, reasons and
 * the digest of content) and the ids of question, run and call, see `approvalDigest`. A decision for another digest is a denial.
 * Source: agent runtime contract, section 11.
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
  /** SHA-256 (hex) of content that the call carries and that is not shown in full; compared again before it is dispatched. */
  readonly contentSha256?: string;
  /** The person may allow this shape for the whole conversation. */
  readonly canGrant: boolean;
  /** What the person may change before they allow it: one argument, or without a name all of them as JSON. Absent = nothing. */
  readonly editable?: { readonly argument?: string; readonly text: string };
  /** The person wrote this version of the call. */
  readonly isEdited: boolean;
  readonly digest: string;
}

/**
 * What a call runs on: that it is proven read-only, that it changes only storage of ours, full access, or what `id` names (the grant;
 * the approval that a person or the security review allowed). Source: agent runtime contract, section 11.
 */
export type Ground =
  | { readonly kind: 'proof' | 'contained' | 'fullAccess' }
  | { readonly kind: 'grant' | 'user' | 'review'; readonly id: string };

/** Who or what keeps a call from running: a person, the security review, a rule of the person, or the runtime itself. */
export type DenialSource = 'user' | 'review' | 'rule' | 'runtime';

/** `digest` repeats what was shown; the executor compares it with what it is about to run. */
export type Decision =
  | {
      readonly verdict: 'allow';
      readonly digest: string;
      readonly ground: Ground;
      /** The person allows every call of this shape in the conversation. Counts only where the request could be granted. */
      readonly forConversation?: boolean;
    }
  | { readonly verdict: 'deny'; readonly reason: string; readonly by: DenialSource };

/** What became of an edit: another request under the same id, which is now the one to decide about, or why there is none. */
export type Revision =
  { readonly ok: true; readonly request: ApprovalRequest } | { readonly ok: false; readonly problem: string };

/** A request that a person decides about. */
export interface ApprovalQuestion {
  readonly request: ApprovalRequest;
  /**
   * Puts the person's text in place of the editable one: checks and classifies the call again. From then on only the new digest allows,
   * and the old one is a denial. A problem changes nothing. Absent = it cannot be edited. Never rejects.
   */
  readonly revise?: (text: string, signal: AbortSignal) => Promise<Revision>;
}

/**
 * The gate of people. Not an extension point: the executor calls it for every call that the permission mode leaves to the user, and
 * whatever goes wrong in it (rejection, abort, undefined) is a denial. Source: seed 1, "Agent runtime and security".
 */
export interface ApprovalPort {
  decide(question: ApprovalQuestion, signal: AbortSignal): Promise<Decision>;
}

/** What a security review says about one request. `digest` repeats what it reviewed. */
export interface ReviewVerdict {
  readonly allowed: boolean;
  /** Goes to the model when the call is denied; foreign text. */
  readonly rationale: string;
  /** Undefined for a denial that names none. */
  readonly risk: RiskLevel | undefined;
  readonly authorization: UserAuthorization;
  readonly digest: string;
}

/** What a review goes by beside the request. */
export interface ReviewMaterial {
  /** Everything the user said in the conversation, in order, redacted; what waits for the next turn included. */
  readonly evidence: readonly UserWords[];
  /** The assistant message that made the call. */
  readonly answerId: MessageId;
  /** Told what each request of the review cost, in the currency of the price table; never when that is not known. */
  readonly onCost: (cost: number) => void;
}

/**
 * The security review of "Approve for me". Rejects, best with `ReviewFailed`, when no verdict was reached, which is a denial and
 * recorded as a review failure.
 * Source: agent runtime contract, section 12.
 */
export interface SecurityReviewer {
  review(request: ApprovalRequest, material: ReviewMaterial, signal: AbortSignal): Promise<ReviewVerdict>;
}

/** From the mode that asks most to the one that asks least. */
const width: Record<PermissionMode, number> = { ask: 0, review: 1, full: 2 };

/** The one of the two that asks more often. */
export function narrowerMode(a: PermissionMode, b: PermissionMode): PermissionMode {
  return width[a] <= width[b] ? a : b;
}

/** The digest that binds a decision to one question and to everything that was shown with it. */
export function approvalDigest(request: Omit<ApprovalRequest, 'digest'>): string {
  const { id, runId, callId, invocation, subject, reasons, contentSha256 } = request;
  const shown = {
    id,
    runId,
    callId,
    tool: invocation.name,
    arguments: invocation.arguments,
    subject: toJsonObject(subject),
    reasons,
    ...(contentSha256 !== undefined && { contentSha256 }),
  };
  return createHash('sha256').update(sortedJson(shown), 'utf8').digest('hex');
}
