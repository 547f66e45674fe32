import { matchesPattern, matchesPatterns } from '../config/hostPattern.ts';

export interface AppliedOption {
  readonly names: readonly string[];
  /** What was written and fits nothing that we can do. */
  readonly leftOut: readonly string[];
}

/**
 * What an algorithm option makes of a list: `+` adds behind it, `-` removes, `^` puts in front, anything else replaces it. A written
 * name may be a pattern, which stands for what it fits among `known`. Source: ssh_config(5), Ciphers; OpenSSH `kex_assemble_names`;
 * ssh.md 5.1, CFG-22.
 */
export function applyAlgorithmOption(
  written: string,
  list: { readonly usual: readonly string[]; readonly known: readonly string[] },
): AppliedOption {
  const sign = /^[+^-]/.exec(written)?.[0];
  const patterns = written.slice(sign === undefined ? 0 : 1).split(',');
  if (sign === '-')
    return {
      names: list.usual.filter((name) => !matchesPatterns(name, patterns)),
      leftOut: [],
    };
  const found = patterns.map((pattern) => list.known.filter((name) => matchesPattern(name, pattern)));
  const meant = found.flat();
  const parts = { '+': [...list.usual, ...meant], '^': [...meant, ...list.usual] };
  return {
    names: [...new Set(sign === '+' || sign === '^' ? parts[sign] : meant)],
    leftOut: patterns.filter((pattern, at) => pattern !== '' && found[at]?.length === 0),
  };
}
