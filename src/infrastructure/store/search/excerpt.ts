import type { SearchTerm } from '../../../agentkit/index.ts';
import { joined, separated } from './messageText.ts';

/** Source: tools.md, session_search. */
const maxSnippetBytes = 1_024;
/** Characters shown in front of the first match. */
const lead = 120;

const inWord = '[\\p{L}\\p{M}\\p{N}\\p{Co}]';
const notInWord = '[^\\p{L}\\p{M}\\p{N}\\p{Co}]';

/** Finds terms the way the index does: whole words in their order, whatever signs stand between them, in any case. */
export function termPattern(terms: readonly SearchTerm[]): RegExp {
  const sources = terms.map(({ text }) =>
    (separated(text).match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu) ?? []).join(`${notInWord}+`),
  );
  return new RegExp(`(?<!${inWord})(?:${sources.join('|')})(?!${inWord})`, 'giu');
}

/** The text without its accents, as the index compares it. */
export function withoutAccents(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .normalize('NFC');
}

/** Where the terms stand in a separated text: a line around the first place, and how many places there are (at least 1). */
export function excerpt(
  text: string,
  pattern: RegExp,
): { readonly snippet: string; readonly matches: number } {
  let first: number | undefined;
  let matches = 0;
  for (const match of text.matchAll(pattern)) {
    first ??= match.index;
    matches++;
  }
  const from = Math.max(0, (first ?? 0) - lead);
  const start = from === 0 ? 0 : from + text.slice(from, from + lead).search(/[\s\p{Cc}]/u) + 1;
  const shown = text.slice(start).replace(/^\p{Cs}/u, '');
  return { snippet: preview(shown, start > 0), matches: Math.max(1, matches) };
}

/** The start of a separated text on one line, at most 1,024 bytes; a cut is marked. */
export function preview(text: string, isCutInFront = false): string {
  const line = joined(text.slice(0, 4 * maxSnippetBytes))
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const marked = isCutInFront ? `…${line}` : line;
  if (Buffer.byteLength(marked) <= maxSnippetBytes) return marked;
  return `${headOf(marked, maxSnippetBytes - Buffer.byteLength('…'))}…`;
}

/** As many whole characters from the start as fit. */
function headOf(text: string, maxBytes: number): string {
  let bytes = 0;
  let head = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    head += character;
  }
  return head;
}
