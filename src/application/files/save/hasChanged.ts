import { kindOf } from '../../../domain/files/fileAttributes.ts';
import { orMissing } from './resolveTarget.ts';
import type { SaveScene } from './saveScene.ts';

/** A last look at the target, right before it is touched. What changes between this and the next request is not seen. */
export async function hasChanged({ files, target, signal }: SaveScene): Promise<boolean> {
  const now = await orMissing(files.lstat(target.path, signal));
  const before = target.attributes;
  if (now === undefined || before === undefined) return now !== before;
  return (
    kindOf(now) !== kindOf(before) ||
    now.size !== before.size ||
    now.times?.modified !== before.times?.modified ||
    now.owner?.uid !== before.owner?.uid
  );
}
