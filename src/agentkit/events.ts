import type { ApprovalRequest, DenialSource, Ground, PermissionMode } from './approval.ts';
import type { ReviewFailureCode } from './guardian/reviewFailure.ts';
import type { RiskLevel, UserAuthorization } from './guardian/verdict.ts';
import type { Grant } from './grants.ts';
import type { CallId, ConversationId, MessageId, RunId } from './ids.ts';
import type { JsonObject } from './json.ts';
import type { AssistantMessage, CallOutcome, ToolMessage, Usage, UserMessage } from './message.ts';
import type { CompactionRecord } from './runStore.ts';
import type { ApprovalSubject, ToolPresentation } from './tool.ts';
import type { AgentTask } from './tools/tasks/agentTask.ts';
import type { UserQuestion } from './tools/userInteraction/userQuestion.ts';

export type { CallOutcome };

/** Derived from what is outstanding, never asserted by the last call to move. High to low precedence. Source: section 6. */
export type LiveRunState =
  | 'waitingForApproval'
  | 'waitingForUser'
  | 'waitingForHost'
  | 'callingTools'
  | 'writing'
  | 'reasoning'
  | 'waitingForFirstToken'
  | 'connecting';
export type EndedRunState = 'completed' | 'failed' | 'cancelled' | 'interrupted';
export type RunState = LiveRunState | EndedRunState;

/** A card as it is known before and after the call ran. */
export interface ProposedCall {
  readonly callId: CallId;
  readonly toolName: string;
  /** Redacted. */
  readonly arguments: JsonObject;
  readonly presentation: ToolPresentation;
  readonly subject?: ApprovalSubject;
}

/** What ended a run as failed, in words for the model and a code for the view. */
export interface RunFailure {
  readonly code: string;
  /** English, one sentence. Views translate by code. */
  readonly message: string;
  readonly facts: Readonly<Record<string, string>>;
}

export type AgentEventBody =
  | { readonly kind: 'runStarted'; readonly prompt: UserMessage }
  | { readonly kind: 'runState'; readonly state: RunState; readonly since: number }
  | { readonly kind: 'runFinished'; readonly state: EndedRunState; readonly failure?: RunFailure }
  | { readonly kind: 'turnStarted'; readonly turn: number }
  | { readonly kind: 'turnFinished'; readonly turn: number }
  | { readonly kind: 'messageStarted'; readonly messageId: MessageId }
  | { readonly kind: 'messageDelta'; readonly messageId: MessageId; readonly text: string }
  | { readonly kind: 'reasoningDelta'; readonly messageId: MessageId; readonly text: string }
  | { readonly kind: 'messageFinished'; readonly message: AssistantMessage }
  | {
      readonly kind: 'modelRetryScheduled';
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | { readonly kind: 'modelRetryRecovered'; readonly attempt: number }
  | { readonly kind: 'steeringDelivered'; readonly message: UserMessage }
  | { readonly kind: 'toolProposed'; readonly call: ProposedCall }
  /** `digest` is that of what was shown; absent where nothing was asked. */
  | {
      readonly kind: 'toolStarted';
      readonly callId: CallId;
      readonly toolName: string;
      readonly ground: Ground;
      readonly mode: PermissionMode;
      readonly digest?: string;
    }
  | { readonly kind: 'toolProgress'; readonly callId: CallId; readonly partial: JsonObject }
  | { readonly kind: 'toolFinished'; readonly message: ToolMessage; readonly outcome: CallOutcome }
  | { readonly kind: 'approvalRequested'; readonly request: ApprovalRequest }
  /**
   * The answer to one question in front of a call or in the middle of one. `digest` is that of the question; absent when the answer
   * was there without one. `further` is what a question in the middle of a call was about, redacted; absent for the call itself. A
   * call that starts says its ground again in `toolStarted`.
   */
  | {
      readonly kind: 'callDecided';
      readonly callId: CallId;
      readonly mode: PermissionMode;
      readonly digest?: string;
      readonly further?: ApprovalSubject;
      readonly answer:
        | { readonly allowed: true; readonly ground: Ground }
        | { readonly allowed: false; readonly by: DenialSource; readonly reason: string };
    }
  /** The person allowed calls of this shape for the conversation. */
  | { readonly kind: 'grantGiven'; readonly callId: CallId; readonly grant: Grant }
  | { readonly kind: 'reviewStarted'; readonly callId: CallId }
  | {
      readonly kind: 'reviewFinished';
      readonly callId: CallId;
      readonly allowed: boolean;
      readonly rationale: string;
      /** Absent for a denial that names none. */
      readonly risk?: RiskLevel;
      readonly authorization: UserAuthorization;
    }
  /** No verdict, which is a denial. `reason` is part of a sentence, in English; views translate by code. */
  | {
      readonly kind: 'reviewFailed';
      readonly callId: CallId;
      readonly code: ReviewFailureCode;
      readonly reason: string;
    }
  | {
      readonly kind: 'userInputRequested';
      readonly callId: CallId;
      readonly questions: readonly UserQuestion[];
    }
  | {
      readonly kind: 'usageUpdated';
      readonly usage: Usage;
      readonly contextTokens: number;
      readonly contextWindow?: number;
    }
  | {
      readonly kind: 'planPresented';
      readonly callId: CallId;
      readonly title: string;
      readonly scratchPath: string;
      readonly plan: string;
    }
  | { readonly kind: 'tasksUpdated'; readonly callId: CallId; readonly tasks: readonly AgentTask[] }
  /** Requests show the record instead of everything up to its boundary from now on. */
  | {
      readonly kind: 'compactionFinished';
      readonly messageId: MessageId;
      readonly record: CompactionRecord;
    }
  | { readonly kind: 'loopNoted'; readonly repeats: number }
  | { readonly kind: 'failed'; readonly failure: RunFailure };

/** `seq` counts from 1 within a run without gaps. */
export interface AgentEvent {
  readonly runId: RunId;
  readonly conversationId?: ConversationId;
  readonly seq: number;
  readonly at: number;
  readonly body: AgentEventBody;
}

/** Written before (toolStarted) or right after it happened, awaited in order. Source: sections 6 and 23. */
export type DurableEvent = AgentEvent & {
  readonly body: Extract<
    AgentEventBody,
    {
      kind:
        | 'toolProposed'
        | 'callDecided'
        | 'toolStarted'
        | 'toolFinished'
        | 'reviewStarted'
        | 'reviewFinished'
        | 'reviewFailed';
    }
  >;
};

export function isDurable(event: AgentEvent): event is DurableEvent {
  switch (event.body.kind) {
    case 'toolProposed':
    case 'callDecided':
    case 'toolStarted':
    case 'toolFinished':
    case 'reviewStarted':
    case 'reviewFinished':
    case 'reviewFailed':
      return true;
    default:
      return false;
  }
}
