import type { Fault } from '../fault.ts';
import { connectionFault } from './connectionFault.ts';
import { showUntrusted } from './untrustedText.ts';

/** Why a server refused to open a channel. Source: RFC 4254 section 5.1. */
export type OpenRefusal = 'prohibited' | 'connectFailed' | 'unknownType' | 'shortage' | 'other';

/**
 * Why there is no way to a Unix socket of the server. OpenSSH answers `connectFailed` with the same words when its policy forbids such
 * forwards and when nobody listens at the path, and a server that has never heard of them answers `unknownType`: what is certain is that
 * the socket is not to be had here.
 */
export type SocketRefusal = Exclude<OpenRefusal, 'connectFailed' | 'unknownType'> | 'socketUnavailable';

export function socketRefusal(reason: number | undefined): SocketRefusal {
  const refusal = openRefusal(reason);
  return refusal === 'connectFailed' || refusal === 'unknownType' ? 'socketUnavailable' : refusal;
}

/** The words of a reason number; a server that closes instead of refusing gives none. */
export function openRefusal(reason: number | undefined): OpenRefusal {
  switch (reason) {
    case 1:
      return 'prohibited';
    case 2:
      return 'connectFailed';
    case 3:
      return 'unknownType';
    case 4:
      return 'shortage';
    default:
      return 'other';
  }
}

/**
 * The fault of a forward that the server refused, at its own policy (`prohibited`) or at the destination (`connectFailed`). Facts:
 * `reason` is an `OpenRefusal` or `SocketRefusal`, `to` the destination, `text` the server's own words, shown safely, and `number` the
 * reason number where the server gave one. Source: ssh.md 1.4 and 1.5.
 */
export function forwardRefused(
  place: { readonly hop: string; readonly to: string },
  refusal: {
    readonly reason: OpenRefusal | SocketRefusal;
    readonly text: string;
    readonly number?: number | undefined;
  },
): Fault {
  return connectionFault(
    'forward-refused',
    { stage: 'channel', hop: place.hop, outcome: 'failed' },
    {
      reason: refusal.reason,
      to: place.to,
      text: showUntrusted(refusal.text),
      ...(refusal.number === undefined ? {} : { number: String(refusal.number) }),
    },
  );
}
