import { bytesOfText } from '../files/nameText.ts';

/** Most bytes of a name on every usual file system. */
const longestName = 255;

/**
 * `.<name>.<random>.part`, with as much of the name as fits, spelt as `textOfPath` spells names. `random`: letters and digits.
 * Source: ssh.md 8.7, 4.
 */
export function partName(name: string, random: string): string {
  return besideName(name, `.${random}.part`);
}

/** Where the old target waits while it is replaced by plain renames. Source: ssh.md 8.5, "swapped". */
export function oldName(name: string, random: string): string {
  return besideName(name, `.${random}.old`);
}

/** Whether the name is one that `partName` gives: it is not part of a folder that is transferred. */
export function isPartName(name: string): boolean {
  return /^\..*\.[0-9a-f]{12}\.(?:part|old)$/su.test(name);
}

/** `name (2).txt`: the n-th other name for it, spelt the same way. A name that has only an ending is left whole. */
export function otherName(name: string, n: number): string {
  const dot = name.lastIndexOf('.');
  const stem = dot <= 0 ? name : name.slice(0, dot);
  const ending = dot <= 0 ? '' : name.slice(dot);
  const addition = ` (${String(n)})${ending}`;
  return `${upTo(stem, longestName - bytesOfText(addition).length)}${addition}`;
}

function besideName(name: string, ending: string): string {
  return `.${upTo(name, longestName - 1 - ending.length)}${ending}`;
}

/** As many whole characters from the beginning as have at most so many bytes. */
function upTo(text: string, maxBytes: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += bytesOfText(character).length;
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}
