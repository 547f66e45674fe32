import type { Fault } from '../fault.ts';
import { connectionFault } from './connectionFault.ts';
import { showUntrusted } from './untrustedText.ts';

/** How far an attempt had come. */
export type ConnectPhase = 'connect' | 'identify' | 'kex' | 'auth' | 'ready';

/** What ended an attempt or a connection, as far as sockets and the protocol tell. */
export interface ConnectFailure {
  readonly phase: ConnectPhase;
  readonly hop: string;
  readonly address: string;
  readonly port: number;
  readonly cause:
    /** The operating system's code, such as `ECONNREFUSED`. */
    | { readonly k: 'socket'; readonly code: string }
    /** One of our timers. */
    | { readonly k: 'timeout' }
    /** The peer ended the stream, or the protocol broke down. */
    | { readonly k: 'closed' }
    | { readonly k: 'protocol'; readonly message: string }
    /** The server's own goodbye. */
    | { readonly k: 'disconnect'; readonly reason: string }
    /** `category`, and where they are known `ours`, `theirs` and `legacy`: what of the legacy list would be enough. */
    | { readonly k: 'no-common-algorithm'; readonly facts: Readonly<Record<string, string>> };
  /** What the peer had sent when it had not yet identified itself. */
  readonly firstBytes: Uint8Array;
}

const identificationStart = 'SSH-';
/** With its line end. Source: RFC 4253 section 4.2. */
const maxIdentification = 255;
const unresolved = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME', 'EAI_FAIL']);

/**
 * The one fault of a failed attempt. Before the server identified itself as SSH it is a network fault and never one of credentials.
 * Source: ssh.md 1.4.
 */
export function nameConnectError(failure: ConnectFailure): Fault {
  const { cause, phase, hop } = failure;
  const facts = { address: failure.address, port: String(failure.port) };
  if (cause.k === 'no-common-algorithm')
    return connectionFault('no-common-algorithm', { stage: 'kex', hop }, { ...facts, ...cause.facts });
  switch (phase) {
    case 'connect':
      // Nothing speaks a protocol before there is a stream: what failed is ours.
      return cause.k === 'protocol'
        ? connectionFault('internal', { stage: 'transport', hop }, { ...facts, reason: cause.message })
        : connectionFault(connectCode(cause), { stage: 'transport', hop }, facts);
    case 'identify':
      return nameBeforeIdentification(failure, facts);
    case 'kex':
    case 'auth':
    case 'ready': {
      const stage = phase === 'ready' ? 'link' : phase;
      const outcome = phase === 'ready' ? 'unknown' : 'failed';
      const [code, reason] = lateCode(cause);
      return connectionFault(code, { stage, hop, outcome }, { ...facts, reason: showUntrusted(reason) });
    }
  }
}

function connectCode(
  cause: ConnectFailure['cause'],
): 'name-not-found' | 'refused' | 'connect-timeout' | 'not-identified' | 'unreachable' {
  if (cause.k === 'timeout') return 'connect-timeout';
  if (cause.k !== 'socket') return 'unreachable';
  if (unresolved.has(cause.code)) return 'name-not-found';
  if (cause.code === 'ECONNREFUSED') return 'refused';
  if (cause.code === 'ECONNRESET' || cause.code === 'EPIPE') return 'not-identified';
  return cause.code === 'ETIMEDOUT' ? 'connect-timeout' : 'unreachable';
}

function nameBeforeIdentification(failure: ConnectFailure, facts: Readonly<Record<string, string>>): Fault {
  const { hop, firstBytes, cause } = failure;
  if (cause.k === 'disconnect')
    return connectionFault(
      'server-closed',
      { stage: 'transport', hop },
      { ...facts, reason: showUntrusted(cause.reason) },
    );
  const text = Buffer.from(firstBytes).toString('latin1');
  if (isBrokenOff(text)) return connectionFault('not-identified', { stage: 'transport', hop }, facts);
  return connectionFault(
    'not-ssh',
    { stage: 'transport', hop },
    { ...facts, text: showUntrusted(text.slice(0, 80)) },
  );
}

/** Nothing, or an identification whose line has no end yet: no sign of another protocol. Source: RFC 4253 section 4.2. */
function isBrokenOff(text: string): boolean {
  return (
    text.length < maxIdentification &&
    identificationStart.startsWith(text.slice(0, identificationStart.length)) &&
    !text.includes('\n')
  );
}

function lateCode(
  cause: ConnectFailure['cause'],
): readonly ['not-responding' | 'server-closed' | 'link-lost' | 'internal', string] {
  switch (cause.k) {
    case 'timeout':
      return ['not-responding', ''];
    case 'disconnect':
      return ['server-closed', cause.reason];
    case 'closed':
      return ['server-closed', 'the connection was closed without a reason'];
    case 'socket':
      return ['link-lost', cause.code];
    case 'protocol':
      return ['link-lost', cause.message];
    case 'no-common-algorithm':
      return ['internal', cause.facts['category'] ?? ''];
  }
}
