import { fileError } from '../../../domain/files/fileFault.ts';
import { showPath, type RemotePath } from '../../../domain/files/remotePath.ts';
import type { RemoteFile, RemoteFiles } from '../../ports/remoteFiles.ts';
import { closeUnheard } from '../closeUnheard.ts';
import { readFile } from '../readFile.ts';
import { writeFile } from '../writeFile.ts';
import { backUpByCopy } from './backups.ts';
import { hasChanged, isOther } from './hasChanged.ts';
import { flushed } from './remoteCopy.ts';
import { traceOf, type SaveScene } from './saveScene.ts';
import { tidy } from './tidy.ts';

export type InPlace = { readonly k: 'written'; readonly backup: RemotePath } | { readonly k: 'changed' };

/**
 * Copies the old content on the server, then writes the new one over it: from `checked` to `inPlaceSynced`. The target keeps its identity,
 * owner and rights. Rejects as `RemoteFiles`; what is to be done then, the state of the progress says. Source: ssh.md 8.5.
 */
export async function writeInPlace(scene: SaveScene): Promise<InPlace> {
  const { files, request, target, progress, found } = scene;
  const oldSize = found === 'missing' ? 0 : found.size;
  if (request.content.length < oldSize && !files.capabilities.operations.has('setstat'))
    throw fileError('unsupported', { operation: 'setstat', path: showPath(target.path) });
  const backup = await backUpByCopy(scene);
  progress.enter('inPlaceBacked');
  if (!(await hasChanged(scene)) && (await isWrittenOver(scene, oldSize))) return { k: 'written', backup };
  await tidy(scene, scene.steady);
  progress.restart();
  return { k: 'changed' };
}

/** Writes over a file what another holds; both stay. Rejects as `RemoteFiles`. */
export async function copyOver(
  files: RemoteFiles,
  { from, to }: { readonly from: RemotePath; readonly to: RemotePath },
  signal: AbortSignal,
): Promise<void> {
  const source = await files.open(from, { access: 'read' }, signal);
  try {
    const file = await files.open(to, { access: 'write' }, signal);
    try {
      const pieces = readFile(source, { chunk: files.capabilities.maxRead }, signal);
      const size = await writeFile(file, { source: pieces, chunk: files.capabilities.maxWrite }, signal);
      await cutOff(file, size, signal);
      await flushed(files, file, signal);
    } catch (error) {
      closeUnheard(file);
      throw error;
    }
    await file.close(signal);
  } finally {
    closeUnheard(source);
  }
}

/** False when something else has been opened, through a link that was put into the place of the target: nothing is written then. */
async function isWrittenOver(scene: SaveScene, oldSize: number): Promise<boolean> {
  const { files, request, target, progress, signal, steady } = scene;
  const { content } = request;
  signal.throwIfAborted();
  const file = await files.open(target.path, { access: 'write' }, steady);
  try {
    if (target.attributes !== undefined && isOther(await file.stat(steady), target.attributes)) {
      closeUnheard(file);
      return false;
    }
    await progress.note({ ...traceOf(scene), isInPlace: true });
    progress.enter('inPlaceWriting');
    const chunk = files.capabilities.maxWrite;
    // What is behind the old end first: a disk that is full tells so while the old content is still whole.
    if (content.length > oldSize)
      await writeFile(file, { source: [content.subarray(oldSize)], from: oldSize, chunk }, steady);
    await writeFile(file, { source: [content.subarray(0, oldSize)], chunk }, steady);
    progress.enter('inPlaceWritten');
    await cutOff(file, content.length, steady);
    if (!(await flushed(files, file, steady))) scene.warnings.add('notFlushed');
    progress.enter('inPlaceSynced');
  } catch (error) {
    closeUnheard(file);
    throw error;
  }
  await file.close(steady);
  return true;
}

/** Where the server does not tell the size, it is set in any case. Files of the kernel tell 0 and cannot be cut. */
async function cutOff(file: RemoteFile, size: number, signal: AbortSignal): Promise<void> {
  const now = await file.stat(signal);
  if (now.size === undefined || now.size > size) await file.setstat({ size }, signal);
}
