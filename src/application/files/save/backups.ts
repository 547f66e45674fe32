import { hasCode } from '../../../domain/fault.ts';
import { sha256Of } from '../../../domain/files/contentStamp.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { bytesOfText, textOfBytes } from '../../../domain/files/nameText.ts';
import {
  joinPath,
  parentOf,
  pathOfText,
  remoteName,
  showPath,
  textOfPath,
  type RemotePath,
} from '../../../domain/files/remotePath.ts';
import { backupName, backupsOf, keptBackups } from '../../../domain/files/saveNames.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import { besideTarget, nameText } from './besideTarget.ts';
import { orMissing } from './resolveTarget.ts';
import { copyRemote } from './remoteCopy.ts';
import { digestContent } from './remoteContent.ts';
import { traceOf, type SaveScene } from './saveScene.ts';

/** A directory is not read further than this for old backups. */
const maxListed = 10_000;
const notAllowed = ['denied', 'read-only', 'unsupported', 'file-failed', 'bad-name'] as const;

/** Gives the old file a second name, or copies it where the server cannot. The new file takes the first name from it. */
export async function backUpByLink(scene: SaveScene): Promise<RemotePath> {
  const { files, target, progress, signal } = scene;
  const backup = besideTarget(target.path, (name, random) =>
    backupName(name, { at: scene.clock.now(), random }),
  );
  await progress.note({ ...traceOf(scene), backup: textOfPath(backup) });
  if (files.capabilities.operations.has('hardlink'))
    try {
      await files.hardlink({ at: backup, to: target.path }, signal);
      return backup;
    } catch (error) {
      if (!hasCode(error, ...notAllowed)) throw error;
    }
  await copyRemote(files, { from: target.path, to: backup }, signal);
  await verifyBackup(scene, backup);
  return backup;
}

/** Copies the old content beside the target, or into the folder where the server starts. Resolves when the copy is known to be whole. */
export async function backUpByCopy(scene: SaveScene): Promise<RemotePath> {
  const { files, target, progress, signal } = scene;
  const places = [
    async () => target.path,
    async () => joinPath(await files.realpath(pathOfText('.'), signal), elsewhereName(target.path)),
  ];
  for (const [index, place] of places.entries()) {
    const backup = besideTarget(await place(), (name, random) =>
      backupName(name, { at: scene.clock.now(), random }),
    );
    await progress.note({ ...traceOf(scene), backup: textOfPath(backup) });
    try {
      await copyRemote(files, { from: target.path, to: backup }, signal);
    } catch (error) {
      if (index + 1 === places.length || !hasCode(error, ...notAllowed)) throw error;
      await orMissing(files.remove(backup, scene.steady));
      continue;
    }
    await verifyBackup(scene, backup);
    return backup;
  }
  throw new RangeError('there is always a last place');
}

/** A copy of what a file held before a save. */
export interface Backup {
  readonly path: RemotePath;
  /** When the save was, in milliseconds since 1970 by the clock of this machine. */
  readonly at: number;
}

/** Of a file behind all its links, beside it and where the server starts, the newest first. Rejects as `RemoteFiles`. */
export async function listBackups(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<readonly Backup[]> {
  const start = await files.realpath(pathOfText('.'), signal);
  const beside = await backupsIn(files, { directory: parentOf(path), name: nameText(path) }, signal);
  const elsewhere = await backupsIn(
    files,
    { directory: start, name: textOfBytes(elsewhereName(path)) },
    signal,
  );
  return [...beside, ...elsewhere].sort((a, b) => b.at - a.at);
}

/** Leaves the newest backups of a file, beside the one that was just made. Rejects as `RemoteFiles`. */
export async function removeOldBackups(
  files: RemoteFiles,
  { newest, of: path }: { readonly newest: RemotePath; readonly of: RemotePath },
  signal: AbortSignal,
): Promise<void> {
  const directory = parentOf(newest);
  const isBeside = textOfPath(directory) === textOfPath(parentOf(path));
  const name = isBeside ? nameText(path) : textOfBytes(elsewhereName(path));
  const all = await backupsIn(files, { directory, name }, signal);
  const others = all.filter((one) => textOfPath(one.path) !== textOfPath(newest));
  for (const old of others.slice(keptBackups - 1)) await files.remove(old.path, signal);
}

async function backupsIn(
  files: RemoteFiles,
  { directory, name }: { readonly directory: RemotePath; readonly name: string },
  signal: AbortSignal,
): Promise<readonly Backup[]> {
  const names: string[] = [];
  for await (const { entries } of files.list(directory, signal)) {
    names.push(...entries.map((entry) => textOfBytes(entry.name)));
    if (names.length > maxListed) break;
  }
  return backupsOf(name, names).map(({ entry, at }) => ({
    path: joinPath(directory, remoteName(bytesOfText(entry))),
    at,
  }));
}

/** Files of the same name from different directories have different backups there. */
function elsewhereName(path: RemotePath): ReturnType<typeof remoteName> {
  return remoteName(bytesOfText(`${sha256Of(path).slice(0, 8)}-${nameText(path)}`));
}

async function verifyBackup(scene: SaveScene, backup: RemotePath): Promise<void> {
  const { files, commands, found, signal } = scene;
  const copied = await digestContent({ files, commands }, backup, signal);
  if (found === 'missing' || copied?.stamp.sha256 === found.sha256) return;
  throw fileError('changed-during-transfer', { path: showPath(scene.target.path) });
}
