import {
  type ApprovalPort,
  type ApprovalQuestion,
  type ApprovalRequest,
  type ConversationId,
  type Decision,
  type Disposable,
  type Event,
} from '../../agentkit/index.ts';
import type { ApprovalQueuePort, RevisionAnswer, WaitingApproval } from './assistantLibrary.ts';
import type { CardQueue } from './cardQueue.ts';

/** One earlier call of a conversation, as far as a person needs it to notice another host. */
export interface TargetedCall {
  readonly callId: string;
  readonly targetId: string;
  readonly action: string;
  readonly dispatched: boolean;
}

/** Where the queue looks up what happened before. Oldest first; calls without a target are left out. */
export interface TargetHistoryPort {
  targetedCalls(conversation: ConversationId): readonly TargetedCall[];
}

interface Entry {
  readonly conversationId: ConversationId;
  readonly revise: ApprovalQuestion['revise'];
  readonly decide: (decision: Decision) => void;
  readonly signal: AbortSignal;
  approval: WaitingApproval;
  /** The person's own version is being checked: meanwhile nothing is allowed. */
  isRevising: boolean;
}

const commandsShown = 3;

/**
 * The decisions of one window, in its queue of cards. Whatever is not a matching `approve` is a denial: abort,
 * dispose, a second question under the same id, a request without a conversation to show it in. Disposing denies all and everything
 * asked afterwards. Source: agent runtime contract, section 11; decisions 15; quality.md S6.
 */
export class ApprovalQueue implements ApprovalPort, ApprovalQueuePort, Disposable {
  readonly #history: TargetHistoryPort;
  readonly #cards: CardQueue;
  readonly #entries = new Map<string, Entry>();
  /** The target of the last question of each conversation that a person answered. */
  readonly #lastAsked = new Map<ConversationId, string>();
  #closed = false;

  /** Whoever made `cards` disposes it. */
  constructor(history: TargetHistoryPort, cards: CardQueue) {
    this.#history = history;
    this.#cards = cards;
  }

  /** Of the whole queue. */
  readonly onDidChange: Event<void> = (listener) => this.#cards.onDidChange(listener);

  get waiting(): readonly WaitingApproval[] {
    return [...this.#entries.values()].map((entry) => entry.approval);
  }

  /** Waits for a person. Never rejects. */
  decide(question: ApprovalQuestion, signal: AbortSignal): Promise<Decision> {
    const { request } = question;
    const { conversationId } = request;
    if (this.#closed || signal.aborted || conversationId === undefined)
      return Promise.resolve(denial('Nobody could be asked.'));
    this.#finish(request.id, denial('Another question took its place.'));
    return new Promise((resolve) => {
      const stopped = (): void => {
        this.#finish(request.id, denial('The run was stopped before a decision.'));
      };
      signal.addEventListener('abort', stopped, { once: true });
      const decide = (decision: Decision): void => {
        signal.removeEventListener('abort', stopped);
        resolve(decision);
      };
      const { id, runId } = request;
      const approval = this.#describe(request, conversationId);
      const { revise } = question;
      this.#entries.set(id, { conversationId, revise, decide, signal, approval, isRevising: false });
      this.#cards.add({ id, conversationId, runId, subject: { kind: 'approval', approval } });
    });
  }

  async revise(edit: Parameters<ApprovalQueuePort['revise']>[0]): Promise<RevisionAnswer> {
    const entry = this.#entries.get(edit.approvalId);
    if (entry?.revise === undefined || entry.isRevising) return { kind: 'gone' };
    if (entry.approval.request.digest !== edit.shownDigest) return { kind: 'gone' };
    entry.isRevising = true;
    const revision = await entry.revise(edit.text, entry.signal);
    entry.isRevising = false;
    if (!revision.ok) return { kind: 'refused', problem: revision.problem };
    entry.approval = this.#describe(revision.request, entry.conversationId);
    this.#cards.replace(edit.approvalId, { kind: 'approval', approval: entry.approval });
    return { kind: 'revised' };
  }

  settle(answer: Parameters<ApprovalQueuePort['settle']>[0]): boolean {
    const { approvalId: id, shownDigest, verdict, reason } = answer;
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.approval.request.digest !== shownDigest) return false;
    const { request } = entry.approval;
    if (verdict === 'deny') return this.#answered(entry, denial(reason?.trim() ?? ''));
    const forConversation = verdict === 'approveForConversation';
    if (entry.isRevising || (forConversation && !request.canGrant)) return false;
    return this.#answered(entry, {
      verdict: 'allow',
      digest: request.digest,
      ground: { kind: 'user', id },
      ...(forConversation && { forConversation }),
    });
  }

  dispose(): void {
    this.#closed = true;
    for (const id of [...this.#entries.keys()])
      this.#finish(id, denial('The window closed before a decision.'));
  }

  #answered({ approval: { request }, conversationId }: Entry, decision: Decision): boolean {
    const { targetId } = request.subject;
    if (targetId !== '') this.#lastAsked.set(conversationId, targetId);
    return this.#finish(request.id, decision);
  }

  #finish(id: string, decision: Decision): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    this.#entries.delete(id);
    entry.decide(decision);
    this.#cards.remove(id);
    return true;
  }

  #describe(request: ApprovalRequest, conversationId: ConversationId): WaitingApproval {
    const calls = this.#history.targetedCalls(conversationId);
    const own = calls.findLastIndex((call) => call.callId === request.callId);
    const earlier = own < 0 ? calls : calls.slice(0, own);
    const target = request.subject.targetId;
    const asked = this.#lastAsked.get(conversationId);
    const last = earlier.at(-1)?.targetId;
    const isOther = (other: string | undefined): boolean => other !== undefined && other !== target;
    return {
      request,
      conversationId,
      targetChanged: target !== '' && (isOther(asked) || isOther(last)),
      before: earlier
        .filter((call) => call.dispatched && call.targetId === target && target !== '')
        .slice(-commandsShown)
        .map((call) => call.action),
    };
  }
}

function denial(reason: string): Decision {
  return { verdict: 'deny', reason, by: 'user' };
}
