import type { UserWords } from '../userWords.ts';
import { evidenceLines } from './evidence.ts';
import { verdictRequest } from './reviewPolicy.ts';

/** One review as its reviewer reads it: the words that are new (all, in the first one), then the action. */
export function reviewPrompt(fresh: readonly UserWords[], action: string): string {
  const lines = evidenceLines(fresh);
  const evidence =
    lines === ''
      ? 'The user said nothing new.'
      : `What the user said that you do not know yet:\n<user-evidence>\n${lines}\n</user-evidence>`;
  return `${evidence}\n\nThe action in question, as the assistant wants to do it:\n${action}\n\n${verdictRequest}`;
}
