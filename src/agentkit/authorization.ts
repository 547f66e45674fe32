import {
  approvalDigest,
  type ApprovalPort,
  type ApprovalRequest,
  type Decision,
  type DenialSource,
  type Ground,
  type PermissionMode,
  type ReviewMaterial,
  type SecurityReviewer,
} from './approval.ts';
import { untilAborted } from './clock.ts';
import { quoteForeign } from './codedError.ts';
import type { EventChannel } from './eventChannel.ts';
import { ReviewFailed, toReviewFailed } from './guardian/reviewFailure.ts';
import type { ApprovalId, CallId, ConversationId, RunId } from './ids.ts';
import { sortedJson, toJsonObject, type JsonObject } from './json.ts';
import type { Redactor } from './redactor.ts';
import type { RunLedger } from './runLedger.ts';
import type { ApprovalSubject, Safety, ToolDescriptor } from './tool.ts';

export interface AuthorizationOptions {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  readonly approvals: ApprovalPort;
  readonly review: SecurityReviewer | undefined;
  /** As of now. */
  readonly reviewMaterial: () => ReviewMaterial;
  /** The mode that counts now: a narrower one at once, a wider one only from the next run. */
  readonly mode: () => PermissionMode;
  readonly isPlanning: boolean;
  readonly userIntent: () => string;
  readonly newApprovalId: () => ApprovalId;
  readonly redactor: Redactor;
  readonly channel: EventChannel;
  readonly ledger: RunLedger;
}

/** One call, or one further step of a call, that wants to act. */
export interface ActionInQuestion {
  readonly callId: CallId;
  readonly descriptor: ToolDescriptor;
  readonly safety: Safety;
  readonly alwaysAskUser: boolean;
  readonly arguments: JsonObject;
  readonly subject: ApprovalSubject;
  readonly reasons: readonly string[];
}

/** `digest` is that of what was shown; absent where nothing was asked. `sentence` is the whole answer to the model. */
export type Authorization =
  | {
      readonly allowed: true;
      readonly ground: Ground;
      readonly mode: PermissionMode;
      readonly digest?: string;
    }
  | { readonly allowed: false; readonly by: DenialSource; readonly sentence: string };

/**
 * The stage of the executor that nothing can configure away: the table of permission modes, and the binding of a decision to exactly
 * what was shown. Anything but a matching allow is a denial. Source: agent runtime contract, section 11; seed 1.
 */
export class AuthorizationStage {
  readonly #options: AuthorizationOptions;

  constructor(options: AuthorizationOptions) {
    this.#options = options;
  }

  async authorize(action: ActionInQuestion, signal: AbortSignal): Promise<Authorization> {
    switch (action.safety) {
      case 'locallyReadOnly':
        return { allowed: true, ground: { kind: 'proof' }, mode: this.#options.mode() };
      case 'locallyContained':
        return { allowed: true, ground: { kind: 'contained' }, mode: this.#options.mode() };
      case 'deny':
        return this.#decided(action.callId, denied('This call is never allowed.'));
      case 'requiresAuthorization':
        return this.#options.isPlanning
          ? this.#decided(action.callId, denied(planning))
          : this.#ask(action, signal);
    }
  }

  /** A further question in mid-call, under the same rules. No decision is a denial. */
  async decide(action: ActionInQuestion, signal: AbortSignal): Promise<Decision> {
    const answer = await this.authorize({ ...action, safety: 'requiresAuthorization' }, signal);
    if (!answer.allowed) return { verdict: 'deny', reason: answer.sentence, by: answer.by };
    const { ground, digest } = answer;
    return digest === undefined
      ? { verdict: 'deny', reason: notApproved, by: 'runtime' }
      : { verdict: 'allow', digest, ground };
  }

  async #ask(action: ActionInQuestion, signal: AbortSignal): Promise<Authorization> {
    const mode = this.#options.mode();
    const request = this.#request(action, mode);
    return this.#decided(action.callId, await this.#answer(action, request, signal), request);
  }

  async #answer(
    action: ActionInQuestion,
    request: ApprovalRequest,
    signal: AbortSignal,
  ): Promise<Authorization> {
    const { mode, digest } = request;
    if (mode === 'full') return { allowed: true, ground: { kind: 'fullAccess' }, mode, digest };
    if (sortedJson(toJsonObject(request.subject)) !== sortedJson(toJsonObject(action.subject)))
      return denied(hidden);
    if (mode === 'review' && !action.alwaysAskUser) return this.#askReview(request, signal);
    return this.#askUser(request, signal);
  }

  /** Tells what became of a question. */
  #decided(callId: CallId, result: Authorization, request?: ApprovalRequest): Authorization {
    const { channel, mode } = this.#options;
    const answer = result.allowed
      ? ({ allowed: true, ground: result.ground } as const)
      : ({ allowed: false, by: result.by, reason: result.sentence } as const);
    channel.emit({
      kind: 'callDecided',
      callId,
      mode: request?.mode ?? mode(),
      ...(request !== undefined && { digest: request.digest }),
      answer,
    });
    return result;
  }

  #request(action: ActionInQuestion, mode: PermissionMode): ApprovalRequest {
    const { runId, conversationId, redactor, userIntent, newApprovalId } = this.#options;
    const shown: Omit<ApprovalRequest, 'digest'> = {
      id: newApprovalId(),
      runId,
      conversationId,
      callId: action.callId,
      descriptor: action.descriptor,
      invocation: { name: action.descriptor.name, arguments: redactor.redactJson(action.arguments) },
      subject: redactor.redactJson(action.subject),
      userIntent: userIntent(),
      reasons: action.reasons.map((reason) => redactor.redact(reason)),
      alwaysAskUser: action.alwaysAskUser,
      mode,
    };
    return { ...shown, digest: approvalDigest(shown) };
  }

  async #askUser(request: ApprovalRequest, signal: AbortSignal): Promise<Authorization> {
    const { approvals, channel, ledger } = this.#options;
    const waiting = ledger.hold('waitingForApproval');
    channel.emit({ kind: 'approvalRequested', request });
    try {
      const decision: Decision | undefined = await untilAborted(approvals.decide(request, signal), signal);
      return this.#settle(request, decision, signal);
    } catch {
      return denied(notApproved);
    } finally {
      waiting.dispose();
    }
  }

  async #askReview(request: ApprovalRequest, signal: AbortSignal): Promise<Authorization> {
    const { review, reviewMaterial, channel, ledger, redactor } = this.#options;
    const { callId } = request;
    const waiting = ledger.hold('waitingForApproval');
    channel.emit({ kind: 'reviewStarted', callId });
    try {
      if (review === undefined) throw new ReviewFailed('noReviewer');
      const verdict = await untilAborted(review.review(request, reviewMaterial(), signal), signal);
      if (verdict.digest !== request.digest) throw new ReviewFailed('invalidVerdict');
      const { allowed, risk, authorization } = verdict;
      const rationale = redactor.redact(verdict.rationale);
      channel.emit({
        kind: 'reviewFinished',
        callId,
        allowed,
        rationale,
        ...(risk !== undefined && { risk }),
        authorization,
      });
      const decision: Decision = verdict.allowed
        ? { verdict: 'allow', digest: verdict.digest, ground: { kind: 'review', id: request.id } }
        : { verdict: 'deny', reason: rationale, by: 'review' };
      return this.#settle(request, decision, signal);
    } catch (error) {
      const { code, message: reason } = toReviewFailed(error, signal);
      channel.emit({ kind: 'reviewFailed', callId, code, reason });
      return denied(`This call needs a security review and ${reason}, so it did not run.`, 'review');
    } finally {
      waiting.dispose();
    }
  }

  #settle(request: ApprovalRequest, decision: Decision | undefined, signal: AbortSignal): Authorization {
    if (signal.aborted || decision === undefined) return denied(notApproved);
    if (decision.verdict === 'deny') return denied(this.#denialText(decision), decision.by);
    const { mode, digest } = request;
    const isForThis = decision.digest === digest && approvalDigest(request) === digest;
    return isForThis ? { allowed: true, ground: decision.ground, mode, digest } : denied(notApproved);
  }

  #denialText(decision: Extract<Decision, { verdict: 'deny' }>): string {
    const who = decision.by === 'review' ? 'The security review' : 'The user';
    const reason = this.#options.redactor.redact(decision.reason).trim();
    return reason === '' ? `${who} denied this call.` : `${who} denied this call: ${quoteForeign(reason)}.`;
  }
}

/** Redaction may take shell syntax along with what looks like a secret: nobody decides about what they cannot see. */
const hidden =
  'This call was not run: part of it looks like a secret and would be hidden from the user, who could not see what they decide. Write it without the secret.';
const notApproved = 'This call was not approved, so it did not run.';
const planning = 'While planning, only calls that change nothing run. Put this step into the plan.';

function denied(sentence: string, by: DenialSource = 'runtime'): Authorization {
  return { allowed: false, by, sentence };
}
