import { isTermindError, type Fault } from '../../domain/fault.ts';
import { ExecRefusedError } from '../exec/execRefused.ts';
import { FileRefusedError } from './fileRefused.ts';
import { PartlyDoneError } from './treeChange.ts';

/**
 * The model's sentence for a failure of ours. Rethrows everything else, and whatever is thrown once `signal` has aborted: the
 * executor words those.
 */
export function sentenceOf(error: unknown, signal: AbortSignal): string {
  if (!signal.aborted && (error instanceof ExecRefusedError || error instanceof FileRefusedError))
    return error.message;
  if (!signal.aborted && isTermindError(error)) return faultSentence(error.message, error.fault);
  if (!signal.aborted && error instanceof PartlyDoneError)
    return `${sentenceOf(error.cause, signal)} ${error.counted}`;
  throw error;
}

function faultSentence(message: string, fault: Fault): string {
  if (fault.outcome !== 'unknown' || fault.code === 'outcome-unknown') return message;
  return `${message} Whether the action happened is unknown; check the state before repeating it.`;
}
