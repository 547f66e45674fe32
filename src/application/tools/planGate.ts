import type { PlanGate } from '../../agentkit/index.ts';
import { provenFact } from './sshExecRun.ts';

/**
 * What Termind refuses while planning, in words that help. A command that is proven read-only goes on to the gate.
 * Source: agent runtime contract, section 15; seed 1, "TermindAgentPolicy".
 */
export const termindPlanGate: PlanGate = {
  hostDecision: ({ descriptor }, { preflightFacts }) =>
    descriptor.name !== 'ssh_exec_run' || preflightFacts.get(provenFact) === true
      ? undefined
      : 'While planning, only commands that are proven read-only run, and this one is not. Put it into the plan, with what it changes, how it is checked and how it is undone.',
};
