import { textOfPath } from '../../../domain/files/remotePath.ts';
import type { Place } from './transfer.ts';

/** Whether a place is a folder, or lies somewhere below it, as their paths are written: no link is followed. */
export function isAtOrWithin(place: Place, folder: Place): boolean {
  const [inner, outer] = [partsOf(place), partsOf(folder)];
  return inner.where === outer.where && outer.parts.every((part, at) => inner.parts[at] === part);
}

function partsOf(place: Place): { readonly where: string; readonly parts: readonly string[] } {
  if (place.k === 'remote') return { where: place.host, parts: split(textOfPath(place.path), /\//) };
  return { where: '', parts: [...split(place.folder, /[\\/]/), ...place.path] };
}

function split(path: string, separator: RegExp): readonly string[] {
  return path.split(separator).filter((part) => part !== '');
}
