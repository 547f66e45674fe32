import { createHash, randomUUID } from 'node:crypto';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** One stored chat. Lower-case UUID. */
export type ConversationId = Branded<'ConversationId'>;
/** One answer to one prompt. Lower-case UUID. */
export type RunId = Branded<'RunId'>;
/** One transcript row. Lower-case UUID. */
export type MessageId = Branded<'MessageId'>;
/** One tool invocation, as the provider names it (any non-empty text, unique within a run). */
export type CallId = Branded<'CallId'>;
/** One decision asked of a person or a review. Lower-case UUID. */
export type ApprovalId = Branded<'ApprovalId'>;

export const conversationId = (text: string): ConversationId => text as ConversationId;
export const runId = (text: string): RunId => text as RunId;
export const messageId = (text: string): MessageId => text as MessageId;
export const callId = (text: string): CallId => text as CallId;
export const approvalId = (text: string): ApprovalId => text as ApprovalId;

export const newConversationId = (): ConversationId => conversationId(randomUUID());
export const newRunId = (): RunId => runId(randomUUID());
export const newMessageId = (): MessageId => messageId(randomUUID());
export const newApprovalId = (): ApprovalId => approvalId(randomUUID());

/**
 * The id of the transcript row that answers a call: the first 16 bytes of
 * SHA-256(`tool-result:` + run id + `:` + call id), written as a UUID. Runtime, views and recovery agree on it.
 * Source: agent runtime contract, section 23.
 */
export function toolResultMessageId(run: RunId, call: CallId): MessageId {
  return messageId(uuidFromDigest(`tool-result:${run}:${call}`));
}

/** The first 16 bytes of SHA-256(`seed`) in UUID notation. Deterministic; not a version-4 UUID. */
export function uuidFromDigest(seed: string): string {
  const hex = createHash('sha256').update(seed, 'utf8').digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
