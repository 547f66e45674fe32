import { bytesOfText, piecesOf } from '../files/nameText.ts';
import { isName, type RemoteName } from '../files/remotePath.ts';

/** What a system makes of names: `bytes` takes any, `text` only UTF-8 (macOS), `windows` has rules of its own. */
export type NameRules = 'bytes' | 'text' | 'windows';

const longestName = 255;
/** Names of devices, also with an ending. Source: Microsoft, "Naming Files, Paths, and Namespaces". */
const devices = /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?:\..*)?$/i;
const refusedByWindows = /[\p{Cc}<>:"/\\|?*]|[ .]$/u;

/**
 * The bytes of one name below a folder, spelt as `textOfPath` spells names; undefined for one that leaves the folder (`..`, a separator)
 * or that a system with these rules cannot hold. A name that Windows would change silently is refused, because two could become one.
 */
export function localName(name: string, rules: NameRules): RemoteName | undefined {
  const bytes = bytesOf(name);
  if (bytes === undefined || bytes.length > longestName) return undefined;
  if (rules === 'bytes') return bytes;
  if (!isText(bytes)) return undefined;
  return rules === 'windows' && (refusedByWindows.test(name) || devices.test(name)) ? undefined : bytes;
}

function bytesOf(name: string): RemoteName | undefined {
  try {
    const bytes = bytesOfText(name);
    return isName(bytes) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function isText(bytes: Uint8Array): boolean {
  return piecesOf(bytes).every((piece) => typeof piece === 'string');
}
