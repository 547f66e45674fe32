import type { LoopHook } from './hooks.ts';
import type { JsonObject } from './json.ts';
import type { ContextSnapshot } from './message.ts';
import type { ToolContext, ToolDescriptor } from './tool.ts';

/** What the editor side adds to the rule that nothing is changed while planning. It can only refuse. Source: section 15. */
export interface PlanGate {
  /** Names of tools that stay closed while planning although the class of their calls would let them run. */
  readonly blocked?: readonly string[];
  /** A sentence refuses the call; undefined lets it go on to the class of the call, where only what changes nothing runs. */
  hostDecision?(
    call: { readonly descriptor: ToolDescriptor; readonly arguments: JsonObject },
    context: ToolContext,
  ): string | undefined;
}

/** The context field that is there while planning; its text is the contract. The editor side says what its end means. */
export const planModeField = 'plan_mode';

/** The varying facts of one message with the posture of its run. */
export function withPlanMode(
  fields: ContextSnapshot,
  plan: { readonly isPlanning: boolean; readonly contract: string },
): ContextSnapshot {
  return plan.isPlanning ? { ...fields, [planModeField]: plan.contract } : fields;
}

/** The gate in front of every call of a planning run: list, editor side, and behind them the class, which authorization looks at. */
export function planModeHook(gate: PlanGate): LoopHook {
  return {
    async willExecute(call, context) {
      const { name } = call.descriptor;
      if (gate.blocked?.includes(name) === true)
        return { kind: 'block', sentence: `The tool ${name} is not available while planning.` };
      const sentence = gate.hostDecision?.(call, context);
      return sentence === undefined ? { kind: 'continue' } : { kind: 'block', sentence };
    },
  };
}
