import { TermindError, type Fault, type FaultCode, type FaultStage } from '../fault.ts';

/** Faults of a connection and whether time alone can heal them. Source: ssh.md 1.4. */
const retryOf = {
  'name-not-found': 'backoff',
  unreachable: 'backoff',
  refused: 'backoff',
  'connect-timeout': 'backoff',
  'proxy-failed': 'backoff',
  'not-identified': 'backoff',
  'not-ssh': 'never',
  'no-common-algorithm': 'user',
  'key-unknown': 'user',
  'key-changed': 'user',
  'key-revoked': 'user',
  'cert-refused': 'user',
  'auth-failed': 'user',
  'auth-budget': 'user',
  'auth-cancelled': 'user',
  'auth-expired': 'user',
  'password-change-failed': 'user',
  'key-unreadable': 'user',
  'agent-missing': 'user',
  'agent-refused': 'user',
  'user-cert-unusable': 'user',
  'answer-needed': 'user',
  'config-error': 'user',
  'config-consent': 'user',
  'channel-limit': 'user',
  'forward-refused': 'user',
  'sftp-missing': 'user',
  'port-in-use': 'user',
  'limited-host': 'user',
  'not-responding': 'backoff',
  'link-lost': 'backoff',
  'server-closed': 'backoff',
  'needs-system-ssh': 'user',
  'outcome-unknown': 'never',
  cancelled: 'user',
  internal: 'user',
} as const satisfies Partial<Record<FaultCode, Fault['retry']>>;

export type ConnectionFaultCode = keyof typeof retryOf;

/** A fault of a connection or one of its channels. Before anything was asked of the server the outcome is `not-sent`. */
export function connectionFault(
  code: ConnectionFaultCode,
  place: { readonly stage: FaultStage; readonly hop: string; readonly outcome?: Fault['outcome'] },
  facts: Readonly<Record<string, string>> = {},
): Fault {
  return {
    code,
    stage: place.stage,
    hop: place.hop,
    facts,
    retry: retryOf[code],
    outcome: place.outcome ?? 'not-sent',
  };
}

/** The fault that follows from another: a request was on its way when the connection ended. */
export function outcomeUnknown(cause: Fault): Fault {
  return {
    ...cause,
    code: 'outcome-unknown',
    facts: { ...cause.facts, cause: cause.code },
    retry: 'never',
    outcome: 'unknown',
  };
}

/** The error for a fault. */
export function faultError(fault: Fault, cause?: unknown): TermindError {
  return new TermindError(fault, cause);
}
