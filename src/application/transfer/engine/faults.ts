import {
  isFaultCode,
  isTermindError,
  type Fault,
  type FaultCode,
  type TermindError,
} from '../../../domain/fault.ts';
import { fileError, fileFault } from '../../../domain/files/fileFault.ts';
import { faultError } from '../../../domain/ssh/connectionFault.ts';
import { showUntrusted } from '../../../domain/ssh/untrustedText.ts';

export function hasCode(error: unknown, ...codes: readonly FaultCode[]): boolean {
  return isTermindError(error) && codes.includes(error.fault.code);
}

/** For `catch`: these faults are nothing, everything else is thrown on. */
export function ignoring(...codes: readonly FaultCode[]) {
  return (error: unknown): undefined => {
    if (!hasCode(error, ...codes)) throw error;
  };
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

/**
 * What is said of a fault as long as the target is as it was: only the part, which is verified before it is used, may be either way, so
 * `outcome-unknown` becomes what ended the connection.
 */
export function beforeReplacing(error: unknown): unknown {
  if (!isTermindError(error) || error.fault.code !== 'outcome-unknown') return error;
  const { cause, ...facts } = error.fault.facts;
  const code = isFaultCode(cause) ? cause : 'link-lost';
  return faultError({ ...error.fault, code, facts, retry: 'backoff', outcome: 'failed' }, error);
}

/** The part has less in it than was written to it. */
export function tooShort(): TermindError {
  return fileError('file-failed', {
    path: '',
    operation: 'write',
    text: 'not all that was written is there',
  });
}
