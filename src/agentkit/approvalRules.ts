import type { ActionInQuestion } from './authorization.ts';
import type { JsonObject } from './json.ts';
import type { ApprovalSubject, ToolDescriptor } from './tool.ts';

/** A call as rules of the person look at it. */
export interface RuledCall {
  readonly descriptor: ToolDescriptor;
  /** As they will be executed. */
  readonly arguments: JsonObject;
  readonly subject: ApprovalSubject;
}

/**
 * `reason` is an English sentence for card and model. `orElse`: a rule that refuses may be meant, so the call is refused where nobody is
 * asked.
 */
export interface RuleVerdict {
  readonly effect: 'ask' | 'deny';
  readonly orElse?: 'deny';
  readonly reason: string;
}

/** Rules of the person can only tighten: undefined leaves a call as it is. Source: agent runtime contract, section 11. */
export interface ApprovalRules {
  judge(call: RuledCall): RuleVerdict | undefined;
}

/** What the rules say about an action; undefined when nothing, or there are none. */
export function judged(
  { descriptor, arguments: args, subject }: ActionInQuestion,
  rules: ApprovalRules | undefined,
): RuleVerdict | undefined {
  return rules?.judge({ descriptor, arguments: args, subject });
}

/**
 * The action with what the rules ask for: `ask` puts the call to the user, whatever was proven; `deny` is left to the gate, which asks
 * again. Never asks less than before.
 */
export function tightened(action: ActionInQuestion, verdict: RuleVerdict | undefined): ActionInQuestion {
  if (verdict?.effect !== 'ask' || action.safety === 'deny') return action;
  const reasons = action.reasons.includes(verdict.reason)
    ? action.reasons
    : [...action.reasons, verdict.reason];
  return { ...action, safety: 'requiresAuthorization', alwaysAskUser: true, reasons };
}
