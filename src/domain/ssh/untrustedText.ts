/** How much of a text from outside is shown. */
export interface TextLimits {
  readonly maxCharacters: number;
  readonly maxLines: number;
}

/** For names, reasons and one-line prompts. */
export const shortText: TextLimits = { maxCharacters: 256, maxLines: 1 };
/** For banners and instructions. */
export const longText: TextLimits = { maxCharacters: 65_536, maxLines: 200 };

/**
 * Text of a server, file or agent made fit to be shown: control and escape characters and bidirectional overrides appear as `\x1b` or
 * `\u202e`, the length is bounded and a cut is marked with `…`. Line breaks stay where several lines are allowed, else become blanks.
 * Source: ssh.md 0.6.
 */
export function showUntrusted(text: string, limits: TextLimits = shortText): string {
  const lines = text.slice(0, limits.maxCharacters + 1).split(/\r\n|\r|\n/);
  while (lines.length > 1 && lines.at(-1) === '') lines.pop();
  const kept = limits.maxLines === 1 ? [lines.join(' ')] : lines.slice(0, limits.maxLines);
  const isCut = text.length > limits.maxCharacters || (limits.maxLines > 1 && lines.length > limits.maxLines);
  const shown = kept.map(escapeLine).join('\n').slice(0, limits.maxCharacters);
  return isCut ? `${shown}…` : shown;
}

/** Controls of C0, DEL and C1, line and paragraph separators, and everything that changes the direction of text. */
const misleading = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

function escapeLine(line: string): string {
  return line.replace(misleading, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
