import { hasCode } from '../../../domain/fault.ts';
import { type FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { permissionBits } from '../../../domain/files/permissions.ts';
import { showPath, textOfPath, type RemotePath } from '../../../domain/files/remotePath.ts';
import { hasOtherOwner, type FileIdentity, type InPlaceReason } from '../../../domain/files/saveWay.ts';
import { oldName, partName } from '../../../domain/transfer/partName.ts';
import type { RemoteFile } from '../../ports/remoteFiles.ts';
import { closeUnheard } from '../closeUnheard.ts';
import { writeFile } from '../writeFile.ts';
import { backUpByLink } from './backups.ts';
import { besideTarget } from './besideTarget.ts';
import { commandWord } from './commandWord.ts';
import { askForMode, closeToOthers, ownerOnly, refusedAttribute } from './fileMode.ts';
import { flushed } from './remoteCopy.ts';
import { traceOf, type SaveScene } from './saveScene.ts';
import { hasChanged } from './hasChanged.ts';
import { tidy } from './tidy.ts';

export type Replaced =
  | { readonly k: 'swapped'; readonly backup: RemotePath | undefined }
  /** It has to be written in place. Nothing of this try is left. */
  | { readonly k: 'inPlace'; readonly because: InPlaceReason }
  /** Somebody has changed the target meanwhile. Nothing of this try is left. */
  | { readonly k: 'changed' };

/** The server takes from it what its umask says. */
const forEverybody = 0o666;
const usualMode = 0o644;

/**
 * Writes the new content beside the target and puts it into its place: from `checked` to `swapped`. Rejects as `RemoteFiles`; what is to be
 * done then, the state of the progress says. Source: ssh.md 8.5.
 */
export async function replaceTarget(scene: SaveScene, identity: FileIdentity | undefined): Promise<Replaced> {
  const { files, target, progress, signal } = scene;
  const part = besideTarget(target.path, partName);
  const old = target.attributes;
  await progress.note({ ...traceOf(scene), part: textOfPath(part) });
  progress.enter('temp');
  let file: RemoteFile;
  try {
    const mode = old === undefined ? forEverybody : ownerOnly;
    file = await files.open(part, { access: 'write', create: 'new', mode }, signal);
  } catch (error) {
    if (old === undefined || !isRefusedBeside(error)) throw error;
    return leaveTry(scene, { k: 'inPlace', because: 'directory' });
  }
  try {
    const because = await fillPart(scene, file);
    if (because !== undefined) {
      closeUnheard(file);
      return await leaveTry(scene, { k: 'inPlace', because });
    }
  } catch (error) {
    closeUnheard(file);
    throw error;
  }
  await file.close(signal);
  if (identity?.hasLabel === true && !(await hasTakenLabel(scene, part))) scene.warnings.add('label');
  const backup = scene.request.keepBackup && old !== undefined ? await backUpByLink(scene) : undefined;
  if (backup !== undefined) progress.enter('backed');
  if (await hasChanged(scene)) return leaveTry(scene, { k: 'changed' });
  signal.throwIfAborted();
  progress.enter('swapping');
  if (!(await swap(scene, part))) return leaveTry(scene, { k: 'changed' });
  progress.enter('swapped');
  return { k: 'swapped', backup };
}

/** Content, flush, owner and mode. The reason when the target cannot be replaced by it. */
async function fillPart(scene: SaveScene, file: RemoteFile): Promise<InPlaceReason | undefined> {
  const { files, request, target, progress, signal } = scene;
  const { attributes: old } = target;
  const made = await file.stat(signal);
  // A file gets its rights when it is whole. Where the server sets none, it has them from the beginning.
  await closeToOthers(file, made, signal);
  const because = old && (await whyNotOurs(file, { old, made }, signal));
  if (because !== undefined) return because;
  await writeFile(file, { source: [request.content], chunk: files.capabilities.maxWrite }, signal);
  if (!(await flushed(files, file, signal))) scene.warnings.add('notFlushed');
  progress.enter('synced');
  const mode = old === undefined ? (request.mode ?? made.mode ?? usualMode) : (old.mode ?? usualMode);
  await askForMode(file, mode, signal);
  const written = await file.stat(signal);
  if (written.size !== undefined && written.size !== request.content.length)
    throw fileError('file-failed', {
      path: showPath(target.path),
      operation: 'write',
      text: 'not all that was written is there',
    });
  if (old !== undefined && permissionsOf(written) !== permissionsOf(old)) return 'mode';
  progress.enter('dressed');
  return undefined;
}

/** Gives the part the group of the old file, where it is not the same already. */
async function whyNotOurs(
  file: RemoteFile,
  { old, made }: { readonly old: FileAttributes; readonly made: FileAttributes },
  signal: AbortSignal,
): Promise<InPlaceReason | undefined> {
  if (hasOtherOwner(old, made) || old.owner === undefined) return 'owner';
  if (made.owner?.gid === old.owner.gid) return undefined;
  try {
    await file.setstat({ owner: old.owner }, signal);
  } catch (error) {
    if (!hasCode(error, ...refusedAttribute)) throw error;
  }
  const { owner } = await file.stat(signal);
  return owner?.gid === old.owner.gid ? undefined : 'group';
}

async function hasTakenLabel({ commands, target, signal }: SaveScene, part: RemotePath): Promise<boolean> {
  const words = [commandWord(target.path), commandWord(part)].filter((word) => word !== undefined);
  if (commands === undefined || words.length < 2) return false;
  const script = 'chcon --reference="$1" "$2"';
  try {
    const { code } = await commands.run({ script, arguments: words, isChange: true }, signal);
    return code === 0;
  } catch {
    return false;
  }
}

/** False when something is in the way that was not there. */
async function swap(scene: SaveScene, part: RemotePath): Promise<boolean> {
  const { files, target, progress, steady } = scene;
  const isNew = target.attributes === undefined;
  try {
    await files.rename({ from: part, to: target.path, replace: !isNew }, steady);
    return true;
  } catch (error) {
    if (!hasCode(error, 'exists')) throw error;
    if (isNew || (await hasChanged(scene))) return false;
  }
  const aside = besideTarget(target.path, oldName);
  await progress.note({ ...traceOf(scene), aside: textOfPath(aside) });
  await files.rename({ from: target.path, to: aside, replace: false }, steady);
  progress.enter('aside');
  await files.rename({ from: part, to: target.path, replace: false }, steady);
  return true;
}

async function leaveTry<T extends Replaced>(scene: SaveScene, outcome: T): Promise<T> {
  await tidy(scene, scene.steady);
  scene.progress.enter('checked');
  return outcome;
}

/** Beside the target nothing can be made, which does not say that it cannot be written. */
function isRefusedBeside(error: unknown): boolean {
  return hasCode(error, 'denied', 'bad-name', 'file-failed', 'unsupported');
}

function permissionsOf({ mode }: FileAttributes): number | undefined {
  return mode === undefined ? undefined : mode & permissionBits;
}
