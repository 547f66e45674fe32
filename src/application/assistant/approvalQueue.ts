import {
  type ApprovalPort,
  type ApprovalRequest,
  type ConversationId,
  type Decision,
  type Disposable,
  type Event,
} from '../../agentkit/index.ts';
import type { ApprovalQueuePort, WaitingApproval } from './assistantLibrary.ts';
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
  readonly approval: WaitingApproval;
  readonly decide: (decision: Decision) => void;
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
  decide(request: ApprovalRequest, signal: AbortSignal): Promise<Decision> {
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
      this.#entries.set(id, { approval, decide });
      this.#cards.add({ id, conversationId, runId, subject: { kind: 'approval', approval } });
    });
  }

  settle(answer: Parameters<ApprovalQueuePort['settle']>[0]): boolean {
    const entry = this.#entries.get(answer.approvalId);
    if (entry === undefined || entry.approval.request.digest !== answer.shownDigest) return false;
    switch (answer.verdict) {
      case 'approve':
        return this.#finish(answer.approvalId, {
          verdict: 'allow',
          digest: entry.approval.request.digest,
          ground: { kind: 'user', id: answer.approvalId },
        });
      case 'deny':
        return this.#finish(answer.approvalId, denial(answer.reason?.trim() ?? ''));
    }
  }

  dispose(): void {
    this.#closed = true;
    for (const id of [...this.#entries.keys()])
      this.#finish(id, denial('The window closed before a decision.'));
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
    const last = earlier.at(-1);
    return {
      request,
      conversationId,
      targetChanged: target !== '' && last !== undefined && last.targetId !== target,
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
