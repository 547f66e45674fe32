import { localFault, type Fault, type FaultStage } from '../fault.ts';
import { connectionFault, type ConnectionFaultCode } from './connectionFault.ts';
import { showUntrusted } from './untrustedText.ts';

/** How the system's own `ssh` is asked for a host: a name as it would be typed, and what a record sets beside it. Source: ssh.md 1.8. */
export interface SystemDestination {
  readonly name: string;
  readonly user?: string;
  readonly port?: number;
}

/** The end of an argument list of `ssh`. Throws `config-error` for a name that could be an option. */
export function destinationArguments({ name, user, port }: SystemDestination): readonly string[] {
  for (const word of [name, user ?? ''])
    if (word.startsWith('-') || /[\0\r\n]/.test(word))
      throw localFault('config-error', { reason: `"${showUntrusted(word)}" could be an option of ssh` });
  if (name === '') throw localFault('config-error', { reason: 'the host has no name' });
  return [
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(user === undefined ? [] : ['-l', user]),
    '--',
    name,
  ];
}

/** What `ssh` prints for a failure that we have a name for; it has no other way to tell. */
const failures: readonly (readonly [ConnectionFaultCode, FaultStage, RegExp])[] = [
  ['key-changed', 'trust', /REMOTE HOST IDENTIFICATION HAS CHANGED/],
  ['key-revoked', 'trust', /REVOKED HOST KEY DETECTED/],
  ['key-unknown', 'trust', /Host key verification failed/],
  [
    'auth-failed',
    'auth',
    /Permission denied|Too many authentication failures|No more authentication methods/,
  ],
  ['name-not-found', 'transport', /Could not resolve hostname/],
  ['no-common-algorithm', 'kex', /no matching .* found|Unable to negotiate/],
  ['refused', 'transport', /Connection refused/],
  ['unreachable', 'transport', /No route to host|Network is unreachable/],
  ['connect-timeout', 'transport', /Connection timed out|Operation timed out/],
  [
    'not-identified',
    'transport',
    /kex_exchange_identification|Connection closed by (?:remote host|\S+ port)/,
  ],
  ['not-responding', 'link', /Timeout, server .* not responding/],
];

/** The fault of an `ssh` that ended by itself, from what it said. Facts: its last line, and where it was asked for. */
export function nameSystemSshError(
  words: string,
  place: { readonly hop: string; readonly address: string; readonly port: number; readonly isReady: boolean },
): Fault {
  const named = failures.find(([, , pattern]) => pattern.test(words));
  const last = words.trim().split(/\r?\n/).at(-1) ?? '';
  const text = showUntrusted(last === '' ? 'ssh ended without a word' : last);
  const facts = { address: place.address, port: String(place.port), tried: text, reason: text, text };
  const [code, stage] = named ?? ['server-closed', 'link'];
  return connectionFault(
    code,
    { stage, hop: place.hop, outcome: place.isReady ? 'unknown' : 'not-sent' },
    facts,
  );
}
