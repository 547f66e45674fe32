import type { PermissionMode } from './approval.ts';
import type { DurableEvent, EndedRunState, RunFailure, RunState } from './events.ts';
import type { CallId, ConversationId, MessageId, RunId } from './ids.ts';
import type { Message, ToolMessage } from './message.ts';

/** Fixed when the conversation is created, so that the request prefix stays byte-stable (section 2). */
export interface NewConversation {
  readonly id: ConversationId;
  readonly title: string;
  readonly systemPrompt: string;
  readonly permissionMode: PermissionMode;
  readonly modelRef: string;
  readonly createdAt: number;
  readonly parent?: ConversationId;
}

export interface ConversationSummary {
  readonly id: ConversationId;
  readonly title: string;
  readonly modelRef: string;
  readonly permissionMode: PermissionMode;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** Place that the person gave it among the others, ascending: any finite number, so that one fits between two. `null` = by time. */
  readonly order: number | null;
  /** Plan mode is on for the next run. */
  readonly planning: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messageCount: number;
  readonly run?: { readonly id: RunId; readonly state: RunState; readonly live: boolean };
}

export interface StoredRun {
  readonly id: RunId;
  readonly state: RunState;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly failure?: RunFailure;
}

/** What the user decided about a plan that was handed over; a plan without a decision is pending. Source: section 15. */
export type PlanOutcome = 'implemented' | 'discarded';

/** The call that handed a plan over. */
export interface PlanCall {
  readonly runId: RunId;
  readonly callId: CallId;
}

/** A run that begins. */
export interface NewRun {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  readonly startedAt: number;
  /** Its prompt, and what else the stored history lacks, in transcript order. */
  readonly appended?: readonly Message[];
  /** The plan that it implements. */
  readonly implementedPlan?: PlanCall;
}

/** A call of a stored run: whether it was dispatched and whether its result was recorded. */
export interface StoredCall {
  readonly runId: RunId;
  readonly callId: CallId;
  readonly dispatched: boolean;
  readonly result?: ToolMessage;
  /** The card as proposed, redacted; absent when the process died before it. */
  readonly proposed?: Extract<DurableEvent['body'], { kind: 'toolProposed' }>['call'];
  /** The last thing recorded about its review. */
  readonly review?: Extract<
    DurableEvent['body'],
    { kind: 'reviewStarted' | 'reviewFinished' | 'reviewFailed' }
  >;
  /** For a call that handed over a plan. */
  readonly planOutcome?: PlanOutcome;
}

export interface CompactionRecord {
  readonly messageId: MessageId;
  /** Messages up to and including this one are summarised. */
  readonly boundary: MessageId;
  readonly summary: string;
  /** What stands behind the summary word for word; redacted. Fixed with the record, so that requests stay a prefix of each other. */
  readonly facts?: string;
  readonly createdAt: number;
}

export interface QueuedMessage {
  readonly message: Extract<Message, { role: 'user' }>;
  readonly inFlight: boolean;
}

export interface StoredConversation {
  readonly summary: ConversationSummary;
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly runs: readonly StoredRun[];
  readonly calls: readonly StoredCall[];
  readonly compactions: readonly CompactionRecord[];
  readonly inbox: readonly QueuedMessage[];
}

/** A save point of a run. Rows are only ever added; a row that exists is left as it is. */
export interface RunSnapshot {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  readonly startedAt: number;
  readonly state: RunState;
  readonly endedAt?: number;
  readonly failure?: RunFailure;
  /** Messages since the last save, in transcript order. */
  readonly appended: readonly Message[];
}

export interface ConversationMetadata {
  readonly title?: string;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly order?: number | null;
  readonly planning?: boolean;
  readonly permissionMode?: PermissionMode;
  readonly modelRef?: string;
}

/**
 * Where runs live. Everything handed in is already truncated and redacted. Every promise resolves after the commit and rejects
 * with an error whose `fault.code` names the cause: `store-busy`, `store-read-only`, `store-newer`, `store-damaged`,
 * `store-missing`, or `stale-write` when the conversation is gone or its rows are not what the caller saw.
 * Source: agent runtime contract, section 23.
 */
export interface RunStorePort {
  createConversation(conversation: NewConversation): Promise<void>;
  /** Newest first. */
  listConversations(): Promise<readonly ConversationSummary[]>;
  /**
   * Materialises recorded results that have no transcript row, then reads everything (section 23, "Restore in two steps",
   * first step). Undefined when unknown.
   */
  load(id: ConversationId): Promise<StoredConversation | undefined>;
  /**
   * Takes the lease of the run for this window, or rejects with `run-leased` while another window has a live run in the
   * conversation. Runs that were left behind in it end as interrupted. The messages are added in the same commit; so is the outcome
   * of the plan that the run implements, with which plan mode ends. Rejects with `stale-write` when that plan is decided already or was
   * never handed over. A run that could not begin has stored nothing.
   */
  startRun(run: NewRun): Promise<void>;
  /** Renews the lease; false when it was lost. */
  renewLease(runId: RunId): Promise<boolean>;
  /**
   * A message that was there already stays as it is; a result stands behind its assistant message in call order, whoever adds it;
   * a user message leaves the inbox in the same commit. An ended state gives the lease back. Rejects with `run-leased` when the
   * lease was lost.
   */
  saveRun(snapshot: RunSnapshot): Promise<void>;
  /**
   * `toolStarted` is committed with full synchronisation before the promise resolves, and rejects with `run-leased` when the run is not
   * this window's any more: nothing starts in a run that another window may have taken for dead. What has happened is recorded in any case.
   */
  recordEvent(event: DurableEvent): Promise<void>;
  recordCompaction(conversationId: ConversationId, record: CompactionRecord): Promise<void>;
  /** The first decision about the plan of a call stays; resolves with it. Rejects with `stale-write` when there is no such call. */
  decidePlan(
    conversationId: ConversationId,
    plan: PlanCall & { readonly outcome: PlanOutcome },
  ): Promise<PlanOutcome>;
  /** The ordered inbox of messages that wait for the next turn boundary. */
  enqueue(conversationId: ConversationId, message: Extract<Message, { role: 'user' }>): Promise<void>;
  markInFlight(conversationId: ConversationId, ids: readonly MessageId[], inFlight: boolean): Promise<void>;
  dequeue(conversationId: ConversationId, ids: readonly MessageId[]): Promise<void>;
  updateMetadata(id: ConversationId, metadata: ConversationMetadata): Promise<void>;
  /** Removes this message and everything behind it (edit and resend); for a result, from its assistant message on. */
  truncateFrom(id: ConversationId, message: MessageId): Promise<void>;
  /**
   * Copies the conversation as it stood at this message: messages with their ids, calls, and the compactions made until then. A
   * call and its results are not parted. Runs and inbox stay with the original.
   */
  fork(id: ConversationId, upTo: MessageId, as: NewConversation): Promise<void>;
  /** Rows, index and retained card content go in one transaction. */
  deleteConversation(id: ConversationId): Promise<void>;
  /** Marks unfinished runs whose lease lapsed as `interrupted`; returns them. Other windows' live runs are left alone. */
  interruptLapsedRuns(): Promise<
    readonly {
      readonly runId: RunId;
      readonly conversationId: ConversationId;
      readonly state: EndedRunState;
    }[]
  >;
}
