import { fileError } from '../../../domain/files/fileFault.ts';
import { otherName } from '../../../domain/transfer/partName.ts';
import type { End, EntryFacts } from './end.ts';
import { nameOfPlace, showPlace, siblingOf } from './place.ts';
import type { Existing, FileFacts, FileRequest, Place } from './transfer.ts';

/** Names that are tried for a target that is to have another one. */
const mostNames = 1_000;

/** What is done about the target: it stays, or `to` is written, in the place of what is there or where nothing is. */
export type TargetDecision =
  | { readonly k: 'skip' }
  | { readonly k: 'write'; readonly to: Place; readonly replaces: boolean; readonly mayResume: boolean };

export interface DecideTarget {
  readonly request: Pick<FileRequest, 'from' | 'to' | 'existing' | 'expectTarget'>;
  readonly source: EntryFacts;
  /** Undefined: nothing is there. */
  readonly target: EntryFacts | undefined;
  readonly end: End;
}

/** Rejects with `conflict` when the target is not the one the caller has seen, and with `is-directory`. */
export async function decideTarget(
  { request, source, target, end }: DecideTarget,
  signal: AbortSignal,
): Promise<TargetDecision> {
  const { to } = request;
  checkExpected(request, target);
  if (target === undefined) return { k: 'write', to, replaces: false, mayResume: isResume(request.existing) };
  if (target.kind === 'directory')
    throw fileError('is-directory', { path: showPlace(to) }, { outcome: 'not-sent' });
  const policy =
    typeof request.existing === 'string'
      ? request.existing
      : await request.existing(
          { ...request, source: shownFacts(source), target: shownFacts(target) },
          signal,
        );
  switch (policy) {
    case 'skip':
      return { k: 'skip' };
    case 'overwrite':
      return { k: 'write', to, replaces: true, mayResume: false };
    case 'resume':
      return isComplete(source, target) ? { k: 'skip' } : { k: 'write', to, replaces: true, mayResume: true };
    case 'rename':
      return { k: 'write', to: await freePlace(to, end, signal), replaces: false, mayResume: false };
  }
}

/** Rejects with `conflict` when the source is another one than the caller has seen. */
export function checkSource(
  { from, expectSource }: Pick<FileRequest, 'from' | 'expectSource'>,
  source: EntryFacts,
): void {
  if (expectSource === undefined || isSameFile(expectSource, source)) return;
  throw fileError('conflict', { path: showPlace(from) }, { outcome: 'not-sent' });
}

/** Rejects with `conflict` when the target is another one than the caller has seen. */
export function checkExpected(
  { to, expectTarget }: Pick<FileRequest, 'to' | 'expectTarget'>,
  target: EntryFacts | undefined,
): void {
  if (expectTarget === undefined) return;
  const isSame =
    target === undefined || expectTarget === 'missing'
      ? target === undefined && expectTarget === 'missing'
      : isSameFile(expectTarget, target);
  if (!isSame) throw fileError('conflict', { path: showPlace(to) }, { outcome: 'not-sent' });
}

/** As far as whole seconds tell, which is what every server has. */
export function isSameFile(a: FileFacts, b: FileFacts): boolean {
  return a.size === b.size && wholeSeconds(a.modified) === wholeSeconds(b.modified);
}

async function freePlace(to: Place, end: End, signal: AbortSignal): Promise<Place> {
  const name = nameOfPlace(to);
  for (let n = 2; n < mostNames; n++) {
    const place = siblingOf(to, otherName(name, n));
    if ((await end.look(place, signal)) === undefined) return place;
  }
  throw fileError('exists', { path: showPlace(to) }, { outcome: 'not-sent' });
}

function isComplete(source: EntryFacts, target: EntryFacts): boolean {
  return target.kind === 'file' && source.size !== undefined && source.modified !== undefined
    ? isSameFile(source, target)
    : false;
}

function isResume(existing: Existing): boolean {
  return existing === 'resume';
}

function shownFacts({ size, modified }: EntryFacts): FileFacts {
  return { size, modified: wholeSeconds(modified) };
}

function wholeSeconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.floor(seconds);
}
