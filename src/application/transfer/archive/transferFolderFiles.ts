import { orAborted } from '../../exec/deadline.ts';
import type { FileContext } from '../engine/fileContext.ts';
import { transferFiles } from '../engine/filePool.ts';
import { keyOfTransfer } from '../engine/place.ts';
import { RemoteEnd } from '../engine/remoteEnd.ts';
import type { FileResult, Place, RemotePlace } from '../engine/transfer.ts';
import { archivable, isListable, type ArchivableFile, type FolderFile } from './archivableFile.ts';
import type { HostArchives } from './hostArchives.ts';
import type { Moved } from './moved.ts';
import { packThere } from './packThere.ts';
import { unpackHere } from './unpackHere.ts';
import { UnpackedFolder } from './unpackedFolder.ts';

/** With fewer small files an archive costs more than it saves. */
const fewest = 200;
/** Of one archive: what a lost connection costs at most. */
const most = { files: 1_000, bytes: 32 * 1024 * 1024 } as const;

export interface FolderFilesRequest {
  readonly from: Place;
  /** Made already, like every directory below it. */
  readonly to: Place;
  readonly files: readonly FolderFile[];
  readonly onResult: (result: FileResult) => void;
}

/** One direction between this machine and a host. */
interface ArchiveWay {
  readonly archives: HostArchives;
  takes(file: ArchivableFile): boolean;
  move(files: readonly ArchivableFile[], signal: AbortSignal): Promise<Moved>;
}

/**
 * All files of a folder whose directories are there: many small ones as archives where the host may unpack or make them, everything else,
 * and what an archive could not move, file by file. Tells how each has ended, once. Rejects as `transferFiles`. Source: ssh.md 8.7, 6.
 */
export async function transferFolderFiles(
  context: FileContext,
  request: FolderFilesRequest,
  signal: AbortSignal,
): Promise<void> {
  const key = context.whole ?? keyOfTransfer(request.from, request.to);
  if (context.running.has(key)) return inPool(context, request, signal);
  context.running.add(key);
  try {
    await removeLeft(context, request, key);
    const way = wayOf(context, request, key);
    if (way === undefined) await inPool(context, request, signal);
    else await inArchives(context, { ...request, way }, signal);
  } finally {
    context.running.delete(key);
  }
}

/** What an archive of an earlier transfer of this folder has left on the host. */
async function removeLeft(
  context: FileContext,
  { from, to }: Pick<FolderFilesRequest, 'from' | 'to'>,
  key: string,
): Promise<void> {
  const { target } = context;
  if (from.k === 'remote' || to.k === 'local' || !(target instanceof RemoteEnd)) return;
  const left = await UnpackedFolder.left(context, { folder: to, files: target.files, key });
  await left?.remove();
}

async function inArchives(
  context: FileContext,
  { way, ...request }: FolderFilesRequest & { readonly way: ArchiveWay },
  signal: AbortSignal,
): Promise<void> {
  const { onResult } = request;
  const small = new Map<FolderFile, ArchivableFile>();
  for (const file of request.files) {
    const one = archivable(file);
    if (one !== undefined && way.takes(one)) small.set(file, one);
  }
  if (small.size < fewest) return inPool(context, request, signal);
  const rest = request.files.filter((file) => !small.has(file)).map((file) => file.request);
  let isUsable = true;
  for (const batch of batchesOf([...small.values()])) {
    if (isUsable && (await orAborted(way.archives.mayUse(small.size), signal))) {
      const moved = await way.move(batch, signal);
      rest.push(...moved.left);
      isUsable = moved.isUsable;
    } else await inPool(context, { files: batch, onResult }, signal);
  }
  await transferFiles(context, { requests: rest, onResult }, signal);
}

function inPool(
  context: FileContext,
  { files, onResult }: Pick<FolderFilesRequest, 'files' | 'onResult'>,
  signal: AbortSignal,
): Promise<void> {
  return transferFiles(context, { requests: files.map(({ request }) => request), onResult }, signal);
}

/** Undefined where no archives go. */
function wayOf(
  context: FileContext,
  { from, to, onResult }: FolderFilesRequest,
  key: string,
): ArchiveWay | undefined {
  if (from.k === 'remote' && to.k === 'local' && from.archives !== undefined) {
    const { archives } = from;
    return {
      archives,
      takes: isListable,
      move: (files, signal) => unpackHere(context, { folder: from, archives, files, onResult }, signal),
    };
  }
  const { target } = context;
  if (from.k === 'remote' || to.k === 'local' || to.archives === undefined) return undefined;
  if (!(target instanceof RemoteEnd) || target.files.capabilities.isReadOnly) return undefined;
  return uploadWay(context, { target, folder: to, archives: to.archives, key, onResult });
}

function uploadWay(
  context: FileContext,
  {
    target,
    folder,
    archives,
    key,
    onResult,
  }: {
    readonly target: RemoteEnd;
    readonly folder: RemotePlace;
    readonly archives: HostArchives;
    readonly key: string;
    readonly onResult: (result: FileResult) => void;
  },
): ArchiveWay {
  const options = { folder, files: target.files, key };
  return {
    archives,
    // Elsewhere a directory may give what is made in it another group or other rights.
    takes: ({ isNew }) => isNew,
    move: async (files, signal) => {
      const unpacked = await UnpackedFolder.start(context, options);
      try {
        return await packThere(context, { target, unpacked, folder, archives, files, onResult }, signal);
      } finally {
        await unpacked.remove();
      }
    },
  };
}

function batchesOf(files: readonly ArchivableFile[]): readonly (readonly ArchivableFile[])[] {
  const batches: ArchivableFile[][] = [];
  let room = { files: 0, bytes: 0 };
  for (const file of files) {
    if (room.files === 0 || room.bytes < file.size) {
      batches.push([]);
      room = { ...most };
    }
    batches.at(-1)?.push(file);
    room = { files: room.files - 1, bytes: room.bytes - file.size };
  }
  return batches;
}
