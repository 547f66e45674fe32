import type { ActionInQuestion } from './authorization.ts';
import { sortedJson, type JsonObject } from './json.ts';
import type { CallOutcome, ToolCall, ToolMessage } from './message.ts';
import type { ApprovalSubject, Concurrency, Preflight, Tool } from './tool.ts';

/** The fixed sentences that answer a call which did not run to its end. Source: agent runtime contract, sections 3.2, 3.4 and 7. */
export const callTexts = {
  cancelled: 'Cancelled before it ran.',
  stopped:
    'Waiting was stopped. Whether the action completed is unknown; check the state before repeating it.',
  unknown: 'The outcome of this call is unknown. It may have completed. Check before repeating it.',
  cutOff: 'This call was not run because the reply was cut off by the output limit.',
  tooMany: 'This call was not run because the reply held more than 128 calls. Make fewer calls at a time.',
} as const;

/** More calls in one reply than this are answered with an error, all of them. Source: section 3.2. */
export const maxCallsPerTurn = 128;

/** A call after executor steps 1 to 5: ready for the gate, or already answered. */
export type PlannedCall = ReadyCall | RejectedCall;

export interface ReadyCall {
  readonly kind: 'ready';
  readonly call: ToolCall;
  readonly tool: Tool;
  /** As reviewed by preflight: shown, digested and executed. */
  readonly arguments: JsonObject;
  /** As checked, in front of preflight. */
  readonly written: JsonObject;
  readonly concurrency: Concurrency;
  readonly action: ActionInQuestion;
  readonly facts: ReadonlyMap<string, unknown>;
}

export interface RejectedCall {
  readonly kind: 'rejected';
  readonly call: ToolCall;
  /** A call that does nothing never holds others back. */
  readonly concurrency: 'parallel';
  readonly sentence: string;
  readonly outcome: CallOutcome;
}

/** The one answer of one call. */
export interface AnsweredCall {
  readonly call: ToolCall;
  readonly message: ToolMessage;
  readonly outcome: CallOutcome;
  /** From dispatch to result; 0 when it was not dispatched. */
  readonly ranMs: number;
}

export function rejectedCall(
  call: ToolCall,
  sentence: string,
  outcome: CallOutcome = 'failed',
): RejectedCall {
  return { kind: 'rejected', call, concurrency: 'parallel', sentence, outcome };
}

/** What the descriptor declares, with what preflight found out about this one call. */
export function readyCall(
  checked: Pick<ReadyCall, 'call' | 'tool' | 'arguments'>,
  preflight: Preflight,
): ReadyCall {
  const { call, tool } = checked;
  const { descriptor } = tool;
  const reviewed = preflight.reviewedArguments ?? checked.arguments;
  return {
    kind: 'ready',
    call,
    tool,
    arguments: reviewed,
    written: checked.arguments,
    concurrency: preflight.concurrency ?? descriptor.concurrency,
    facts: preflight.facts ?? new Map(),
    action: {
      callId: call.id,
      descriptor,
      safety: preflight.safety ?? descriptor.safety,
      alwaysAskUser: preflight.alwaysAskUser ?? descriptor.alwaysAskUser ?? false,
      arguments: reviewed,
      subject: preflight.subject ?? localSubject(`${descriptor.name} ${sortedJson(reviewed)}`),
      reasons: preflight.reasons ?? [],
      ...(preflight.grantable && { grantable: preflight.grantable }),
      ...(preflight.content && { content: preflight.content }),
    },
  };
}

function localSubject(action: string): ApprovalSubject {
  return { action, target: '', targetId: '', identity: '', tier: '', details: [] };
}
