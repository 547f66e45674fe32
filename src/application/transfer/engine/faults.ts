import { isFaultCode, isTermindError, type TermindError } from '../../../domain/fault.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { faultError } from '../../../domain/ssh/connectionFault.ts';

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
