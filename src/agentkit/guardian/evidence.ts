import type { UserWords } from '../userWords.ts';
import { reviewLimits } from './limits.ts';

/** What the first words of the user may take when not everything fits. */
const firstShare = reviewLimits.evidenceCharacters / 2;
/** Kept free for the note that says what was left out. */
const noteRoom = 200;

/**
 * The user's own words as JSON lines, at most 32,000 characters: the first and the newest when not everything fits, with a line that
 * says how many were left out between them. A message that is too long by itself keeps its beginning and its end. Empty without words.
 * Source: agent runtime contract, section 12.
 */
export function evidenceLines(words: readonly UserWords[]): string {
  const lines = words.map((said) => evidenceLine(said));
  const whole = lines.join('\n');
  const [first, ...others] = words;
  if (whole.length <= reviewLimits.evidenceCharacters || first === undefined) return whole;
  const head = fitted(first, others.length === 0 ? reviewLimits.evidenceCharacters : firstShare);
  const kept = newest(others, reviewLimits.evidenceCharacters - head.length - 1 - noteRoom);
  const left = others.length - kept.length;
  const note = left === 0 ? [] : [JSON.stringify({ note: `${String(left)} messages were left out here` })];
  return [head, ...note, ...kept].join('\n');
}

/** Whole lines from the end that fit; the very last one is cut rather than left out. */
function newest(words: readonly UserWords[], characters: number): readonly string[] {
  const kept: string[] = [];
  let room = characters;
  for (const said of words.toReversed()) {
    const line = kept.length === 0 ? fitted(said, room) : evidenceLine(said);
    if (line.length > room) break;
    kept.unshift(line);
    room -= line.length + 1;
  }
  return kept;
}

function evidenceLine({ provenance, id, text }: UserWords): string {
  return JSON.stringify({ provenance, id, content: text }).replaceAll('</', '<\\/');
}

/** The line, with as much of the beginning and the end of its text as fits. */
function fitted(said: UserWords, characters: number): string {
  for (let kept = said.text.length; ; kept = Math.floor((kept * 9) / 10)) {
    const line = evidenceLine(kept === said.text.length ? said : { ...said, text: cut(said.text, kept) });
    if (line.length <= characters || kept === 0) return line;
  }
}

function cut(text: string, kept: number): string {
  const half = Math.floor(kept / 2);
  const left = `[${String(text.length - 2 * half)} characters were left out here]`;
  const end = half === 0 ? '' : text.slice(-half);
  return `${text.slice(0, half)}\n${left}\n${end}`;
}
