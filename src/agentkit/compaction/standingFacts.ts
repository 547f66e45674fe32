import type { Message } from '../message.ts';
import { userWords, type UserWords } from '../userWords.ts';
import { compactionLimits } from './limits.ts';

/** One kind of fact that the editor side knows to hold now, one line for each. Redacted by agentkit. */
export interface StandingFact {
  /** For example `Commands that still run`. */
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * The text that stands behind a summary word for word: the facts of the editor side, then what the user said in the messages that are
 * summarised. Source: agent runtime contract, section 22.
 */
export function standingFactsText(facts: readonly StandingFact[], summarised: readonly Message[]): string {
  const sections = [...factSections(facts), ...wordSections(userWords(summarised))];
  return sections.join('\n\n');
}

function factSections(facts: readonly StandingFact[]): readonly string[] {
  let left: number = compactionLimits.factsBytes;
  return facts.flatMap(({ title, lines }) => {
    if (lines.length === 0) return [];
    const kept = lines.filter((line) => {
      const bytes = Buffer.byteLength(line, 'utf8') + 1;
      if (bytes > left) return false;
      left -= bytes;
      return true;
    });
    const missing = lines.length - kept.length;
    return [[`${title}:`, ...kept, ...(missing > 0 ? [`(${String(missing)} more)`] : [])].join('\n')];
  });
}

function wordSections(words: readonly UserWords[]): readonly string[] {
  const kept = keptWords(words);
  if (kept.length === 0) return [];
  const entries = kept.map((entry) => {
    const place = `${String(words.indexOf(entry) + 1)} of ${String(words.length)}`;
    const kind = entry.provenance === 'direct_user' ? 'message' : 'answer';
    return `[${place}, ${kind}, ${new Date(entry.at).toISOString()}]\n${entry.text}`;
  });
  return [['What the user said, word for word:', ...entries].join('\n')];
}

/** Whole messages up to the limit: the first, then from the newest back; one that does not fit is left out, never cut. */
export function keptWords(words: readonly UserWords[]): readonly UserWords[] {
  let left: number = compactionLimits.userWordsBytes;
  const [first, ...rest] = words;
  const order = first === undefined ? [] : [first, ...rest.reverse()];
  const kept = new Set<UserWords>();
  for (const entry of order) {
    const bytes = Buffer.byteLength(entry.text, 'utf8');
    if (bytes > left) continue;
    left -= bytes;
    kept.add(entry);
  }
  return words.filter((entry) => kept.has(entry));
}
