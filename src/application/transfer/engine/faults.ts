import { isTermindError, type Fault, type FaultCode, type TermindError } from '../../../domain/fault.ts';
import { fileError, fileFault } from '../../../domain/files/fileFault.ts';
import { showUntrusted } from '../../../domain/ssh/untrustedText.ts';

export function hasCode(error: unknown, ...codes: readonly FaultCode[]): boolean {
  return isTermindError(error) && codes.includes(error.fault.code);
}

/** The fault of whatever was thrown; `cancelled` after an abort. */
export function faultOf(error: unknown, signal: AbortSignal): Fault {
  if (isTermindError(error)) return error.fault;
  if (signal.aborted) return fileFault('cancelled');
  const text = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal',
    stage: 'local',
    facts: { reason: showUntrusted(text) },
    retry: 'user',
    outcome: 'failed',
  };
}

/** The part has less in it than was written to it. */
export function tooShort(): TermindError {
  return fileError('file-failed', {
    path: '',
    operation: 'write',
    text: 'not all that was written is there',
  });
}
