import type { Fault } from '../../domain/fault.ts';
import type { StepOutcome } from './folderSync.ts';

/** How a step ended that ended with this fault. */
export function outcomeOf(fault: Fault): StepOutcome {
  if (fault.outcome === 'unknown' || fault.code === 'outcome-unknown') return { k: 'unknown', fault };
  if (fault.code === 'cancelled') return { k: 'notRun' };
  return { k: fault.code === 'conflict' ? 'conflict' : 'failed', fault };
}

export const doneStep: StepOutcome = { k: 'done', warnings: [], changedMeanwhile: false };
