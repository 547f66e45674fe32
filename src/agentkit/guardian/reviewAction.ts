import type { ApprovalRequest } from '../approval.ts';
import type { JsonObject } from '../json.ts';
import { resultText } from '../output/envelope.ts';
import type { ApprovalSubject } from '../tool.ts';
import { reviewLimits } from './limits.ts';
import { ReviewFailed } from './reviewFailure.ts';

/**
 * The action in question as enveloped data: tool, what the tool is for, where it acts and as whom, the arguments, and what was found
 * locally, at most 2,048 characters each. Everything in the request is redacted already. Arguments are never cut: throws `ReviewFailed`
 * `tooLarge` when they do not fit. Source: agent runtime contract, section 12.
 */
export function actionText(request: ApprovalRequest): string {
  const { descriptor, invocation, subject, reasons } = request;
  const action: JsonObject = {
    tool: invocation.name,
    summary: descriptor.summary,
    target: descriptor.target,
    target_host: targetHost(subject),
    action: subject.action,
    arguments: invocation.arguments,
    details: subject.details.map(({ label, value }) => `${label}: ${value}`),
    local_signals: reasons.map(clip),
  };
  const text = resultText(action, 'envelope');
  if (text.length > reviewLimits.actionCharacters) throw new ReviewFailed('tooLarge');
  return text;
}

function targetHost({ target, targetId, identity, tier }: ApprovalSubject): JsonObject | null {
  return target === '' ? null : { label: target, id: targetId, user: identity, tier };
}

function clip(signal: string): string {
  const { signalCharacters } = reviewLimits;
  return signal.length > signalCharacters ? `${signal.slice(0, signalCharacters - 1)}…` : signal;
}
