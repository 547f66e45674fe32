import type {
  AgentEvent,
  AgentTask,
  ApprovalRequest,
  CompactionRecord,
  ConversationId,
  ConversationSummary,
  Event,
  Message,
  PermissionMode,
  StoredCall,
  StoredRun,
  UserAnswer,
} from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';
import type { GrantStorePort } from '../ports/grants.ts';
import type { WaitingCard } from './cardQueue.ts';
import type { ConversationPlan } from './conversationPlan.ts';
import type { RaisedHosts } from './raisedHosts.ts';
import type { CostCeiling } from './runLimits.ts';
import type { StreamingMessage } from './conversationState.ts';

/** One decision that waits. The digest names what was shown. */
export interface WaitingApproval {
  readonly request: ApprovalRequest;
  readonly conversationId: ConversationId;
  /** The target differs from that of the last question, or of the last call, in this conversation. Source: mission.md E2. */
  readonly targetChanged: boolean;
  /** Last commands of this conversation on the same target, oldest first, at most three. */
  readonly before: readonly string[];
}

/** One queue per window, oldest first, one shown at a time. Source: agent runtime contract, section 11; decisions 15. */
export interface ApprovalQueuePort {
  readonly waiting: readonly WaitingApproval[];
  readonly onDidChange: Event<void>;
  /**
   * Settles one approval. False (and a denial stays a denial) when the id is unknown, already settled, or `shownDigest` is not
   * the digest of what waits under that id: nothing is ever allowed by a stale, foreign or repeated answer.
   */
  settle(answer: {
    readonly approvalId: string;
    readonly shownDigest: string;
    readonly verdict: 'approve' | 'approveForConversation' | 'deny';
    readonly reason?: string | undefined;
  }): boolean;
  /**
   * Puts the person's version in place of the call that waits under this id and digest; it is decided about like the first one, under
   * its new digest. Never rejects, and allows nothing.
   */
  revise(edit: {
    readonly approvalId: string;
    readonly shownDigest: string;
    readonly text: string;
  }): Promise<RevisionAnswer>;
}

/** What became of an edit. `problem` says in English why the version cannot be used; the question stays as it was. */
export type RevisionAnswer =
  | { readonly kind: 'revised' }
  | { readonly kind: 'refused'; readonly problem: string }
  /** Nothing waits under this id and digest, or it cannot be edited. */
  | { readonly kind: 'gone' };

/**
 * Everything that waits for the person in this window, approvals and questions alike: oldest first, and only the first is shown. An
 * answer to what is settled, unknown or asks for something else changes nothing and gives false. Approvals are settled by
 * `ApprovalQueuePort`. Source: decisions 15.
 */
export interface CardQueuePort {
  readonly waiting: readonly WaitingCard[];
  readonly onDidChange: Event<void>;
  /** A screen shows this card: the time to answer starts. */
  noteShown(cardId: string): void;
  /** A question without an answer is skipped. */
  answerQuestions(cardId: string, answers: readonly UserAnswer[]): boolean;
  /** Closes the questions without an answer. */
  cancelQuestions(cardId: string): boolean;
  /** A run that goes in circles can also be answered by a message: `send` of its session. */
  decideRun(cardId: string, verdict: 'continue' | 'stop'): boolean;
}

export interface ConversationSnapshot {
  readonly summary: ConversationSummary;
  readonly messages: readonly Message[];
  readonly calls: readonly StoredCall[];
  /** In order; the last may be live. Views show how a run ended. */
  readonly runs: readonly StoredRun[];
  /** The answer on its way, for a screen that opens in the middle of it; events continue it. */
  readonly streaming?: StreamingMessage | undefined;
  /** Waiting in the inbox, in order. */
  readonly queued: readonly { readonly id: string; readonly text: string; readonly at: number }[];
  /** Set while another window owns the live run. */
  readonly readOnly: boolean;
  /** Of requests, in order: messages up to the boundary are summarised for the model. Nothing of them is missing here. */
  readonly compactions: readonly CompactionRecord[];
  /** Handed over last. */
  readonly plan: ConversationPlan | undefined;
  /** The model's own list; empty when it keeps none. */
  readonly tasks: readonly AgentTask[];
  readonly costCeiling: CostCeiling;
}

/** A conversation open in this window; several screens may show the same one. */
export interface ConversationSession {
  readonly id: ConversationId;
  snapshot(): ConversationSnapshot;
  /** Events of the live run of this window, in order. */
  readonly onEvent: Event<AgentEvent>;
  /** The stored rows changed for another reason than a live event (another window, restore, rename). */
  readonly onDidChange: Event<void>;
  readonly isRunning: boolean;
  /**
   * Starts a run, or queues the text as steering while one is live. Resolves when the text is stored. Rejects when the
   * conversation is read-only or the store is; the caller keeps the text.
   */
  send(text: string): Promise<void>;
  /** Runs again from the last person's message without repeating any action. */
  retry(): Promise<void>;
  stop(): void;
  /** Cancels one remote command of this conversation; the card offers it. */
  cancelCommand(callId: string): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  setModel(ref: string): Promise<void>;
  /** For the next run; a live one keeps its posture. */
  setPlanning(on: boolean): Promise<void>;
  /**
   * Starts a run that acts, with the plan of this call. Rejects with `stale-write` when that plan is not the one that waits, or a run
   * is live, and otherwise as `send` does.
   */
  implementPlan(callId: string): Promise<void>;
  /** Rejects with `stale-write` when that plan is not the one that waits. */
  discardPlan(callId: string): Promise<void>;
}

/** Assistant owns its conversation list. Source: seed 1, "State lifetimes". */
export interface AssistantLibrary {
  readonly approvals: ApprovalQueuePort;
  /** The whole queue, with the approvals. */
  readonly cards: CardQueuePort;
  /** Production hosts that a person lets the runs of a conversation change for the moment. */
  readonly raised: Pick<RaisedHosts, 'raise' | 'lower' | 'list' | 'onDidChange'>;
  /** What a person allowed for a whole conversation. */
  readonly grants: Pick<GrantStorePort, 'list' | 'revoke'>;
  list(): Promise<readonly ConversationSummary[]>;
  create(): Promise<ConversationSession>;
  /** Undefined when it does not exist (any more). */
  open(id: ConversationId): Promise<ConversationSession | undefined>;
  rename(id: ConversationId, title: string): Promise<void>;
  delete(id: ConversationId): Promise<void>;
  readonly onDidChange: Event<void>;
  models(): readonly ModelChoice[];
}

export interface ModelChoice {
  readonly ref: string;
  readonly label: string;
  readonly ready: boolean;
  readonly problem: Fault | undefined;
}
