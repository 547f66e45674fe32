import { bytesOfText } from '../files/nameText.ts';
import { showPath } from '../files/remotePath.ts';
import { showUntrusted } from '../ssh/untrustedText.ts';

/** A path of this machine for people: the folder and the names below it, spelt as `textOfPath` spells names. */
export function showLocalPath(folder: string, names: readonly string[]): string {
  const separator = folder.includes('\\') && !folder.includes('/') ? '\\' : '/';
  return [folder, ...names.map(showName)].join(folder.endsWith(separator) ? '' : separator);
}

function showName(name: string): string {
  try {
    return showPath(bytesOfText(name));
  } catch {
    return showUntrusted(name);
  }
}
