import { hash } from 'node:crypto';
import { fileError } from '../../../domain/files/fileFault.ts';
import { bytesOfText, textOfBytes } from '../../../domain/files/nameText.ts';
import {
  joinPath,
  nameOf,
  parentOf,
  pathOfText,
  remoteName,
  showPath,
  textOfPath,
} from '../../../domain/files/remotePath.ts';
import type { WholeTransfer } from '../../../domain/transfer/transferJournal.ts';
import { showLocalPath } from '../../../domain/transfer/showPlace.ts';
import type { Place } from './transfer.ts';

/** For people: a path of this machine or of the host, without the host. */
export function showPlace(place: Place): string {
  return place.k === 'local' ? showLocalPath(place.folder, place.path) : showPath(place.path);
}

/** Its last part, spelt as `textOfPath` spells names. Rejects with `bad-name` where it has none, as `/` and the chosen folder itself. */
export function nameOfPlace(place: Place): string {
  if (place.k === 'remote') {
    const name = nameOf(place.path);
    if (name !== undefined) return textOfBytes(name);
  }
  const name = place.k === 'local' ? place.path.at(-1) : undefined;
  if (name === undefined) throw fileError('bad-name', { path: showPlace(place) }, { outcome: 'not-sent' });
  return name;
}

/** An entry of a directory. `name` is spelt as `textOfPath` spells names; rejects with `bad-name` for one that leaves the directory. */
export function childOf(place: Place, name: string): Place {
  return place.k === 'local'
    ? { ...place, path: [...place.path, name] }
    : { ...place, path: joinPath(place.path, remoteName(bytesOfText(name))) };
}

/** An entry beside it. Rejects as `childOf`. */
export function siblingOf(place: Place, name: string): Place {
  return place.k === 'local'
    ? { ...place, path: [...place.path.slice(0, -1), name] }
    : { ...place, path: joinPath(parentOf(place.path), remoteName(bytesOfText(name))) };
}

/** Names one source and one target for journals, whichever channels lead there: SHA-256 in hexadecimal. */
export function keyOfTransfer(from: Place, to: Place): string {
  return hash('sha256', JSON.stringify([identityOf(from), identityOf(to)]));
}

/** A target as a journal names it. */
export function journalTarget(place: Place): WholeTransfer['target'] {
  return place.k === 'local' ? place.path : textOfPath(place.path);
}

/** What a journal names, at the end where `whole` is. Undefined where that is another kind of end. Rejects with `bad-name`. */
export function placeOfJournal(target: WholeTransfer['target'], whole: Place): Place | undefined {
  if (whole.k === 'local') return typeof target === 'string' ? undefined : { ...whole, path: target };
  return typeof target === 'string' ? { ...whole, path: pathOfText(target) } : undefined;
}

function identityOf(place: Place): readonly unknown[] {
  return place.k === 'local'
    ? ['local', place.folder, place.path]
    : ['remote', place.host, textOfPath(place.path)];
}
