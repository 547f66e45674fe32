import type { Tier } from '../host/host.ts';
import { showUntrusted } from '../ssh/untrustedText.ts';

/** Text that reached a terminal in one piece and that no key gives. */
export interface Paste {
  /** Without the marks around it. */
  readonly text: string;
  /** The program in the terminal wanted pastes marked as such, so that it does not take their lines for commands. */
  readonly isBracketed: boolean;
}

export const pasteStart = '\x1b[200~';
export const pasteEnd = '\x1b[201~';

const oneKey = /^\x1b?[^]$/u;
/** Keys beyond one character, the mouse and answers of the terminal itself; several may come at once. Source: ECMA-48; xterm, "Control Sequences". */
const sequences =
  /^(?:\x1b?(?:\x1b\[M[^\x00-\x1f]{3}|\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[ -~]|\x1b[\]P^_][^\x00-\x1f\x7f]*(?:\x07|\x1b\\)))+$/u;

/**
 * The paste in what the editor hands to a terminal at once; undefined for keys and answers of the terminal. A text that a program of the
 * editor sends cannot be told from a paste. An end mark inside the text, with which it would get out of its marks, is taken away.
 * Source: ssh.md 7.5.
 */
export function readPaste(data: string): Paste | undefined {
  if (data.startsWith(pasteStart))
    return { text: withoutEnds(data.slice(pasteStart.length)), isBracketed: true };
  if (data === '' || oneKey.test(data) || sequences.test(data)) return undefined;
  return { text: data, isBracketed: false };
}

/** Taking one away may put another together. */
function withoutEnds(text: string): string {
  let rest = text;
  while (rest.includes(pasteEnd)) rest = rest.replaceAll(pasteEnd, '');
  return rest;
}

const lineBreak = /\r\n|\r|\n/;
/** Source: ssh.md 7.5. */
const largeBytes = 5 * 1024;

export interface PasteRisks {
  /** Each of them can run what stands before it. */
  readonly hasLineBreak: boolean;
  readonly isLarge: boolean;
  /** Control characters, or some that make a text look like another one. */
  readonly hasControls: boolean;
}

export function pasteRisks({ text }: Paste): PasteRisks {
  const oneLine = text.split(lineBreak).join('');
  return {
    hasLineBreak: oneLine.length < text.length,
    isLarge: Buffer.byteLength(text, 'utf8') > largeBytes,
    hasControls: showUntrusted(oneLine, { maxCharacters: Infinity, maxLines: 1 }) !== oneLine,
  };
}

/** Whether a person sees a paste before it is sent. Source: ssh.md 7.5 and 10.3. */
export function mustPreview(
  paste: Paste,
  { tier, isWanted }: { readonly tier: Tier | undefined; readonly isWanted: boolean },
): boolean {
  if (tier === 'dev' || (tier !== 'prod' && !isWanted)) return false;
  const { hasLineBreak, isLarge, hasControls } = pasteRisks(paste);
  return hasLineBreak || isLarge || hasControls;
}

const shownLines = 12;
const shownCharacters = 100;

export interface PastePreview {
  /** The first lines, fit to be shown. */
  readonly lines: readonly string[];
  readonly lineCount: number;
  /** In UTF-16 code units. */
  readonly length: number;
}

export function previewPaste({ text }: Paste): PastePreview {
  const lines = text.split(lineBreak);
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  const shown = lines
    .slice(0, shownLines)
    .map((line) => showUntrusted(line, { maxCharacters: shownCharacters, maxLines: 1 }));
  return { lines: shown, lineCount: lines.length, length: text.length };
}
