import { certReasonText } from './trust/certReasonText.ts';

/** What can go wrong with files. Source: ssh.md 1.4 and 8. */
export type FileFaultCode =
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
  | 'outside-folder'
  | 'other-filesystem'
  | 'unsupported'
  | 'file-failed'
  | 'conflict'
  | 'changed-during-transfer'
  | 'content-differs'
  | 'nested-folders'
  | 'no-trash'
  | 'too-many-entries'
  | 'too-large'
  | 'sudo-refused'
  | 'cancelled';

/** Everything that can go wrong with a host, a file or the store, by code. Source: ssh.md 1.4; decisions 10. */
export type FaultCode =
  | 'name-not-found'
  | 'unreachable'
  | 'refused'
  | 'connect-timeout'
  | 'proxy-failed'
  | 'not-identified'
  | 'not-ssh'
  | 'no-common-algorithm'
  | 'key-unknown'
  | 'key-changed'
  | 'key-revoked'
  | 'cert-refused'
  | 'auth-failed'
  | 'auth-budget'
  | 'auth-cancelled'
  | 'auth-expired'
  | 'password-change-failed'
  | 'key-unreadable'
  | 'agent-missing'
  | 'agent-refused'
  | 'config-error'
  | 'config-consent'
  | 'user-cert-unusable'
  | 'answer-needed'
  | 'channel-limit'
  | 'forward-refused'
  | FileFaultCode
  | 'port-in-use'
  | 'listen-failed'
  | 'not-responding'
  | 'link-lost'
  | 'server-closed'
  | 'needs-system-ssh'
  | 'no-keyring'
  | 'outcome-unknown'
  | 'cancelled'
  | 'limited-host'
  | 'unknown-host'
  | 'host-moved'
  | 'store-busy'
  | 'store-read-only'
  | 'store-newer'
  | 'store-damaged'
  | 'store-missing'
  | 'run-leased'
  | 'transfers-full'
  | 'transfer-elsewhere'
  | 'stale-write'
  | 'model-missing'
  | 'internal';

export type FaultStage =
  'resolve' | 'route' | 'transport' | 'kex' | 'trust' | 'auth' | 'channel' | 'sftp' | 'link' | 'local';

/**
 * One attempt yields one fault: the first cause, with facts for the sentence. The sentences live in two tables: the model's here,
 * the person's where it is shown. `outcome` says what may have happened on the other side.
 */
export interface Fault {
  readonly code: FaultCode;
  readonly stage: FaultStage;
  /** `deploy@db1 (hop 2 of 2)`; absent for local faults. */
  readonly hop?: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly retry: 'never' | 'backoff' | 'user';
  readonly outcome: 'not-sent' | 'failed' | 'unknown';
}

type Facts = Readonly<Record<string, string>>;
const fact = (facts: Facts, name: string): string => facts[name] ?? '';

/** Behind a jump host it is that machine which looks for the address. */
const seenFrom = (facts: Facts): string =>
  facts['from'] === undefined ? '' : `, seen from ${facts['from']}`;

/** The model's sentence: English, one line, cause and next step. */
export const faultModelText: Record<FaultCode, (facts: Facts) => string> = {
  'name-not-found': (f) =>
    `The address ${fact(f, 'address')} does not resolve${seenFrom(f)}. Ask the user to check the address or the VPN.`,
  unreachable: (f) =>
    `There is no route to ${fact(f, 'address')}${seenFrom(f)}. Ask the user to check the network or the VPN.`,
  refused: (f) => `Nothing listens on ${fact(f, 'address')} port ${fact(f, 'port')}${seenFrom(f)}.`,
  'connect-timeout': (f) =>
    `${fact(f, 'address')} port ${fact(f, 'port')} did not answer in time${seenFrom(f)}.`,
  'proxy-failed': (f) => `The proxy ended: "${fact(f, 'text')}".`,
  'not-identified': (f) => `${fact(f, 'address')} closed or stayed silent before identifying itself as SSH.`,
  'not-ssh': (f) =>
    `${fact(f, 'address')} port ${fact(f, 'port')} is not an SSH server; its first bytes are "${fact(f, 'text')}".`,
  'no-common-algorithm': (f) =>
    `There is no common ${fact(f, 'category')} algorithm with the server` +
    (f['theirs'] === undefined ? '.' : ` (it offers ${fact(f, 'theirs')}).`) +
    (f['legacy'] === undefined ? '' : ` The user can allow ${fact(f, 'legacy')} for this host; you cannot.`),
  'key-unknown': () => 'The host key is not known and was not accepted by the user.',
  'key-changed': () =>
    'The host key has changed. The user must review it in the host editor; you cannot resolve this.',
  'key-revoked': () => 'The host key is revoked.',
  'cert-refused': (f) => `The host certificate was refused: ${certReasonText(fact(f, 'reason'))}.`,
  'auth-failed': (f) => `The server refused every identity that was tried (${fact(f, 'tried')}).`,
  'auth-budget': (f) =>
    `Authentication stopped before the server's attempt limit (${fact(f, 'tried')}; left out: ${fact(f, 'leftOut')}).`,
  'auth-cancelled': () => 'The user cancelled the sign-in.',
  'auth-expired': () => 'The password has expired and was not changed.',
  'password-change-failed': (f) => `The server did not take the new password: "${fact(f, 'reason')}".`,
  'key-unreadable': (f) => `The key file ${fact(f, 'path')} cannot be read: ${fact(f, 'reason')}.`,
  'agent-missing': (f) => `No SSH agent answers (${fact(f, 'endpoint')}).`,
  'agent-refused': (f) => `The SSH agent ${fact(f, 'endpoint')} did not sign: ${fact(f, 'reason')}.`,
  'user-cert-unusable': (f) => `The certificate ${fact(f, 'path')} was not offered: ${fact(f, 'reason')}.`,
  'config-error': (f) => `The SSH configuration is not usable: ${fact(f, 'reason')}.`,
  'config-consent': (f) =>
    `The SSH configuration ${fact(f, 'path')} runs programs, which the user has not allowed.`,
  'answer-needed': () =>
    'Connecting again needs an answer from the user, who has to reconnect this host by hand.',
  'channel-limit': (f) =>
    fact(f, 'used') === '0'
      ? 'The server allows no further session on this connection. The user has to disconnect the host; a new connection may have one.'
      : `The server allows no further channel (${fact(f, 'used')} in use).`,
  'forward-refused': (f) =>
    ['connectFailed', 'socketUnavailable'].includes(fact(f, 'reason'))
      ? `The host could not reach ${fact(f, 'to')} ("${fact(f, 'text')}").`
      : fact(f, 'reason') === 'notPermitted'
        ? `The SSH configuration of the user does not permit ${fact(f, 'to')} (PermitRemoteOpen).`
        : `The server refused the forward for ${fact(f, 'to')} (${fact(f, 'reason')}: "${fact(f, 'text')}").`,
  'sftp-missing': (f) => `The server offers no ${fact(f, 'subsystem')} service.`,
  'sftp-noise': (f) =>
    `A start-up file on the host prints text into file transfers: "${fact(f, 'text')}". The user has to silence it for sessions without a terminal.`,
  'sftp-broken': (f) => `The file service of the host broke its protocol: ${fact(f, 'reason')}.`,
  'sftp-ended': (f) => `The file service of the host ended: ${fact(f, 'reason')}.`,
  stalled: () =>
    'The file service of the host has not answered for 30 seconds, so its channel was closed. Try again.',
  'not-found': (f) => `${fact(f, 'path')} does not exist.`,
  denied: (f) => `The user may not do this with ${fact(f, 'path')}.`,
  exists: (f) => `${fact(f, 'path')} exists already.`,
  'no-space': (f) => `There is no space left on ${fact(f, 'path')}.`,
  quota: (f) =>
    `The host takes no more data at ${fact(f, 'path')} although its file system has space, which is what a used-up quota looks like.`,
  busy: (f) => `${fact(f, 'path')} is in use on the host: a program that runs cannot be written to.`,
  'read-only': (f) =>
    f['mark'] === 'host'
      ? `${fact(f, 'path')} can only be read: a person has marked the files of this host as read-only.`
      : `${fact(f, 'path')} can only be read.`,
  'bad-name': (f) => `"${fact(f, 'path')}" cannot be a name on this host.`,
  'not-directory': (f) => `${fact(f, 'path')} is not a directory.`,
  'is-directory': (f) => `${fact(f, 'path')} is a directory.`,
  'not-empty': (f) => `The directory ${fact(f, 'path')} is not empty.`,
  'link-loop': (f) => `The links at ${fact(f, 'path')} lead in a circle.`,
  'outside-folder': (f) => `${fact(f, 'path')} leads over a link, which is not followed here.`,
  'other-filesystem': (f) => `${fact(f, 'path')} is on another file system; it has to be copied.`,
  unsupported: (f) => `The host's file service cannot do this (${fact(f, 'operation')}).`,
  'file-failed': (f) =>
    `The host refused ${fact(f, 'operation')} of ${fact(f, 'path')}` +
    (f['text'] === undefined ? ' and did not say why.' : `: "${fact(f, 'text')}".`),
  conflict: (f) => `${fact(f, 'path')} was changed on the host meanwhile.`,
  'changed-during-transfer': (f) => `${fact(f, 'path')} changed while it was transferred.`,
  'content-differs': (f) => `${fact(f, 'path')} has another content than its source.`,
  'nested-folders': (f) =>
    f['folder'] === undefined
      ? `${fact(f, 'path')} is in the folder that it is compared with, or holds it.`
      : `${fact(f, 'folder')} cannot be copied into itself, to ${fact(f, 'path')}.`,
  'no-trash': (f) => `This machine could not move ${fact(f, 'path')} to its trash: "${fact(f, 'text')}".`,
  'too-many-entries': (f) => `${fact(f, 'path')} has more than ${fact(f, 'limit')} entries.`,
  'too-large': (f) => `${fact(f, 'path')} is larger than ${fact(f, 'limit')} bytes.`,
  'sudo-refused': (f) => `sudo did not start the file service: ${fact(f, 'reason')}.`,
  'port-in-use': (f) =>
    f['path'] === undefined
      ? `Port ${fact(f, 'port')} is in use${f['owner'] === undefined ? '' : ` by ${f['owner']}`}.`
      : `Something stands at ${f['path']} already.`,
  'listen-failed': (f) =>
    `This machine does not let Termind listen on ${fact(f, 'at')}: ${fact(f, 'reason')}.`,
  'not-responding': () => 'The host does not respond.',
  'link-lost': () => 'The connection to the host was lost.',
  'server-closed': (f) => `The server closed the connection: "${fact(f, 'reason')}".`,
  'needs-system-ssh': (f) => `This needs the system's ssh: ${fact(f, 'option')}.`,
  'no-keyring': () => 'Secrets cannot be kept safely on this machine.',
  'outcome-unknown': () =>
    'The outcome is unknown: the request left and no answer came. Check the state before repeating it.',
  cancelled: () => 'Cancelled.',
  'limited-host': (f) => `This host offers a terminal only (${fact(f, 'family')}).`,
  'unknown-host': () => 'There is no host with this id. Use list_hosts.',
  'host-moved': () =>
    'The host leads somewhere else than was shown when this was decided, so nothing was sent.',
  'store-busy': () => 'Another window is writing. Try again.',
  'store-read-only': (f) => `The store cannot be written: ${fact(f, 'reason')}.`,
  'store-newer': () => 'The store was written by a newer Termind; this one can only read it.',
  'store-damaged': () => 'The store is damaged.',
  'store-missing': (f) => `The store is not available: ${fact(f, 'reason')}.`,
  'run-leased': () => 'Another window runs this conversation.',
  'transfers-full': (f) =>
    `There are ${fact(f, 'limit')} transfers that are not finished. The user has to finish or remove some.`,
  'transfer-elsewhere': (f) => `Another window transfers ${fact(f, 'path')}. It can be stopped only there.`,
  'stale-write': () => 'It was changed in another window meanwhile.',
  'model-missing': () => 'No model is set up.',
  internal: (f) => `Internal error: ${fact(f, 'reason')}.`,
};

export function isFaultCode(value: unknown): value is FaultCode {
  return typeof value === 'string' && Object.hasOwn(faultModelText, value);
}

/** The server that a fault is about, where there are several on the way and the sentence does not name it. */
export function hopOnTheWay({ hop, facts }: Fault): string | undefined {
  return hop?.includes(' (hop ') === true && facts['from'] !== hop ? hop : undefined;
}

/** Whether a fault ended an attempt to connect, and not because the person wanted so: then they are shown why. Source: ssh.md 1.10. */
export function isWorthShowing({ code, stage }: Fault): boolean {
  return code !== 'cancelled' && code !== 'auth-cancelled' && stage !== 'channel' && stage !== 'sftp';
}

/** A fault as an error. `isTermindError` recognises it across bundles, where `instanceof` does not. */
export class TermindError extends Error {
  override readonly name = 'TermindError';
  readonly fault: Fault;

  constructor(fault: Fault, cause?: unknown) {
    const hop = hopOnTheWay(fault);
    super(`${hop === undefined ? '' : `${hop}: `}${faultModelText[fault.code](fault.facts)}`, { cause });
    this.fault = fault;
  }
}

export function isTermindError(error: unknown): error is TermindError {
  return error instanceof Error && error.name === 'TermindError' && 'fault' in error;
}

/** A fault of this machine's own: nothing was sent anywhere. */
export function localFault(code: FaultCode, facts: Facts = {}, cause?: unknown): TermindError {
  return new TermindError({ code, stage: 'local', facts, retry: 'user', outcome: 'not-sent' }, cause);
}

export function hasCode(error: unknown, ...codes: readonly FaultCode[]): boolean {
  return isTermindError(error) && codes.includes(error.fault.code);
}

/** For `catch`: these faults are nothing, everything else is thrown on. */
export function ignoring(...codes: readonly FaultCode[]) {
  return (error: unknown): undefined => {
    if (!hasCode(error, ...codes)) throw error;
  };
}

/** The fault of whatever was thrown; what this program did not mean to throw is `internal`. */
export function faultOf(error: unknown): Fault {
  if (isTermindError(error)) return error.fault;
  return localFault('internal', { reason: error instanceof Error ? error.message : String(error) }).fault;
}
