import { matchesPattern } from './hostPattern.ts';
import { printedLines, type PrintedConfig } from './printedConfig.ts';

/** One keyword about which our own reading and `ssh -G` say different things. */
export interface ConfigDifference {
  readonly keyword: string;
  readonly own: readonly string[];
  readonly ssh: readonly string[];
}

/** Lists of algorithms, whose defaults belong to each program. Source: ssh.md 4.1 and 5.1. */
export const algorithmKeywords: ReadonlySet<string> = new Set([
  'casignaturealgorithms',
  'ciphers',
  'gssapikexalgorithms',
  'hostbasedacceptedalgorithms',
  'hostkeyalgorithms',
  'kexalgorithms',
  'macs',
  'pubkeyacceptedalgorithms',
]);

/**
 * Compares the effective values of our own reading with what `ssh -G` printed, line by line. What no file sets is compared with
 * `defaults`, what the same `ssh` prints without any file; lists of algorithms that add to, remove from or reorder a default are
 * applied to it.
 */
export function compareWithSsh(
  own: PrintedConfig,
  ssh: { readonly printed: PrintedConfig; readonly defaults: PrintedConfig },
): readonly ConfigDifference[] {
  const { printed, defaults } = ssh;
  const keywords = new Set([...printed.keys(), ...own.keys(), ...defaults.keys()]);
  const differences: ConfigDifference[] = [];
  for (const keyword of [...keywords].sort()) {
    if (keyword === 'host') continue;
    const lines = expected(keyword, { own, defaults });
    const said = printed.get(keyword) ?? [];
    if (
      lines.length !== said.length ||
      lines.some((line, index) => line.trimEnd() !== said[index]?.trimEnd())
    )
      differences.push({ keyword, own: lines, ssh: said });
  }
  return differences;
}

function expected(
  keyword: string,
  { own, defaults }: { readonly own: PrintedConfig; readonly defaults: PrintedConfig },
): readonly string[] {
  const values = own.get(keyword);
  const usual = defaults.get(keyword) ?? [];
  // Debian asks the server every five minutes when nobody can be asked.
  if (keyword === 'serveraliveinterval' && values === undefined && own.get('batchmode')?.[0] === 'yes')
    return usual[0] === '0' ? ['300'] : usual;
  if (values === undefined) return usual;
  if (algorithmKeywords.has(keyword)) return [applied(values[0] ?? '', usual[0] ?? '')];
  return printedLines(keyword, values);
}

/** `+` adds, `-` removes, `^` moves to the front; anything else replaces. Source: ssh_config(5), Ciphers. */
function applied(written: string, defaults: string): string {
  const list = defaults.split(',');
  const names = written.slice(1).split(',');
  switch (written[0]) {
    case '+':
      return [...list, ...names.filter((name) => !list.includes(name))].join(',');
    case '-':
      return list.filter((name) => !names.some((pattern) => matchesPattern(name, pattern))).join(',');
    case '^':
      return [...names, ...list.filter((name) => !names.includes(name))].join(',');
    default:
      return written;
  }
}
