import { TermindError, type Fault, type FaultCode } from '../fault.ts';

/** What can go wrong with files. Source: ssh.md 1.4 and 8. */
export type FileFaultCode = Extract<
  FaultCode,
  | 'sftp-missing'
  | 'sftp-noise'
  | 'sftp-broken'
  | 'sftp-ended'
  | 'stalled'
  | 'not-found'
  | 'denied'
  | 'exists'
  | 'no-space'
  | 'quota'
  | 'busy'
  | 'read-only'
  | 'bad-name'
  | 'not-directory'
  | 'is-directory'
  | 'not-empty'
  | 'link-loop'
  | 'other-filesystem'
  | 'unsupported'
  | 'file-failed'
  | 'conflict'
  | 'changed-during-transfer'
  | 'too-many-entries'
  | 'sudo-refused'
  | 'cancelled'
>;

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
