import { asciiLower } from './asciiCase.ts';

/** A configuration line split as OpenSSH splits it. `rest` is verbatim from the first argument on. */
export interface SplitLine {
  /** Lower case. */
  readonly keyword: string;
  readonly rest: string;
}

const blank = ' \t\r\n';

/**
 * The keyword of a line and what follows it, or undefined for empty and comment lines. One `=` may stand between keyword and value.
 * Source: OpenSSH `strdelim` and `process_config_line_depth`; ssh.md 4.2.
 */
export function splitLine(line: string): SplitLine | undefined {
  const end = line.indexOf('\0');
  const trimmed = trimEnd(end < 0 ? line : line.slice(0, end));
  let [word, rest] = cutWord(trimmed);
  if (word === '') [word, rest] = cutWord(rest);
  if (word === '' || word.startsWith('#')) return undefined;
  return { keyword: asciiLower(word), rest: trimStart(rest) };
}

/** The first word of a text whose words may be quoted and are ended by blanks or one `=`; and the text behind it. */
function cutWord(text: string): readonly [word: string, rest: string] {
  const end = text.search(/[ \t\r\n"=]/);
  if (end < 0) return [text, ''];
  if (text[end] === '"') {
    const close = text.indexOf('"', end + 1);
    if (close < 0) return ['', ''];
    return [text.slice(0, end) + text.slice(end + 1, close), trimStart(text.slice(close + 1))];
  }
  const rest = trimStart(text.slice(end + 1));
  const swallowsEquals = text[end] !== '=' && rest.startsWith('=');
  return [text.slice(0, end), swallowsEquals ? trimStart(rest.slice(1)) : rest];
}

/**
 * The arguments of a line: single and double quotes, backslash before a quote, a backslash or (outside quotes) a blank, and a
 * comment that begins where an argument could. Undefined when a quote is not closed. Source: OpenSSH `argv_split`.
 */
export function splitArguments(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === ' ' || char === '\t') {
      at++;
      continue;
    }
    if (char === '#') break;
    const word = readWord(text, at);
    if (word === undefined) return undefined;
    words.push(word.value);
    at = word.end;
  }
  return words;
}

function readWord(text: string, start: number): { readonly value: string; readonly end: number } | undefined {
  let value = '';
  let quote = '';
  let at = start;
  for (; at < text.length; at++) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === '\\' && (next === '"' || next === "'" || next === '\\' || (next === ' ' && quote === ''))) {
      value += next;
      at++;
    } else if (quote === '' && (char === ' ' || char === '\t')) break;
    else if (quote === '' && (char === '"' || char === "'")) quote = char;
    else if (quote !== '' && char === quote) quote = '';
    else value += char;
  }
  return quote === '' ? { value, end: at } : undefined;
}

/**
 * The words of a `Match` line as OpenSSH before 9.9 cuts them, with the rules of keywords: blanks, one `=`, double quotes. Ends at a
 * comment. Undefined when something stands behind an empty word, which OpenSSH refuses.
 */
export function splitMatchWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = text;
  while (rest !== '') {
    const [word, behind] = cutWord(rest);
    if (word.startsWith('#')) break;
    if (word === '') return behind === '' ? words : undefined;
    words.push(word);
    rest = behind;
  }
  return words;
}

function trimStart(text: string): string {
  let start = 0;
  while (start < text.length && blank.includes(text.charAt(start))) start++;
  return text.slice(start);
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (blank.includes(text.charAt(end - 1)) || text.charAt(end - 1) === '\f')) end--;
  return text.slice(0, end);
}
