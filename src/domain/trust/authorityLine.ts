import { parsePublicKey } from '../keys/publicKey.ts';
import { parsePublicLine } from '../keys/publicLine.ts';
import type { PresentedKey } from './hostKey.ts';
import { parseKnownHosts } from './parseKnownHosts.ts';
import type { TrustRecord } from './trustRecord.ts';

/** A certificate authority with the hosts that it may vouch for: what a `@cert-authority` line says. Source: ssh.md 3.3 and 3.5. */
export interface AuthorityLine {
  /** A comma list of host patterns, as in a known_hosts file. */
  readonly names: string;
  readonly key: PresentedKey;
}

/** The port of an authority's row in the store. No server has it; the ports that are meant stand in the names. */
export const authorityPort = 0;

/** Why names are not taken. */
export type NamesProblem = 'empty' | 'not-a-pattern' | 'bad-port' | 'only-excluded';

/**
 * Undefined for names that a `@cert-authority` line can hold as they are and that cover something: patterns of `*` and `?`, excluded
 * ones after `!`, other ports as `[pattern]:port`. No hash, because nobody could see what is covered. Source: sshd(8), SSH_KNOWN_HOSTS
 * FILE FORMAT.
 */
export function namesProblem(names: string): NamesProblem | undefined {
  if (names === '') return 'empty';
  const patterns = names.split(',');
  for (const pattern of patterns) {
    const withPort = /^!?\[([^[\]]*)\]:(.*)$/u.exec(pattern);
    const name = withPort?.[1] ?? pattern.replace(/^!/, '');
    const port = withPort?.[2];
    if (!/^[^\s\p{C}!|@#[\]]+$/u.test(name)) return 'not-a-pattern';
    if (port !== undefined && port !== '*' && !isPort(port)) return 'bad-port';
  }
  return patterns.every((pattern) => pattern.startsWith('!')) ? 'only-excluded' : undefined;
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

/** Why a text names no key of an authority. */
export type AuthorityKeyProblem = 'no-key' | 'unknown-kind';

/**
 * Reads the public key of an authority: the line of a `.pub` file, or a whole `@cert-authority` line, whose names come along. A
 * certificate and a kind of key that cannot be checked are `unknown-kind`.
 */
export function readAuthorityKey(
  text: string,
): { readonly key: PresentedKey; readonly names: string | undefined } | AuthorityKeyProblem {
  const [record] = parseKnownHosts('', text).records.filter(({ marker }) => marker === 'cert-authority');
  const read = record ?? parsePublicLine(text);
  if (read === undefined) return 'no-key';
  const { keyType, blob } = read;
  if (parsePublicKey(blob) === undefined) return 'unknown-kind';
  const names = record?.names.k === 'list' ? record.names.patterns : undefined;
  return { key: { keyType, blob }, names };
}

/** The line as a record of the store. */
export function authorityRecord({ names, key }: AuthorityLine): TrustRecord {
  return {
    marker: 'cert-authority',
    names: { k: 'list', patterns: names },
    keyType: key.keyType,
    blob: key.blob,
    source: 'store',
    line: undefined,
  };
}
