import { mark } from './mark.ts';

export interface Quote {
  readonly character: string;
  /** In front of the quote: 1 inside a JSON string, 3 one level deeper. */
  readonly backslashes: number;
}

const quotes = `"'\``;

/** The quote that opens at `start`, if one does. */
export function quoteAt(line: string, start: number): Quote | undefined {
  let index = start;
  while (line[index] === '\\') index++;
  const character = line[index];
  if (character === undefined || !quotes.includes(character)) return undefined;
  return { character, backslashes: index - start };
}

/**
 * Index of the quote that closes a value starting at `from`; undefined when none does. At depth n a quote closes when the
 * backslashes in front of it are n more than a multiple of 2(n + 1): the others belong to quotes and backslashes of the value.
 */
export function closingQuote(line: string, from: number, quote: Quote): number | undefined {
  const cycle = 2 * (quote.backslashes + 1);
  let backslashes = 0;
  for (let index = from; index < line.length; index++) {
    if (line[index] === quote.character && backslashes % cycle === quote.backslashes) return index;
    backslashes = line[index] === '\\' ? backslashes + 1 : 0;
  }
  return undefined;
}

/** Behind the matching bracket, strings skipped; `end` when it is not on this line. A bracket that ends the line holds nothing. */
export function containerEnd(line: string, start: number, end: number): number {
  if (start + 1 >= end) return start;
  let depth = 0;
  for (let index = start; index < end; index++) {
    const character = line[index];
    if (character === '"') index = closingQuote(line, index + 1, { character, backslashes: 0 }) ?? end;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth === 0) return index + 1;
  }
  return end;
}

const scheme = /[A-Za-z][A-Za-z0-9-]*[ \t]+(?=[^\s;&|<>()`"'])/y;
const parameter = /[ \t]*,?[ \t]*[A-Za-z][\w-]*=(?:"[^"]*"|[^\s",;&|<>()`']+)/y;
const cookie = /;[ \t]*(?:[\w.-]+=[^\s;&|<>()`"']*|HttpOnly|Secure)/y;

/** End of a header value inside a line: scheme, credentials and their parameters, or a row of cookies. */
export function headerEnd(line: string, start: number, end: number): number {
  scheme.lastIndex = start;
  let reached = wordEnd(line, scheme.test(line) ? scheme.lastIndex : start, end);
  for (const more of [parameter, cookie])
    for (more.lastIndex = reached; more.test(line); more.lastIndex = reached) reached = more.lastIndex;
  return Math.min(reached, end);
}

/**
 * End of an unquoted value: in front of white space, a quote, a shell operator, or a comma before the next key. Marks belong to the
 * value whatever they are made of; closing brackets that the value did not open do not.
 */
export function wordEnd(line: string, start: number, end: number): number {
  let reached = start;
  while (reached < end) {
    const character = line[reached] ?? ' ';
    if (line.startsWith(mark, reached)) reached += mark.length;
    else if (character === '\\' && !quotes.includes(line[reached + 1] ?? '"')) reached += 2;
    else if (/[\s"'`;&|<>()\\]/.test(character)) break;
    else if (character === ',' && beforeKey(line, reached)) break;
    else reached++;
  }
  return withoutForeignBrackets(line, start, Math.min(reached, end));
}

const nextKey = /,[ \t]{0,8}(?:["']?[\w.-]{1,64}["']?[ \t]{0,8}[:=]|$|\s)/y;

function beforeKey(line: string, comma: number): boolean {
  nextKey.lastIndex = comma;
  return nextKey.test(line);
}

function withoutForeignBrackets(line: string, start: number, end: number): number {
  let kept = end;
  for (const [open, close] of ['{}', '[]'] as const) {
    let foreign = 0;
    for (let index = start; index < end; index++) {
      if (line.startsWith(mark, index)) index += mark.length - 1;
      else if (line[index] === close) foreign++;
      else if (line[index] === open) foreign--;
    }
    for (; foreign > 0 && kept > start && line[kept - 1] === close && !line.endsWith(mark, kept); foreign--)
      kept--;
  }
  return kept;
}

/** Where the line ends without a CR and blanks. */
export function contentEnd(line: string): number {
  let end = line.length;
  while (end > 0 && /\s/.test(line[end - 1] ?? '')) end--;
  return end;
}
