import { isTermindError, type TermindError } from '../../domain/fault.ts';
import type { TreeEntry } from '../files/walkTree.ts';

/** Entries that one call changes. Source: tools.md, `sftp_copy`, `sftp_chmod` and `sftp_delete`. */
export const mostEntries = 10_000;

/** Level by level, from the deepest up. */
export function deepestFirst(entries: readonly TreeEntry[]): readonly (readonly TreeEntry[])[] {
  const depths = [...new Set(entries.map(({ depth }) => depth))].sort((a, b) => b - a);
  return depths.map((depth) => entries.filter((entry) => entry.depth === depth));
}

/** A change of several entries that ended before all of them. */
export class PartlyDoneError extends Error {
  override readonly name = 'PartlyDoneError';
  override readonly cause: TermindError;
  /** A sentence with the numbers. */
  readonly counted: string;

  constructor(cause: TermindError, counted: string) {
    super(cause.message);
    this.cause = cause;
    this.counted = counted;
  }
}

/** Runs `work`; its fault then also says how many entries were done by then. A fault of the only entry stays as it is. */
export async function inPart<T>(
  work: () => Promise<T>,
  { what, done, all }: { readonly what: string; readonly done: () => number; readonly all: number },
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isTermindError(error) || all < 2) throw error;
    throw new PartlyDoneError(error, `${done()} of ${all} entries ${what} before that.`);
  }
}
