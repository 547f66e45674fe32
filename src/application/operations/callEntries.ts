import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  sortedJson,
  toJsonObject,
  withExpiredSecrets,
  type ApprovalSubject,
  type CallId,
  type DurableEvent,
  type ProposedCall,
  type StoredCall,
} from '../../agentkit/index.ts';
import type {
  CallDecidedEntry,
  CallEndedEntry,
  CallEntry,
  CallRefusedEntry,
  CallStartedEntry,
  OperationAction,
  OperationHost,
} from '../ports/operations.ts';

/** Characters of what answered a call or explains a decision; the transcript has all of it. */
const maxWords = 2_000;

/** What is known about a call besides the event. */
export interface CallSurroundings {
  readonly window: string;
  readonly conversation: { readonly id: string; readonly title: string };
  /** As recorded until now: the card as proposed and the last thing about its review, both redacted, and whether it was dispatched. */
  recorded(callId: CallId): {
    readonly proposed: ProposedCall | undefined;
    readonly review: StoredCall['review'];
    readonly isDispatched: boolean;
  };
}

/** What the operations log says of a durable event; undefined for what it does not tell. The event is redacted. */
export function callEntry(event: DurableEvent, around: CallSurroundings): CallEntry | undefined {
  const { body } = event;
  switch (body.kind) {
    case 'toolStarted':
      return startedEntry(event, { body, around });
    case 'toolFinished':
      return around.recorded(body.message.callId).isDispatched
        ? endedEntry(event, { body, around })
        : refusedEntry(event, { body, around });
    case 'callDecided':
      return decidedEntry(event, { body, around });
    default:
      return undefined;
  }
}

/** The end of a call whose end nobody saw. */
export function inferredEnd(
  started: CallStartedEntry,
  now: { readonly at: number; readonly window: string },
): CallEndedEntry {
  const { actor, conversation, runId, callId, tool, host } = started;
  return {
    kind: 'callEnded',
    ...now,
    ...{ actor, conversation, runId, callId, tool },
    ...(host === undefined ? {} : { host }),
    outcome: 'unknown',
    isInferred: true,
  };
}

type Told<K extends DurableEvent['body']['kind']> = {
  readonly body: Extract<DurableEvent['body'], { readonly kind: K }>;
  readonly around: CallSurroundings;
};

function startedEntry(event: DurableEvent, { body, around }: Told<'toolStarted'>): CallStartedEntry {
  const { proposed } = around.recorded(body.callId);
  const { ground, mode, digest } = body;
  return {
    kind: 'callStarted',
    ...callFacts(event, { callId: body.callId, tool: body.toolName, proposed, around }),
    ...(proposed === undefined ? {} : { action: actionOf(proposed) }),
    mode,
    ground: {
      kind: ground.kind,
      ...('id' in ground ? { id: ground.id } : {}),
      ...(digest === undefined ? {} : { asked: digest }),
    },
  };
}

/** What the result of a command says beside its text. */
const commandFacts = z.object({
  status: z.string().optional().catch(undefined),
  exit_code: z.number().nullish().catch(undefined),
  signal: z.string().nullish().catch(undefined),
  output_bytes: z.number().optional().catch(undefined),
});

function endedEntry(event: DurableEvent, { body, around }: Told<'toolFinished'>): CallEndedEntry {
  const { message, outcome } = body;
  const { proposed } = around.recorded(message.callId);
  const facts = commandFacts.safeParse(message.presentation ?? {}).data;
  const { status, exit_code: exitCode, signal, output_bytes: outputBytes } = facts ?? {};
  return {
    kind: 'callEnded',
    ...callFacts(event, { callId: message.callId, tool: message.toolName, proposed, around }),
    outcome,
    ...(message.durationMs === undefined ? {} : { durationMs: message.durationMs }),
    ...(status === undefined ? {} : { status }),
    ...(exitCode === undefined || exitCode === null ? {} : { exitCode }),
    ...(signal === undefined || signal === null ? {} : { signal }),
    ...(outputBytes === undefined ? {} : { outputBytes }),
    isInferred: false,
  };
}

function refusedEntry(event: DurableEvent, { body, around }: Told<'toolFinished'>): CallRefusedEntry {
  const { message, outcome } = body;
  const { proposed } = around.recorded(message.callId);
  return {
    kind: 'callRefused',
    ...callFacts(event, { callId: message.callId, tool: message.toolName, proposed, around }),
    ...(proposed === undefined ? {} : { action: actionOf(proposed) }),
    outcome,
    reason: withExpiredSecrets(message).text.slice(0, maxWords),
  };
}

/**
 * What nobody decided in this moment (a proof, a grant, full access) is the ground that the start of the call names. Of a further step
 * in the middle of the call nothing else tells, so it is always told, with what it was about.
 */
function decidedEntry(
  event: DurableEvent,
  { body, around }: Told<'callDecided'>,
): CallDecidedEntry | undefined {
  const { callId, mode, digest, further, answer } = body;
  const isByRequest = !answer.allowed || answer.ground.kind === 'user' || answer.ground.kind === 'review';
  if (!isByRequest && further === undefined) return undefined;
  const { proposed, review } = around.recorded(callId);
  const tool = proposed?.toolName ?? '';
  const step = further && { toolName: tool, arguments: proposed?.arguments ?? {}, subject: further };
  const ground = answer.allowed ? answer.ground : undefined;
  const isByReview = (answer.allowed ? answer.ground.kind : answer.by) === 'review';
  return {
    kind: 'callDecided',
    ...callFacts(event, { callId, tool, proposed: step ?? proposed, around }),
    ...(step === undefined ? {} : { action: actionOf(step) }),
    mode,
    allowed: answer.allowed,
    by: answer.allowed ? answer.ground.kind : answer.by,
    ...(ground !== undefined && 'id' in ground ? { id: ground.id } : {}),
    ...(digest === undefined ? {} : { asked: digest }),
    ...(answer.allowed || answer.reason === '' ? {} : { words: answer.reason.slice(0, maxWords) }),
    ...(isByReview && review?.kind === 'reviewFinished' ? verdictFacts(review) : {}),
  };
}

function verdictFacts({
  rationale,
  risk,
  authorization,
}: Extract<StoredCall['review'], { readonly kind: 'reviewFinished' }>): Partial<CallDecidedEntry> {
  return {
    ...(rationale === '' ? {} : { words: rationale.slice(0, maxWords) }),
    ...(risk === undefined ? {} : { risk }),
    authorization,
  };
}

function callFacts(
  { at, runId }: DurableEvent,
  call: {
    readonly callId: CallId;
    readonly tool: string;
    readonly proposed: Pick<ProposedCall, 'subject'> | undefined;
    readonly around: CallSurroundings;
  },
): Omit<CallEndedEntry, 'kind' | 'outcome' | 'isInferred'> {
  const { callId, tool, proposed, around } = call;
  const host = proposed?.subject && hostOf(proposed.subject);
  return {
    at,
    window: around.window,
    actor: 'assistant',
    conversation: around.conversation,
    runId,
    callId,
    tool,
    ...(host === undefined ? {} : { host }),
  };
}

/** The machine that a card names; undefined for what stays on this one. */
function hostOf(subject: ApprovalSubject): OperationHost | undefined {
  const { target: label, targetId: id, identity: user, tier, details } = subject;
  if (id === '') return undefined;
  return { id, label, user, tier, address: details.find(isAddress)?.value ?? '' };
}

function isAddress({ label }: { readonly label: string }): boolean {
  return label === 'Address';
}

/** What the host of the row says already. Addresses of a web page are said here only. */
function isHostAddress(
  detail: ApprovalSubject['details'][number],
  subject: ProposedCall['subject'],
): boolean {
  return isAddress(detail) && subject?.targetId !== '';
}

function actionOf({
  toolName,
  subject,
  arguments: args,
}: Pick<ProposedCall, 'toolName' | 'subject' | 'arguments'>): OperationAction {
  const shown = {
    text: subject?.action ?? `${toolName} ${sortedJson(args)}`,
    details: (subject?.details ?? []).filter((detail) => !isHostAddress(detail, subject)),
    arguments: args,
  };
  const digest = createHash('sha256')
    .update(sortedJson(toJsonObject(shown)), 'utf8')
    .digest('hex');
  return { ...shown, digest };
}
