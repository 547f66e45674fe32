import { mark, type Range } from './mark.ts';
import { QuoteState } from './quoteState.ts';
import { isHeaderKey, isSensitiveKey, keyWords } from './sensitiveKey.ts';
import {
  closingQuote,
  containerEnd,
  contentEnd,
  headerEnd,
  quoteAt,
  wordEnd,
  type Quote,
} from './valueEnds.ts';

const longestKey = 128;

/** A key in front of a separator. */
interface Key {
  readonly words: readonly string[];
  /** Where the key, with its quote, starts. */
  readonly start: number;
  readonly isQuoted: boolean;
}

/**
 * The values of sensitive keys in one line: `key: value`, `key=value`, `"key":"value"` (also inside escaped JSON) and whole
 * `Authorization` and `Cookie` values. Linear: a value that was found is not searched again, a key is at most 128 characters.
 * Source: agent runtime contract, section 14.
 */
export function keyValueRanges(line: string): readonly Range[] {
  const ranges: Range[] = [];
  const quotes = new QuoteState(line);
  let position = 0;
  for (;;) {
    const separator = nextSeparator(line, position);
    if (separator === undefined) return ranges;
    const key = keyBefore(line, separator.start);
    const value =
      key && isSensitiveKey(key.words)
        ? valueAfter(line, { key, from: separator.end, open: quotes.before(separator.start) })
        : undefined;
    if (value !== undefined) ranges.push(value);
    position = value === undefined ? separator.end : Math.max(separator.end, value.end);
  }
}

/** `:`, `=`, `:=`, `==`, `=>`; not `::` and not `://`. */
function nextSeparator(line: string, from: number): Range | undefined {
  for (let index = from; index < line.length; index++) {
    const character = line[index];
    if (character !== ':' && character !== '=') continue;
    const next = line[index + 1];
    if (character === ':' && (next === ':' || line.startsWith('//', index + 1))) {
      index++;
      continue;
    }
    const isDouble = next === '=' || (character === '=' && next === '>');
    return { start: index, end: index + (isDouble ? 2 : 1) };
  }
  return undefined;
}

/** What Markdown and colours put behind a key without being part of it. */
const marksBehindKey = /(?:[ \t*~]|\x1b\[[0-9;]{0,16}m)$/;
/** `**` behind the colon of `**Password:** x`. */
const closingEmphasis = /(\*{1,3}|_{1,3}|~~)(?=[ \t])/y;
const blanksAndColours = /(?:[ \t]|\x1b\[[0-9;]{0,16}m)*/y;

function keyBefore(line: string, separator: number): Key | undefined {
  let end = separator;
  while (separator - end < longestKey) {
    const [marks] = marksBehindKey.exec(line.slice(Math.max(0, end - 20), end)) ?? [];
    if (marks === undefined) break;
    end -= marks.length;
  }
  const closing = line[end - 1];
  if (closing === '"' || closing === "'" || closing === '`') return quotedKey(line, end - 1, closing);
  const start = runStart(line, end, longestKey);
  if (start === end) return undefined;
  return { words: [...ownerOfKey(line, start), ...keyWords(line.slice(start, end))], start, isQuoted: false };
}

function quotedKey(line: string, closing: number, quote: string): Key | undefined {
  let end = closing;
  while (closing - end < longestKey && line[end - 1] === '\\') end--;
  const from = Math.max(0, end - longestKey);
  const start = line.slice(from, end).lastIndexOf(quote);
  if (start < 0) return undefined;
  return { words: keyWords(line.slice(from + start + 1, end)), start: from + start, isQuoted: true };
}

/** `api`, `access` or `private` of a key written with a space, as in `API key: …`. */
function ownerOfKey(line: string, start: number): readonly string[] {
  if (line[start - 1] !== ' ' || line.slice(start, start + 3).toLowerCase() !== 'key') return [];
  return keyWords(line.slice(runStart(line, start - 1, 16), start - 1)).slice(-1);
}

function runStart(line: string, end: number, longest: number): number {
  let start = end;
  while (start > 0 && end - start < longest && isKeyCharacter(line.charCodeAt(start - 1))) start--;
  return start;
}

function isKeyCharacter(code: number): boolean {
  if (code >= 0x61) return code <= 0x7a;
  if (code >= 0x41) return code <= 0x5a || code === 0x5f;
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e;
}

interface ValuePlace {
  readonly key: Key;
  /** Behind the separator. */
  readonly from: number;
  /** The quote that is open around key and value. */
  readonly open: string | undefined;
}

function valueAfter(line: string, { key, from, open }: ValuePlace): Range | undefined {
  const start = valueStart(line, from);
  const end = contentEnd(line);
  if (start >= end) return undefined;
  const opening = quoteAt(line, start);
  if (opening !== undefined)
    return closesPrompt(line, start, open) ? undefined : quotedValue(line, start, opening);
  if ((line[start] === '{' || line[start] === '[') && !line.startsWith(mark, start))
    return { start, end: containerEnd(line, start, end) };
  const isHeader = isHeaderKey(key.words);
  if (!key.isQuoted && open !== undefined && (isHeader || line[key.start - 1] === open)) {
    const closing = closingQuote(line, start, { character: open, backslashes: 0 }) ?? end;
    return { start, end: isHeader ? closing : beforeNextParameter(line, start, closing) };
  }
  if (!key.isQuoted && (start > from || isHeader) && startsLine(line, key.start)) return { start, end };
  if (isHeader) return { start, end: headerEnd(line, start, end) };
  const wordIsOver = wordEnd(line, start, end);
  return line.slice(start, wordIsOver) === 'null' ? undefined : { start, end: wordIsOver };
}

function valueStart(line: string, from: number): number {
  closingEmphasis.lastIndex = from;
  const [marks = ''] = closingEmphasis.exec(line) ?? [];
  const isOpen = marks !== '' && line.slice(0, from).includes(marks);
  blanksAndColours.lastIndex = isOpen ? from + marks.length : from;
  blanksAndColours.exec(line);
  return blanksAndColours.lastIndex;
}

/** The quote behind `"Password: "` ends the prompt and opens no value. */
function closesPrompt(line: string, start: number, open: string | undefined): boolean {
  return line[start] === open && /[\s;,)&|]/.test(line[start + 1] ?? ' ');
}

/** Between the quotes, or with them when more is attached (`"a"b`). `""` holds nothing. Without a closing quote to the end. */
function quotedValue(line: string, start: number, quote: Quote): Range | undefined {
  const inside = start + quote.backslashes + 1;
  const closing = closingQuote(line, inside, quote);
  if (closing === undefined) return { start: inside, end: contentEnd(line) };
  const after = closing + 1;
  if (/[\w$./+~@%^-]/.test(line[after] ?? '')) return { start, end: wordEnd(line, after, contentEnd(line)) };
  const end = closing - quote.backslashes;
  return end > inside ? { start: inside, end } : undefined;
}

/** Only indentation, list marks, comment marks and the arrows of a traced request stand in front of the key. */
function startsLine(line: string, keyStart: number): boolean {
  return keyStart <= 64 && /^[\s\-><*#;+|]*$/.test(line.slice(0, keyStart));
}

/** Of `key=value&next=…` inside quotes. */
function beforeNextParameter(line: string, start: number, end: number): number {
  const ampersand = line.slice(start, end).indexOf('&');
  return ampersand < 0 ? end : start + ampersand;
}
