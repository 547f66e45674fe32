import type {
  AgentEvent,
  ApprovalRequest,
  ConversationId,
  ConversationSummary,
  Event,
  Message,
  PermissionMode,
  StoredCall,
  StoredRun,
} from '../../agentkit/index.ts';
import type { Fault } from '../../domain/fault.ts';
import type { StreamingMessage } from './conversationState.ts';

/** One decision that waits. The digest names what was shown. */
export interface WaitingApproval {
  readonly request: ApprovalRequest;
  readonly conversationId: ConversationId;
  /** The target differs from the one approved or shown before in this conversation. */
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
    readonly verdict: 'approve' | 'deny';
    readonly reason?: string | undefined;
  }): boolean;
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
}

/** Assistant owns its conversation list. Source: seed 1, "State lifetimes". */
export interface AssistantLibrary {
  readonly approvals: ApprovalQueuePort;
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
