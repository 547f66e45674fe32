import type { FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { digestContent, maxReadForDigest } from './remoteContent.ts';
import { orMissing } from './resolveTarget.ts';
import type { SaveScene } from './saveScene.ts';

/**
 * A last look at the target, right before it is touched: its attributes, and its content where that is short, because a change within one
 * second, or one that sets the time, shows nowhere else. What changes between this and the next request is not seen.
 */
export async function hasChanged(scene: SaveScene): Promise<boolean> {
  const { files, target, found, signal } = scene;
  const now = await orMissing(files.lstat(target.path, signal));
  const before = target.attributes;
  if (now === undefined || before === undefined) return now !== before;
  if (isOther(now, before)) return true;
  if (found === 'missing' || found.size > maxReadForDigest) return false;
  return (await digestContent(scene, target.path, signal))?.stamp.sha256 !== found.sha256;
}

/** Whether these are attributes of another file, or of one that was written or got other rights meanwhile. */
export function isOther(now: FileAttributes, before: FileAttributes): boolean {
  return (
    now.mode !== before.mode ||
    now.size !== before.size ||
    now.times?.modified !== before.times?.modified ||
    now.owner?.uid !== before.owner?.uid ||
    now.owner?.gid !== before.owner?.gid
  );
}
