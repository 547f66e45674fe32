import { hasCode } from '../../../domain/fault.ts';
import type { ContentStamp } from '../../../domain/files/contentStamp.ts';
import type { SaveTrace } from '../../../domain/files/keptSave.ts';
import { isMixedContent } from '../../../domain/files/mixedContent.ts';
import { pathOfText, type RemotePath } from '../../../domain/files/remotePath.ts';
import type { HostCommands } from '../../ports/hostCommands.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import { digestContent, readContent, type RemoteContent } from './remoteContent.ts';
import { tidy } from './tidy.ts';
import type { SaveProgress } from './saveProgress.ts';

/** It holds neither content; the backup holds what it held before. */
interface DamagedTarget {
  readonly k: 'damaged';
  readonly backup: RemotePath;
  /** False where both are too long to be compared: it may be what somebody else has written, and only a person may say that it goes. */
  readonly isCertain: boolean;
}

/** What the server holds of a save that was begun. */
export type Findings =
  /** The new content. What lies beside it is as noted. */
  | { readonly k: 'new'; readonly stamp: ContentStamp }
  /** What it held before. Nothing lies beside it any more, and nothing is noted. */
  | { readonly k: 'old' }
  | DamagedTarget
  /** Something that the save has not written. */
  | { readonly k: 'foreign'; readonly theirs: RemoteContent | undefined };

export interface Examination {
  readonly files: RemoteFiles;
  readonly commands: HostCommands | undefined;
  readonly progress: SaveProgress;
  readonly trace: SaveTrace;
  /** The new content. */
  readonly content: Uint8Array;
}

/**
 * Looks at the target and what was noted, puts back an old file that waits under another name, and removes what an old target does not
 * need. Rejects as `RemoteFiles`, and may be repeated then. Source: ssh.md 8.5, "examined".
 */
export async function examineSave(examination: Examination, signal: AbortSignal): Promise<Findings> {
  const { files, commands, progress, trace } = examination;
  const target = pathOfText(trace.target);
  const now = await digestContent({ files, commands }, target, signal);
  if (now?.stamp.sha256 === progress.save.content.sha256) return { k: 'new', stamp: now.stamp };
  const isOld = now === undefined ? trace.found === 'missing' : isContent(now, trace.found);
  if (isOld || (now === undefined && (await isPutBack(examination, target, signal)))) {
    await tidy({ files, progress }, signal);
    return { k: 'old' };
  }
  if (now !== undefined && trace.isInPlace === true) {
    const damaged = await halfWritten(examination, now, signal);
    if (damaged !== undefined) return damaged;
  }
  return { k: 'foreign', theirs: now && (await withContent(files, { target, now }, signal)) };
}

/** With its content, where that is not too long; read now when it was not before. */
export async function withContent(
  files: RemoteFiles,
  { target, now }: { readonly target: RemotePath; readonly now: RemoteContent },
  signal: AbortSignal,
): Promise<RemoteContent | undefined> {
  return now.content === undefined ? readContent(files, target, signal) : now;
}

/** The target has no file: whether the old one waited under another name and has its own again. */
async function isPutBack(
  { files, commands, trace }: Examination,
  target: RemotePath,
  signal: AbortSignal,
): Promise<boolean> {
  if (trace.aside === undefined) return false;
  const aside = pathOfText(trace.aside);
  const held = await digestContent({ files, commands }, aside, signal);
  if (held === undefined || !isContent(held, trace.found)) return false;
  try {
    await files.rename({ from: aside, to: target, replace: false }, signal);
    return true;
  } catch (error) {
    if (hasCode(error, 'exists')) return false;
    throw error;
  }
}

/** When the backup is whole and the target is what a try to write over it leaves. */
async function halfWritten(
  { files, trace, content }: Examination,
  now: RemoteContent,
  signal: AbortSignal,
): Promise<DamagedTarget | undefined> {
  if (trace.backup === undefined) return undefined;
  const backup = pathOfText(trace.backup);
  const old = await readContent(files, backup, signal);
  if (old === undefined || !isContent(old, trace.found)) return undefined;
  if (now.stamp.size > Math.max(old.stamp.size, content.length)) return undefined;
  const found = await withContent(files, { target: pathOfText(trace.target), now }, signal);
  if (found?.content === undefined || old.content === undefined)
    return { k: 'damaged', backup, isCertain: false };
  return isMixedContent(found.content, old.content, content)
    ? { k: 'damaged', backup, isCertain: true }
    : undefined;
}

function isContent({ stamp }: RemoteContent, found: SaveTrace['found']): boolean {
  return found !== 'missing' && stamp.sha256 === found.sha256;
}
