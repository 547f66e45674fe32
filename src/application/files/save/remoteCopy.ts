import { hasCode } from '../../../domain/fault.ts';
import type { RemotePath } from '../../../domain/files/remotePath.ts';
import type { RemoteFile, RemoteFiles } from '../../ports/remoteFiles.ts';
import { closeUnheard } from '../closeUnheard.ts';
import { readFile } from '../readFile.ts';
import { writeFile } from '../writeFile.ts';
import { closeToOthers, ownerOnly } from './fileMode.ts';

/** Copies a file to a new one that only its owner reads, on the server where it can, and says how. Rejects as `RemoteFiles`; an incomplete copy stays. */
export async function copyRemote(
  files: RemoteFiles,
  { from, to }: { readonly from: RemotePath; readonly to: RemotePath },
  signal: AbortSignal,
): Promise<'server' | 'stream'> {
  let way: 'server' | 'stream' = 'server';
  const copy = await files.open(to, { access: 'write', create: 'new', mode: ownerOnly }, signal);
  try {
    await closeToOthers(copy, await copy.stat(signal), signal);
    const source = await files.open(from, { access: 'read' }, signal);
    try {
      if (!(await copiedByServer(files, { source, copy }, signal))) {
        way = 'stream';
        await writeFile(
          copy,
          {
            source: readFile(source, { chunk: files.capabilities.maxRead }, signal),
            chunk: files.capabilities.maxWrite,
          },
          signal,
        );
      }
    } finally {
      closeUnheard(source);
    }
    await flushed(files, copy, signal);
  } catch (error) {
    closeUnheard(copy);
    throw error;
  }
  await copy.close(signal);
  return way;
}

/** False where the server cannot flush. Rejects when it could not keep what it had taken. */
export async function flushed(files: RemoteFiles, file: RemoteFile, signal: AbortSignal): Promise<boolean> {
  if (!files.capabilities.operations.has('fsync')) return false;
  try {
    await file.fsync(signal);
    return true;
  } catch (error) {
    if (hasCode(error, 'unsupported')) return false;
    throw error;
  }
}

async function copiedByServer(
  files: RemoteFiles,
  { source, copy }: { readonly source: RemoteFile; readonly copy: RemoteFile },
  signal: AbortSignal,
): Promise<boolean> {
  if (!files.capabilities.operations.has('copyData')) return false;
  try {
    await files.copyData({ from: source, fromOffset: 0, length: 0, to: copy, toOffset: 0 }, signal);
    return true;
  } catch (error) {
    if (hasCode(error, 'unsupported')) return false;
    throw error;
  }
}
