import { isAbsolute, type RemotePath } from '../../../domain/files/remotePath.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A path as an argument of a command; undefined for one that a command line cannot carry or might take for an option. */
export function commandWord(path: RemotePath): string | undefined {
  if (!isAbsolute(path)) return undefined;
  try {
    return strict.decode(path);
  } catch {
    return undefined;
  }
}
