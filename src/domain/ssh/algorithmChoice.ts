import {
  algorithmKinds,
  authoritySignatures,
  knownAlgorithms,
  knownSignatures,
  usableAlgorithms,
  usualAlgorithms,
  usualSignatures,
  type AlgorithmKind,
  type CryptoFacts,
} from './algorithms.ts';
import { applyAlgorithmOption } from './applyAlgorithmOption.ts';
import { legacyOf } from './legacyAlgorithms.ts';
import type { AlgorithmLists } from './trace.ts';

/** What a connection may use, before the run time and the known keys of the host have their say. Source: ssh.md 5.1. */
export interface AlgorithmChoice extends AlgorithmLists {
  /** The order of the host key algorithms was written down; known keys do not change it, as with `ssh`. */
  readonly isHostKeyOrderWritten: boolean;
  /** With which algorithms a key may sign in. */
  readonly signature: readonly string[];
  /** With which algorithms the authority of a host certificate may have signed. */
  readonly authoritySignature: readonly string[];
  /** Names of the configuration that we cannot do, by keyword. */
  readonly leftOut: readonly { readonly keyword: AlgorithmKeyword; readonly names: readonly string[] }[];
}

/** The options that choose algorithms, lower case. */
export const algorithmKeywords = [
  'kexalgorithms',
  'hostkeyalgorithms',
  'ciphers',
  'macs',
  'pubkeyacceptedalgorithms',
  'casignaturealgorithms',
] as const;
export type AlgorithmKeyword = (typeof algorithmKeywords)[number];

export interface AlgorithmWishes {
  /** The value of an option as its line has it; undefined where no line sets it. */
  readonly written: (keyword: AlgorithmKeyword) => string | undefined;
  readonly wantsCompression: boolean;
  /** What was switched on for this host; other names than those of the legacy list are not taken. */
  readonly legacy: readonly string[];
}

/** Applies what the configuration says to our own lists and adds the host's legacy algorithms behind them. Pure. Source: ssh.md 5.1, 5.3. */
export function chooseAlgorithms({ written, wantsCompression, legacy }: AlgorithmWishes): AlgorithmChoice {
  const leftOut: { keyword: AlgorithmKeyword; names: readonly string[] }[] = [];
  const apply = (keyword: AlgorithmKeyword, usual: readonly string[], known: readonly string[]) => {
    const value = written(keyword);
    if (value === undefined) return usual;
    const applied = applyAlgorithmOption(value, { usual, known });
    if (applied.leftOut.length > 0) leftOut.push({ keyword, names: applied.leftOut });
    return applied.names;
  };
  const list = (keyword: AlgorithmKeyword, kind: AlgorithmKind): readonly string[] => {
    const chosen = apply(keyword, usualAlgorithms(kind), knownAlgorithms(kind));
    return [...new Set([...chosen, ...legacyOf(kind, legacy)])];
  };
  const signature = apply('pubkeyacceptedalgorithms', usualSignatures, knownSignatures);
  return {
    kex: list('kexalgorithms', 'kex'),
    hostKey: list('hostkeyalgorithms', 'hostKey'),
    cipher: list('ciphers', 'cipher'),
    mac: list('macs', 'mac'),
    compression: wantsCompression ? ['zlib@openssh.com', 'none'] : ['none'],
    isHostKeyOrderWritten: /^[^+-]/.test(written('hostkeyalgorithms') ?? '+'),
    signature: legacy.includes('ssh-rsa') ? [...new Set([...signature, 'ssh-rsa'])] : signature,
    authoritySignature: apply('casignaturealgorithms', authoritySignatures, authoritySignatures),
    leftOut,
  };
}

/** What is left of a choice in a run time; `missing` are the kinds of which nothing is. */
export function usableChoice(
  choice: AlgorithmLists,
  facts: CryptoFacts,
): { readonly lists: AlgorithmLists; readonly missing: readonly AlgorithmKind[] } {
  const usable = (kind: AlgorithmKind): readonly string[] => usableAlgorithms(kind, choice[kind], facts);
  const lists: AlgorithmLists = {
    kex: usable('kex'),
    hostKey: usable('hostKey'),
    cipher: usable('cipher'),
    mac: usable('mac'),
    compression: usable('compression'),
  };
  return { lists, missing: algorithmKinds.filter((kind) => lists[kind].length === 0) };
}
