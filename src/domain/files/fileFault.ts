import { isTermindError, TermindError, type Fault, type FileFaultCode } from '../fault.ts';
import { showUntrusted } from '../ssh/untrustedText.ts';

/** A fault of a file or of the service that reaches it. The facts hold text that is fit to be shown. */
export function fileFault(
  code: FileFaultCode,
  facts: Readonly<Record<string, string>> = {},
  outcome: Fault['outcome'] = 'failed',
): Fault {
  return { code, stage: 'sftp', facts, retry: 'user', outcome };
}

/** The error of `fileFault`. */
export function fileError(
  code: FileFaultCode,
  facts: Readonly<Record<string, string>> = {},
  options: { readonly outcome?: Fault['outcome']; readonly cause?: unknown } = {},
): TermindError {
  return new TermindError(fileFault(code, facts, options.outcome ?? 'failed'), options.cause);
}

/** The fault of whatever was thrown by work on files, which may have sent something; `cancelled` after an abort. */
export function fileFaultOf(error: unknown, signal: AbortSignal): Fault {
  if (isTermindError(error)) return error.fault;
  if (signal.aborted) return fileFault('cancelled');
  const reason = showUntrusted(error instanceof Error ? error.message : String(error));
  return { code: 'internal', stage: 'local', facts: { reason }, retry: 'user', outcome: 'failed' };
}
