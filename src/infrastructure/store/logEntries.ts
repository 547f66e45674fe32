import { z } from 'zod';
import { callId, messageId, runId } from '../../agentkit/index.ts';
import type {
  AnswerStored,
  CallSeen,
  LogEntry,
  PartRange,
  RequestSent,
  ResponseSeen,
  RetryPlanned,
  RunSeen,
} from '../../application/ports/requestLog.ts';
import { callOutcome, endedStates, jsonObject, type Shape, stopReason, usage } from './runRows.ts';

const run = z.string().transform(runId);
const at = z.number();

const request = z.object({
  kind: z.literal('request'),
  requestId: z.string(),
  runId: z.exactOptional(run),
  at,
  model: z.string(),
  purpose: z.string(),
  reasoning: z.exactOptional(z.string()),
  responseSchema: z.exactOptional(z.string()),
} satisfies Shape<RequestSent>);

const response = z.object({
  kind: z.literal('response'),
  requestId: z.string(),
  at,
  outcome: z.enum(['finished', 'failed', 'abandoned']),
  reason: z.exactOptional(z.string()),
  status: z.exactOptional(z.number()),
  detail: z.exactOptional(z.string()),
  firstEventMs: z.exactOptional(z.number()),
  durationMs: z.number(),
  textLength: z.number(),
  reasoningLength: z.number(),
  calls: z.array(z.string()).readonly(),
  webSearches: z.number(),
  usage: z.exactOptional(usage),
} satisfies Shape<ResponseSeen>);

const retry = z.object({
  kind: z.literal('retry'),
  runId: run,
  at,
  attempt: z.number(),
  delayMs: z.number(),
  reason: z.string(),
} satisfies Shape<RetryPlanned>);

const answer = z.object({
  kind: z.literal('answer'),
  runId: run,
  at,
  messageId: z.string().transform(messageId),
  stop: stopReason,
} satisfies Shape<AnswerStored>);

const call = z.object({
  kind: z.literal('call'),
  runId: run,
  at,
  phase: z.enum(['proposed', 'started', 'finished']),
  callId: z.string().transform(callId),
  toolName: z.string(),
  arguments: z.exactOptional(jsonObject),
  outcome: z.exactOptional(callOutcome),
  durationMs: z.exactOptional(z.number()),
  messageId: z.exactOptional(z.string().transform(messageId)),
} satisfies Shape<CallSeen>);

const ofRun = z.object({
  kind: z.literal('run'),
  runId: run,
  at,
  state: z.union([z.literal('started'), endedStates]),
  failure: z.exactOptional(z.string()),
} satisfies Shape<RunSeen>);

export const storedLogEntry: z.ZodType<LogEntry> = z.discriminatedUnion('kind', [
  request,
  response,
  retry,
  answer,
  call,
  ofRun,
]);

export const storedRanges: z.ZodType<readonly PartRange[]> = z
  .array(z.tuple([z.number(), z.number()]).readonly())
  .readonly();

/** Numbers in their order as ranges. */
export function toRanges(numbers: readonly number[]): readonly PartRange[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
