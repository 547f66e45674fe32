import { sha256Of } from '../files/contentStamp.ts';
import { bytesOfText } from '../files/nameText.ts';

/** Most bytes of a name on every usual file system. */
const longestName = 255;
/** Hexadecimal digits of a digest, enough that nobody finds two names with the same ones. */
const markDigits = 32;

/**
 * `.<name>.<random>.part`, with as much of the name as fits and a digest of one that does not, spelt as `textOfPath` spells names. `random`: letters and digits.
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

/** A name that does not fit ends with a digest of the whole, so that long names that begin alike stay apart. */
function besideName(name: string, ending: string): string {
  const room = longestName - 1 - ending.length - 1 - markDigits;
  const bytes = bytesOfText(name);
  // What would fit with its mark has none: no name without one is as long as a name with one.
  if (bytes.length <= room) return `.${name}${ending}`;
  return `.${upTo(name, room)}-${sha256Of(bytes).slice(0, markDigits)}${ending}`;
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
