import { presentedPlan, presentPlanTool, type PresentedPlan } from '../../../agentkit/index.ts';
import type { PlanRow } from '../../../webview/assistant/protocol.ts';
import type { CallFacts } from './callFacts.ts';

/** This much of a plan comes with its row; the rest is asked for. UTF-16 units. */
const planShown = 8 * 1024;

/** The plan that a call handed over, whole; undefined when it is no such call or handed nothing over. */
export function planOf(call: CallFacts): PresentedPlan | undefined {
  if (call.toolName !== presentPlanTool || call.result === undefined || call.result.isError) return undefined;
  const parsed = presentedPlan.safeParse(call.result.presentation);
  return parsed.success ? parsed.data : undefined;
}

export function presentPlan(call: CallFacts): PlanRow | undefined {
  const plan = planOf(call);
  if (plan === undefined) return undefined;
  return {
    kind: 'plan',
    id: call.rowId,
    title: plan.title,
    markdown: plan.plan.slice(0, planShown),
    hasMore: plan.plan.length > planShown,
    state: call.planState ?? 'pending',
    scratchPath: plan.scratchPath,
  };
}
