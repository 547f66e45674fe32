import type {
  CallId,
  CallOutcome,
  ConversationId,
  EndedRunState,
  JsonObject,
  MessageId,
  RunId,
  StopReason,
  Usage,
} from '../../agentkit/index.ts';

/** One attempt went out. Its parts are the system text, the tools and the messages, in this order. */
export interface RequestSent {
  readonly kind: 'request';
  readonly requestId: string;
  /** Absent for a request outside a run. */
  readonly runId?: RunId;
  readonly at: number;
  /** `<provider>/<model>`. */
  readonly model: string;
  /** `turn`, `summary`, `title`, … */
  readonly purpose: string;
  readonly reasoning?: string;
  readonly responseSchema?: string;
}

/** How an attempt ended, in figures. What the model wrote is a message of the next request. */
export interface ResponseSeen {
  readonly kind: 'response';
  readonly requestId: string;
  readonly at: number;
  /** `abandoned`: the runtime stopped reading, because a clock fired or the run was stopped. */
  readonly outcome: 'finished' | 'failed' | 'abandoned';
  /** The finish reason, or the code of the failure. */
  readonly reason?: string;
  readonly status?: number;
  /** What the provider said about a failure, redacted. */
  readonly detail?: string;
  readonly firstEventMs?: number;
  readonly durationMs: number;
  readonly textLength: number;
  readonly reasoningLength: number;
  /** Names of the tools that were called. */
  readonly calls: readonly string[];
  readonly webSearches: number;
  readonly usage?: Usage;
}

export interface RetryPlanned {
  readonly kind: 'retry';
  readonly runId: RunId;
  readonly at: number;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly reason: string;
}

/** An answer became a message. */
export interface AnswerStored {
  readonly kind: 'answer';
  readonly runId: RunId;
  readonly at: number;
  readonly messageId: MessageId;
  readonly stop: StopReason;
}

export interface CallSeen {
  readonly kind: 'call';
  readonly runId: RunId;
  readonly at: number;
  readonly phase: 'proposed' | 'started' | 'finished';
  readonly callId: CallId;
  readonly toolName: string;
  /** Redacted; only where they are not what the model wrote. */
  readonly arguments?: JsonObject;
  readonly outcome?: CallOutcome;
  readonly durationMs?: number;
  /** The result. */
  readonly messageId?: MessageId;
}

/** A run began or ended. The parts of its end are messages that no request carries yet. */
export interface RunSeen {
  readonly kind: 'run';
  readonly runId: RunId;
  readonly at: number;
  readonly state: 'started' | EndedRunState;
  /** Code of the failure. */
  readonly failure?: string;
}

export type LogEntry = RequestSent | ResponseSeen | RetryPlanned | AnswerStored | CallSeen | RunSeen;

/** One body, as it was sent: redacted JSON with sorted keys. */
export interface LogPart {
  /** The id of the message, or `system` or `tools`. */
  readonly itemId: string;
  /** SHA-256 of the body, in hex. */
  readonly hash: string;
  readonly body: string;
}

/** Numbers from `from` to `to`, both included. */
export type PartRange = readonly [from: number, to: number];

export interface StoredLogEntry {
  readonly entry: LogEntry;
  /** In the order of the request. A number without a stored part was removed: the oldest go first. */
  readonly parts: readonly PartRange[];
}

/**
 * What was sent to providers in a conversation and what came back. Each body is stored once and numbered in the order of its first
 * use; entries name numbers. At most 64 MiB a conversation, the oldest go first; all of it goes with the conversation, and what a
 * cut removes goes from here too. Everything handed in is redacted. Rejects as `RunStorePort` does.
 * Source: vscode.md section 10; decisions 16.
 */
export interface RequestLogPort {
  /** Stores bodies that are not there yet; resolves with the number of each, in order. At most 64 parts and about 1 MiB at once. */
  keep(id: ConversationId, parts: readonly LogPart[]): Promise<readonly number[]>;
  /** Adds an entry at the end. False, and nothing is added, when one of the parts is not there any more. */
  add(id: ConversationId, entry: LogEntry, parts: readonly number[]): Promise<boolean>;
  /** Oldest first. Entries that cannot be read are left out. */
  entries(id: ConversationId): AsyncIterable<StoredLogEntry>;
  /** Stored parts within a range, in order. */
  parts(
    id: ConversationId,
    range: PartRange,
  ): AsyncIterable<Omit<LogPart, 'itemId'> & { readonly number: number }>;
}
