import type { TraceEvent } from './trace.ts';
import { showUntrusted } from './untrustedText.ts';

/** What one client saw of a server; undefined where it did not come so far or does not tell. */
export interface Sighting {
  readonly address: string | undefined;
  readonly software: string | undefined;
  readonly kex: string | undefined;
  readonly hostKeyAlgorithm: string | undefined;
  readonly cipher: string | undefined;
  readonly hostKey: string | undefined;
  /** The line that the host key was found in, `file:line`. */
  readonly knownAt: string | undefined;
  /** Fingerprints of the keys that were offered, in order. */
  readonly offeredKeys: string | undefined;
  /** The method that opened the account. */
  readonly signedInBy: string | undefined;
}

export type SightingField = keyof Sighting;

export const sightingFields: readonly SightingField[] = [
  'address',
  'software',
  'kex',
  'hostKeyAlgorithm',
  'cipher',
  'hostKey',
  'knownAt',
  'offeredKeys',
  'signedInBy',
];

/** What Termind saw, by the events of the last server on the way. */
export function sightingOfTrace(events: readonly TraceEvent[]): Sighting {
  const facts = events.map(({ fact }) => fact);
  const address = facts.findLast((fact) => fact.k === 'address' && fact.result === 'connected');
  const theirs = facts.findLast((fact) => fact.k === 'identification' && fact.side === 'theirs');
  const agreed = facts.findLast((fact) => fact.k === 'agreed');
  const key = facts.findLast((fact) => fact.k === 'hostKey');
  const signedIn = facts.findLast((fact) => fact.k === 'signedIn');
  const offered = facts.flatMap((fact) =>
    fact.k === 'identity' && fact.fingerprint !== undefined && !fact.result.startsWith('not ')
      ? [fact.fingerprint]
      : [],
  );
  return {
    address: address?.k === 'address' ? address.address : undefined,
    software: theirs?.k === 'identification' ? theirs.text.replace(/^SSH-[\d.]+-/, '') : undefined,
    kex: agreed?.algorithms.kex,
    hostKeyAlgorithm: agreed?.algorithms.hostKey,
    cipher: agreed?.algorithms.cipher,
    hostKey: key === undefined ? undefined : `${key.keyType} ${key.fingerprint}`,
    knownAt: key?.at,
    offeredKeys: listOf(offered),
    signedInBy: signedIn?.by.split(' ')[0],
  };
}

/**
 * What `ssh -vvv` saw, by what it wrote to its error stream. Behind a jump host both of its processes write there; the target comes last,
 * so the last word on each thing counts. Source: ssh.md 1.10; OpenSSH 9.2 and 10.
 */
export function sightingOfDebug(text: string): Sighting {
  const last = (pattern: RegExp): string | undefined => {
    const found = [...text.matchAll(pattern)].at(-1)?.[1];
    return found === undefined ? undefined : showUntrusted(found);
  };
  return {
    address: last(/^debug1: Connecting to \S+ \[([^\]]+)\] port \d+/gm),
    software: last(/^debug1: Remote protocol version [\d.]+, remote software version (.*?)\r?$/gm),
    kex: last(/^debug1: kex: algorithm: (\S+)/gm),
    hostKeyAlgorithm: last(/^debug1: kex: host key algorithm: (\S+)/gm),
    cipher: last(/^debug1: kex: client->server cipher: (\S+)/gm),
    hostKey: last(/^debug1: Server host key: (\S+ \S+)/gm),
    knownAt: last(/^debug1: Found key in (.*?)\r?$/gm),
    offeredKeys: listOf(
      [...text.matchAll(/^debug1: Offering public key: .*?(SHA256:\S+)/gm)].map(([, key = '']) => key),
    ),
    signedInBy: last(/^(?:debug1: )?Authenticated to .* using "([^"]+)"/gm),
  };
}

/** Its own last words, when it did not sign in; empty when it said nothing but debug lines. */
export function lastWordsOfDebug(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line !== '' && !/^debug\d: |^OpenSSH_/.test(line));
  return showUntrusted(lines.at(-1) ?? '');
}

function listOf(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(', ');
}
