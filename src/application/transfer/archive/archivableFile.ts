import { bytesOfText } from '../../../domain/files/nameText.ts';
import type { EntryFacts } from '../engine/end.ts';
import type { PoolRequest } from '../engine/filePool.ts';

/** One file of a folder that is transferred. */
export interface FolderFile {
  readonly request: PoolRequest;
  /** From the folder down. */
  readonly names: readonly string[];
  /** Every directory between it and the folder was made by this transfer. */
  readonly isNew: boolean;
}

/** A file that an archive may hold: small, with a place that is free, and recognised later by size and time. */
export interface ArchivableFile extends FolderFile {
  readonly size: number;
  readonly modified: number;
  readonly source: EntryFacts;
  /** As a line of a list of names, without its end. */
  readonly line: Uint8Array;
}

/** A larger one gains nothing, and many of them are held at a time. */
export const mostArchivedBytes = 64 * 1024;
/** What no list of names carries: its own end, what some programs take for one, and the sign that GNU `tar` reads as the start of another. */
const unlisted = /[\0-\x1f\x7f\\]/;

/**
 * A file whose target is there is none: what becomes of it is decided file by file. Nor is an empty one, because a size of 0 may mean that
 * none is known.
 */
export function archivable(file: FolderFile): ArchivableFile | undefined {
  const { known, keepsAttributes } = file.request;
  if (known === undefined || known.target !== undefined || keepsAttributes === false) return undefined;
  const { size, modified } = known.source;
  if (size === undefined || size === 0 || size > mostArchivedBytes || modified === undefined || modified < 0)
    return undefined;
  const line = Buffer.from(bytesOfText(`./${file.names.join('/')}`));
  return { ...file, size, modified, source: known.source, line };
}

/** Whether a list of names can carry it. */
export function isListable({ line }: ArchivableFile): boolean {
  return !unlisted.test(Buffer.from(line).toString('latin1'));
}
