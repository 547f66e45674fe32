/** A piece of a text as it is shown: itself, or a mark that stands for a character nobody would see. */
export type VisiblePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `label` is drawn as a box; `breaks` = a line ends behind it. */
  | { readonly kind: 'mark'; readonly label: string; readonly name: string; readonly breaks: boolean };

const controlNames: Readonly<Record<number, string>> = {
  0x00: 'NUL',
  0x07: 'BEL',
  0x08: 'BS',
  0x09: 'TAB',
  0x0a: 'LF',
  0x0b: 'VT',
  0x0c: 'FF',
  0x0d: 'CR',
  0x1b: 'ESC',
  0x7f: 'DEL',
};

/**
 * Splits `text` so that nothing in it can hide or deceive: control characters, characters without width, direction changes, unusual
 * blanks, halves of characters, and blanks at the end of a line become marks. What is left is shown as it is. Joined together again
 * the parts name every code unit of the text, in order.
 */
export function visibleParts(text: string): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain !== '') parts.push({ kind: 'text', text: plain });
    plain = '';
  };
  const characters = Array.from(text);
  characters.forEach((character, index) => {
    const mark = markFor(character) ?? trailingBlank(character, characters, index);
    if (mark === undefined) {
      plain += character;
      return;
    }
    flush();
    parts.push(mark);
  });
  flush();
  return parts;
}

function markFor(character: string): VisiblePart | undefined {
  const code = character.codePointAt(0) ?? 0;
  if (!isHidden(character, code)) return undefined;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const label = code === 0x0a ? '↵' : code === 0x09 ? '⇥' : (controlNames[code] ?? name);
  return { kind: 'mark', label, name: controlNames[code] ?? name, breaks: code === 0x0a };
}

/** Controls, formats, private and unassigned code points, surrogates; separators other than the blank; fillers that draw nothing. */
function isHidden(character: string, code: number): boolean {
  if (code === 0x20) return false;
  return (
    /[\p{C}\p{Z}]/u.test(character) ||
    /[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/.test(character) ||
    isVariation(code)
  );
}

function isVariation(code: number): boolean {
  return (
    (code >= 0x180b && code <= 0x180f) ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    (code >= 0xe0100 && code <= 0xe01ef)
  );
}

function trailingBlank(character: string, all: readonly string[], index: number): VisiblePart | undefined {
  if (character !== ' ') return undefined;
  for (let next = index + 1; next < all.length; next++) {
    if (all[next] === '\n') break;
    if (all[next] !== ' ') return undefined;
  }
  return { kind: 'mark', label: '·', name: 'blank', breaks: false };
}
