import { hasCode } from '../../domain/fault.ts';
import type { ContentStamp } from '../../domain/files/contentStamp.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import type { RemotePath } from '../../domain/files/remotePath.ts';
import type { SaveBase } from '../files/save/fileSaving.ts';
import { readContent } from '../files/save/remoteContent.ts';
import { orMissing, resolveTarget } from '../files/save/resolveTarget.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { entryPath } from './entryPath.ts';
import { shownPath } from './fileCall.ts';
import { FileRefusedError } from './fileRefused.ts';

/** Up to here a file is compared and its changes are shown. Source: tools.md, `sftp_write`. */
const mostComparedBytes = 8 * 1_024 * 1_024;

/** What a write would replace. `large`: it was not read. */
export type FoundTarget =
  | { readonly k: 'missing' }
  | { readonly k: 'large'; readonly size: number; readonly modified: number | undefined }
  | { readonly k: 'read'; readonly content: Uint8Array; readonly stamp: ContentStamp };

/** The file that a write means, behind all links. Where the directory is missing the path is taken as it is. */
export async function writtenPath(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<RemotePath> {
  try {
    return (await resolveTarget(files, path, signal)).path;
  } catch (error) {
    if (!hasCode(error, 'not-found')) throw error;
    return entryPath(files, path, signal);
  }
}

/** Rejects as `RemoteFiles`. */
export async function lookAtTarget(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<FoundTarget> {
  const attributes = await orMissing(files.lstat(path, signal));
  if (attributes === undefined) return { k: 'missing' };
  const { size = 0 } = attributes;
  const modified = attributes.times?.modified;
  if (size > mostComparedBytes) return { k: 'large', size, modified };
  const held = await readContent(files, path, signal);
  if (held === undefined) return { k: 'missing' };
  const { content, stamp } = held;
  return content === undefined ? { k: 'large', size: stamp.size, modified } : { k: 'read', content, stamp };
}

/** Rejects with `changedMeanwhile` for a file that was not compared and has another size or time than it was shown with. */
export async function checkLarge(
  files: RemoteFiles,
  { path, shown }: { readonly path: RemotePath; readonly shown: FoundTarget },
  signal: AbortSignal,
): Promise<void> {
  if (shown.k !== 'large') return;
  const now = await lookAtTarget(files, path, signal);
  if (now.k === 'large' && now.size === shown.size && now.modified === shown.modified) return;
  throw new FileRefusedError('changedMeanwhile', { path: shownPath(path) });
}

/**
 * What the file has to hold when it is written: what was found. Rejects with `exists` where it has to be new, and with `digestDiffers` and
 * `notComparable` where another content is expected.
 */
export function baseOf(
  found: FoundTarget,
  expected: { readonly path: RemotePath; readonly mustBeNew: boolean; readonly sha256: string | undefined },
): SaveBase {
  const path = shownPath(expected.path);
  const sha256 = expected.sha256?.toLowerCase();
  switch (found.k) {
    case 'missing':
      if (sha256 !== undefined) throw new FileRefusedError('digestDiffers', { path });
      return 'missing';
    case 'large':
      if (expected.mustBeNew) throw fileError('exists', { path });
      if (sha256 !== undefined)
        throw new FileRefusedError('notComparable', { path, limit: String(mostComparedBytes) });
      return 'anything';
    case 'read':
      if (expected.mustBeNew) throw fileError('exists', { path });
      if (sha256 !== undefined && sha256 !== found.stamp.sha256)
        throw new FileRefusedError('digestDiffers', { path, sha256: found.stamp.sha256 });
      return found.stamp;
  }
}
