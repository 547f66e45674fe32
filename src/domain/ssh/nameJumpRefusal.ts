import type { Fault } from '../fault.ts';
import { connectionFault, type ConnectionFaultCode } from './connectionFault.ts';

/** What servers say about a destination: the words of their own system, so both spellings of each are known. */
const wordsFor: readonly (readonly [RegExp, ConnectionFaultCode])[] = [
  [/refused/i, 'refused'],
  [/not known|resolve|no address|nodename|unknown host|name or service|failure in name/i, 'name-not-found'],
  [/timed? ?out/i, 'connect-timeout'],
  [/no route|unreachable|network is down|host is down/i, 'unreachable'],
];

/**
 * The fault of a jump host that does not open the way to the next server: its policy forbids it, or the next server refuses, does not
 * answer, or is a name it does not know. It is a fault of the jump host. `refused` is what the refused channel gave.
 * Source: ssh.md 1.2, 1.4, 1.5.
 */
export function nameJumpRefusal(
  refused: Fault,
  next: { readonly hop: string; readonly address: string; readonly port: number },
): Fault {
  const { reason = '', text = '' } = refused.facts;
  const place = { stage: 'route', hop: next.hop } as const;
  const facts = { address: next.address, port: String(next.port), from: next.hop, text };
  if (reason === 'connectFailed') {
    const known = wordsFor.find(([words]) => words.test(text));
    if (known !== undefined) return connectionFault(known[1], place, facts);
  }
  return connectionFault('forward-refused', place, { ...refused.facts, ...facts });
}
