import type { Fault, FaultCode } from '../fault.ts';

/** The one thing that a view can do about a fault. Where there is none, the sentence says what a person can do. Source: ssh.md 1.4. */
export type FaultFix =
  | { readonly k: 'reconnect' }
  /** Address, port, proxy or identity of the record. */
  | { readonly k: 'editHost' }
  /** What the proxy program or the network proxy has said; it is in the trace. */
  | { readonly k: 'showTrace' }
  /** Exactly these algorithms, for this host. */
  | { readonly k: 'allowLegacy'; readonly algorithms: readonly string[] }
  | { readonly k: 'reviewHostKey' }
  /** The place in a configuration file, `path:line`. */
  | { readonly k: 'openLine'; readonly at: string }
  | { readonly k: 'useSystemSsh' };

const reconnect: FaultFix = { k: 'reconnect' };
const editHost: FaultFix = { k: 'editHost' };
const reviewHostKey: FaultFix = { k: 'reviewHostKey' };

const fixes: Partial<Record<FaultCode, FaultFix | ((fault: Fault) => FaultFix | undefined)>> = {
  'name-not-found': editHost,
  unreachable: reconnect,
  refused: editHost,
  'connect-timeout': reconnect,
  'proxy-failed': { k: 'showTrace' },
  'not-identified': reconnect,
  'not-ssh': editHost,
  'no-common-algorithm': legacyFix,
  'key-unknown': reconnect,
  'key-changed': reviewHostKey,
  'key-revoked': reviewHostKey,
  'cert-refused': reviewHostKey,
  'auth-failed': editHost,
  'auth-budget': editHost,
  'auth-cancelled': reconnect,
  'auth-expired': reconnect,
  'password-change-failed': reconnect,
  'key-unreadable': editHost,
  'agent-missing': editHost,
  'agent-refused': reconnect,
  'answer-needed': reconnect,
  'config-error': lineFix,
  'config-consent': consentFix,
  'not-responding': reconnect,
  'link-lost': reconnect,
  'server-closed': reconnect,
  'needs-system-ssh': { k: 'useSystemSsh' },
};

/** The fix of a fault, or undefined where only the sentence helps. */
export function fixOf(fault: Fault): FaultFix | undefined {
  const fix = fixes[fault.code];
  return typeof fix === 'function' ? fix(fault) : fix;
}

/** Without a legacy algorithm that would be enough, only the server can be changed. */
function legacyFix({ facts }: Fault): FaultFix | undefined {
  const algorithms = (facts['legacy'] ?? '').split(/[\s,]+/).filter((name) => name !== '');
  return algorithms.length === 0 ? undefined : { k: 'allowLegacy', algorithms };
}

/** Connecting again asks; in a folder that is not trusted only the person's trust in it helps. */
function consentFix({ facts }: Fault): FaultFix | undefined {
  return facts['program'] === undefined ? reconnect : undefined;
}

function lineFix({ facts }: Fault): FaultFix {
  const { at } = facts;
  return at === undefined ? editHost : { k: 'openLine', at };
}
