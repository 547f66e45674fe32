import { z } from 'zod';
import {
  type ApprovalSubject,
  type AssistantMessage,
  callId,
  conversationId,
  type DurableEvent,
  type EndedRunState,
  type Json,
  type JsonObject,
  type Message,
  messageId,
  type NativeSearch,
  type ProposedCall,
  type ProviderItem,
  reviewFailureCodes,
  riskLevels,
  type RunFailure,
  runId,
  type RunState,
  type ToolCall,
  type ToolMessage,
  type ToolPresentation,
  type Usage,
  userAuthorizations,
  type UserMessage,
} from '../../agentkit/index.ts';

/** Every field has its check: a field that is added to a type and not here does not compile. */
export type Shape<T> = { readonly [K in keyof T]-?: z.ZodType };

/** Text of a JSON column is JSON already; only its shape needs a look. */
const json = z.custom<Json>((value) => value !== undefined);
export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const facts = z.record(z.string(), z.string()).readonly();
export const callOutcome = z.enum(['succeeded', 'failed', 'denied', 'cancelled', 'unknown']);
export const stopReason = z.enum(['completed', 'toolCalls', 'length', 'cancelled', 'error']);
export const usage = z.object({
  inputTokens: z.exactOptional(z.number()),
  outputTokens: z.exactOptional(z.number()),
  cachedInputTokens: z.exactOptional(z.number()),
  cacheWriteTokens: z.exactOptional(z.number()),
  estimated: z.exactOptional(z.boolean()),
} satisfies Shape<Usage>);
const message = {
  id: z.string().transform(messageId),
  runId: z.string().transform(runId),
  createdAt: z.number(),
};

const storedUser = z.object({
  role: z.literal('user'),
  ...message,
  text: z.string(),
  images: z.array(z.object({ mediaType: z.string(), base64: z.string() })).readonly(),
  origin: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('person'), gesture: z.exactOptional(z.literal('implementPlan')) }),
    z.object({
      kind: z.literal('chat'),
      conversationId: z.string().transform(conversationId),
      title: z.string(),
    }),
    z.object({ kind: z.literal('runtime') }),
  ]),
  context: facts,
} satisfies Shape<UserMessage>);

const storedAssistant = z.object({
  role: z.literal('assistant'),
  ...message,
  text: z.string(),
  reasoning: z.string(),
  reasoningMs: z.exactOptional(z.number()),
  calls: z
    .array(
      z.object({
        id: z.string().transform(callId),
        name: z.string(),
        argumentsText: z.string(),
      } satisfies Shape<ToolCall>),
    )
    .readonly(),
  providerItems: z.array(z.object({ tag: z.string(), item: json } satisfies Shape<ProviderItem>)).readonly(),
  searches: z.exactOptional(
    z.array(z.object({ query: z.string(), detail: json } satisfies Shape<NativeSearch>)).readonly(),
  ),
  stop: stopReason,
  usage: z.exactOptional(usage),
} satisfies Shape<AssistantMessage>);

const storedTool = z.object({
  role: z.literal('tool'),
  ...message,
  callId: z.string().transform(callId),
  toolName: z.string(),
  text: z.string(),
  isError: z.boolean(),
  outcome: z.exactOptional(callOutcome),
  durationMs: z.exactOptional(z.number()),
  presentation: z.exactOptional(jsonObject),
} satisfies Shape<ToolMessage>);

export const storedToolMessage: z.ZodType<ToolMessage> = storedTool;
export const storedUserMessage: z.ZodType<UserMessage> = storedUser;
export const storedMessage: z.ZodType<Message> = z.discriminatedUnion('role', [
  storedUser,
  storedAssistant,
  storedTool,
]);

export const storedFailure: z.ZodType<RunFailure> = z.object({
  code: z.string(),
  message: z.string(),
  facts,
} satisfies Shape<RunFailure>);

export const storedProposal: z.ZodType<ProposedCall> = z.object({
  callId: z.string().transform(callId),
  toolName: z.string(),
  arguments: jsonObject,
  presentation: z.object({
    symbol: z.string(),
    activity: z.string(),
    presenterId: z.exactOptional(z.string()),
    actionKind: z.string(),
    groupsWithAdjacent: z.boolean(),
  } satisfies Shape<ToolPresentation>),
  subject: z.exactOptional(
    z.object({
      action: z.string(),
      target: z.string(),
      targetId: z.string(),
      identity: z.string(),
      tier: z.string(),
      details: z.array(z.object({ label: z.string(), value: z.string() })).readonly(),
    } satisfies Shape<ApprovalSubject>),
  ),
} satisfies Shape<ProposedCall>);

export type ReviewEvent = Extract<
  DurableEvent['body'],
  { kind: 'reviewStarted' | 'reviewFinished' | 'reviewFailed' }
>;

export const storedReview: z.ZodType<ReviewEvent> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('reviewStarted'), callId: z.string().transform(callId) }),
  z.object({
    kind: z.literal('reviewFinished'),
    callId: z.string().transform(callId),
    allowed: z.boolean(),
    rationale: z.string(),
    risk: z.exactOptional(z.enum(riskLevels)),
    authorization: z.enum(userAuthorizations).default('unknown'),
  }),
  z.object({
    kind: z.literal('reviewFailed'),
    callId: z.string().transform(callId),
    code: z.enum(reviewFailureCodes).default('internal'),
    reason: z.string(),
  }),
]);

export const endedStates: z.ZodType<EndedRunState> = z.enum([
  'completed',
  'failed',
  'cancelled',
  'interrupted',
]);

export const runStates: z.ZodType<RunState> = z.enum([
  'waitingForApproval',
  'waitingForUser',
  'waitingForHost',
  'callingTools',
  'writing',
  'reasoning',
  'waitingForFirstToken',
  'connecting',
  'completed',
  'failed',
  'cancelled',
  'interrupted',
]);

export function isEnded(state: RunState): state is EndedRunState {
  return state === 'completed' || state === 'failed' || state === 'cancelled' || state === 'interrupted';
}
