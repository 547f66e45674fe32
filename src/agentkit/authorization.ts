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
import { editableText } from './approvalEdit.ts';
import { judged, tightened, type ApprovalRules } from './approvalRules.ts';
import { untilAborted } from './clock.ts';
import { quoteForeign } from './codedError.ts';
import type { EventChannel } from './eventChannel.ts';
import type { GrantPort, GrantShape } from './grants.ts';
import { ReviewFailed, toReviewFailed } from './guardian/reviewFailure.ts';
import type { ApprovalId, CallId, ConversationId, RunId } from './ids.ts';
import { sortedJson, toJsonObject, type JsonObject } from './json.ts';
import { OpenApproval } from './openApproval.ts';
import type { Redactor } from './redactor.ts';
import type { RunLedger } from './runLedger.ts';
import type { ApprovalSubject, ApprovedContent, Safety, ToolDescriptor } from './tool.ts';

export interface AuthorizationOptions {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  readonly approvals: ApprovalPort;
  readonly review: SecurityReviewer | undefined;
  /** As of now. */
  readonly reviewMaterial: () => ReviewMaterial;
  /** The mode that counts now: a narrower one at once, a wider one only from the next run. */
  readonly mode: () => PermissionMode;
  readonly grants: GrantPort | undefined;
  readonly rules: ApprovalRules | undefined;
  readonly isPlanning: boolean;
  readonly userIntent: () => string;
  readonly newApprovalId: () => ApprovalId;
  readonly redactor: Redactor;
  readonly channel: EventChannel;
  readonly ledger: RunLedger;
  readonly log: (message: string, cause: unknown) => void;
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
  /** A question in the middle of a call that runs already; absent for the call itself. */
  readonly isFurther?: true;
  /** Absent = no grant covers the call and none is offered. */
  readonly grantable?: GrantShape;
  readonly content?: ApprovedContent;
  /** Absent = a person cannot change the call. */
  readonly edit?: {
    /** As checked, in front of preflight: what an edit begins with. */
    readonly written: JsonObject;
    readonly reclassify: Reclassify;
    /** Called when this version, which the person wrote, is the one to decide about. */
    readonly onShown?: () => void;
  };
}

/** The same call with other arguments, checked and classified again. `problem` is an English sentence. Never rejects. */
export type Reclassify = (
  args: JsonObject,
  signal: AbortSignal,
) => Promise<
  { readonly ok: true; readonly action: ActionInQuestion } | { readonly ok: false; readonly problem: string }
>;

/**
 * `digest` is that of what was shown; absent where nothing was asked. `action` is what was allowed, where the person wrote another
 * version than the one in question. `sentence` is the whole answer to the model.
 */
export type Authorization =
  | {
      readonly allowed: true;
      readonly ground: Ground;
      readonly mode: PermissionMode;
      readonly digest?: string;
      readonly action?: ActionInQuestion;
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

  async authorize(proposed: ActionInQuestion, signal: AbortSignal): Promise<Authorization> {
    const { rules, mode, isPlanning } = this.#options;
    const verdict = judged(proposed, rules);
    const action = tightened(proposed, verdict);
    const { safety } = action;
    const refuses = verdict?.effect === 'deny' || (verdict?.orElse === 'deny' && mode() === 'full');
    if (verdict !== undefined && refuses) return this.#decided(action, denied(verdict.reason, 'rule'));
    switch (safety) {
      case 'locallyReadOnly':
        return { allowed: true, ground: { kind: 'proof' }, mode: mode() };
      case 'locallyContained':
        return { allowed: true, ground: { kind: 'contained' }, mode: mode() };
      case 'deny':
        return this.#decided(action, denied(neverAllowed));
      case 'requiresAuthorization':
        if (!isPlanning) return this.#ask(action, signal);
        return this.#decided(action, denied(proposed === action ? planning : ruledPlanning));
    }
  }

  /** A further question in mid-call, under the same rules. No decision is a denial. */
  async decide(action: ActionInQuestion, signal: AbortSignal): Promise<Decision> {
    const { grantable: _shape, content: _content, edit: _edit, ...further } = action;
    const question = { ...further, safety: 'requiresAuthorization', isFurther: true } as const;
    const answer = await this.authorize(question, signal);
    if (!answer.allowed) return { verdict: 'deny', reason: answer.sentence, by: answer.by };
    const { ground, digest } = answer;
    return digest === undefined
      ? { verdict: 'deny', reason: notApproved, by: 'runtime' }
      : { verdict: 'allow', digest, ground };
  }

  async #ask(action: ActionInQuestion, signal: AbortSignal): Promise<Authorization> {
    const { newApprovalId, channel, mode } = this.#options;
    const version = { id: newApprovalId(), mode: mode() };
    const open = new OpenApproval({
      action,
      request: this.#request(action, { ...version, isEdited: false }),
      describe: (edited) => this.#describeEdit(edited, version),
      onRevised: (edited, request) => {
        edited.edit?.onShown?.();
        channel.emit({ kind: 'approvalRequested', request });
      },
    });
    const result = await this.#answer(open, signal);
    const isRewritten = result.allowed && open.action !== action;
    return this.#decided(action, isRewritten ? { ...result, action: open.action } : result, open.request);
  }

  /** What is shown of a version that the person wrote. A sentence refuses it. */
  #describeEdit(
    edited: ActionInQuestion,
    version: { readonly id: ApprovalId; readonly mode: PermissionMode },
  ): ApprovalRequest | string {
    const verdict = judged(edited, this.#options.rules);
    if (verdict?.effect === 'deny') return verdict.reason;
    if (edited.safety === 'deny') return neverAllowed;
    const request = this.#request(tightened(edited, verdict), { ...version, isEdited: true });
    return isShownWhole(request, edited) ? request : hidden;
  }

  async #answer(open: OpenApproval, signal: AbortSignal): Promise<Authorization> {
    const { action, request } = open;
    const { mode, digest } = request;
    if (mode === 'full') return { allowed: true, ground: { kind: 'fullAccess' }, mode, digest };
    if (!isShownWhole(request, action)) return denied(hidden);
    const grant = await this.#covering(action);
    if (signal.aborted) return denied(notApproved);
    if (grant !== undefined) return { allowed: true, ground: { kind: 'grant', id: grant }, mode, digest };
    if (mode === 'review' && !action.alwaysAskUser) return this.#askReview(request, signal);
    return this.#askUser(open, signal);
  }

  /** The id of the grant that covers the call. A store that cannot be read covers nothing. */
  async #covering({ alwaysAskUser, grantable }: ActionInQuestion): Promise<string | undefined> {
    const { grants, conversationId, log } = this.#options;
    if (grants === undefined || grantable === undefined || alwaysAskUser) return undefined;
    try {
      return (await grants.covering(conversationId, grantable))?.id;
    } catch (error) {
      log('the grants of a conversation could not be read', error);
      return undefined;
    }
  }

  /** Tells what became of a question. */
  #decided(
    { callId, isFurther, subject }: ActionInQuestion,
    result: Authorization,
    request?: ApprovalRequest,
  ): Authorization {
    const { channel, mode, redactor } = this.#options;
    const answer = result.allowed
      ? ({ allowed: true, ground: result.ground } as const)
      : ({ allowed: false, by: result.by, reason: result.sentence } as const);
    channel.emit({
      kind: 'callDecided',
      callId,
      mode: request?.mode ?? mode(),
      ...(request !== undefined && { digest: request.digest }),
      ...(isFurther === true && { further: redactor.redactJson(subject) }),
      answer,
    });
    return result;
  }

  #request(
    action: ActionInQuestion,
    version: { readonly id: ApprovalId; readonly mode: PermissionMode; readonly isEdited: boolean },
  ): ApprovalRequest {
    const { runId, conversationId, redactor, userIntent, grants } = this.#options;
    const { content, edit, grantable } = action;
    const editable = edit && editableText(action.descriptor, edit.written, redactor);
    const shown: Omit<ApprovalRequest, 'digest'> = {
      ...version,
      runId,
      conversationId,
      callId: action.callId,
      descriptor: action.descriptor,
      invocation: { name: action.descriptor.name, arguments: redactor.redactJson(action.arguments) },
      subject: redactor.redactJson(action.subject),
      userIntent: userIntent(),
      reasons: action.reasons.map((reason) => redactor.redact(reason)),
      alwaysAskUser: action.alwaysAskUser,
      ...(content !== undefined && { contentSha256: content.sha256 }),
      canGrant: grants !== undefined && grantable !== undefined && !action.alwaysAskUser,
      ...(editable !== undefined && { editable }),
    };
    return { ...shown, digest: approvalDigest(shown) };
  }

  async #askUser(open: OpenApproval, signal: AbortSignal): Promise<Authorization> {
    const { approvals, channel, ledger } = this.#options;
    const waiting = ledger.hold('waitingForApproval');
    channel.emit({ kind: 'approvalRequested', request: open.request });
    try {
      const asking = approvals.decide(open.question(), signal);
      const decision: Decision | undefined = await untilAborted(asking, signal);
      open.close();
      const settled = this.#settle(open.request, decision, signal);
      if (settled.allowed && decision.verdict === 'allow' && decision.forConversation === true)
        await this.#giveGrant(open);
      return settled;
    } catch {
      return denied(notApproved);
    } finally {
      open.close();
      waiting.dispose();
    }
  }

  /** The call itself is allowed whatever becomes of the grant. */
  async #giveGrant({ action, request }: OpenApproval): Promise<void> {
    const { grants, conversationId, channel, log } = this.#options;
    const { grantable, callId } = action;
    if (!request.canGrant || grants === undefined || grantable === undefined) return;
    try {
      const grant = await grants.give(conversationId, grantable);
      channel.emit({ kind: 'grantGiven', callId, grant });
    } catch (error) {
      log('a grant could not be stored', error);
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
const neverAllowed = 'This call is never allowed.';
const planning = 'While planning, only calls that change nothing run. Put this step into the plan.';
const ruledPlanning =
  'A rule of the user wants them to be asked about this call, and while planning nobody is asked. Go on without it, or put it into the plan.';

function isShownWhole(request: ApprovalRequest, action: ActionInQuestion): boolean {
  return sortedJson(toJsonObject(request.subject)) === sortedJson(toJsonObject(action.subject));
}

function denied(sentence: string, by: DenialSource = 'runtime'): Authorization {
  return { allowed: false, by, sentence };
}
