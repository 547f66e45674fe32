import { keywordKind } from './keywords.ts';

/** Keyword (lower case) to values in order, as `ssh -G` prints them: one line is one value. */
export type PrintedConfig = ReadonlyMap<string, readonly string[]>;

/**
 * Reads what `ssh -G` printed. A LocalForward to a socket is printed as a DynamicForward as well, which is taken out again.
 * Source: ssh.md 4.1; OpenSSH `dump_cfg_forwards`.
 */
export function readPrinted(lines: readonly string[]): PrintedConfig {
  const printed = new Map<string, string[]>();
  for (const line of lines) {
    const cut = line.indexOf(' ');
    const keyword = (cut < 0 ? line : line.slice(0, cut)).toLowerCase();
    const list = printed.get(keyword) ?? [];
    list.push(cut < 0 ? '' : line.slice(cut + 1));
    printed.set(keyword, list);
  }
  const dynamic = printed.get('dynamicforward') ?? [];
  for (const forward of printed.get('localforward') ?? []) {
    const [from = '', to = '['] = forward.split(' ');
    const at = to.startsWith('[') ? -1 : dynamic.indexOf(from);
    if (at >= 0) dynamic.splice(at, 1);
  }
  if (dynamic.length === 0) printed.delete('dynamicforward');
  return printed;
}

/** Lists that `ssh -G` prints on one line. */
const onOneLine: ReadonlySet<string> = new Set([
  'canonicaldomains',
  'canonicalizepermittedcnames',
  'channeltimeout',
  'globalknownhostsfile',
  'ipqos',
  'logverbose',
  'permitremoteopen',
  'rekeylimit',
  'userknownhostsfile',
]);

/** The lines that `ssh -G` would print for the values of one keyword. */
export function printedLines(keyword: string, values: readonly string[]): readonly string[] {
  return onOneLine.has(keyword) ? [values.join(' ')] : values;
}

/**
 * The values behind printed lines. Lists of paths are printed without quotes, so our own reading tells where one ends when both agree
 * on the whole.
 */
export function valuesOf(printed: PrintedConfig, own: ReadonlyMap<string, readonly string[]>): PrintedConfig {
  return new Map(
    [...printed].map(([keyword, lines]) => {
      const [line = ''] = lines;
      if (!onOneLine.has(keyword) || keywordKind(keyword) === undefined) return [keyword, lines] as const;
      const mine = own.get(keyword);
      return [keyword, mine?.join(' ') === line ? mine : line.split(' ').filter(Boolean)] as const;
    }),
  );
}
