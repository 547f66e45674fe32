import { hasCode } from '../../../domain/fault.ts';
import type { FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { permissionBits } from '../../../domain/files/permissions.ts';
import type { RemoteFile } from '../../ports/remoteFiles.ts';

/** Nobody else reads what a save writes beside a file, until it is whole. */
export const ownerOnly = 0o600;
/** A server that does not set an attribute says one of these. Source: ssh.md 8.4. */
export const refusedAttribute = ['denied', 'unsupported', 'file-failed'] as const;

/** Sets permission bits where the server does so; whether it did, its attributes tell. Rejects as `RemoteFile.setstat` for anything else. */
export async function askForMode(file: RemoteFile, mode: number, signal: AbortSignal): Promise<void> {
  try {
    await file.setstat({ mode: mode & permissionBits }, signal);
  } catch (error) {
    if (!hasCode(error, ...refusedAttribute)) throw error;
  }
}

/**
 * For a file that was just made, also by a server that pays no heed to the mode of a new file. `made`: its attributes then. True when it was
 * made so that nobody else reads it.
 */
export async function closeToOthers(
  file: RemoteFile,
  made: FileAttributes,
  signal: AbortSignal,
): Promise<boolean> {
  if (made.mode !== undefined && (made.mode & permissionBits & ~ownerOnly) === 0) return true;
  await askForMode(file, ownerOnly, signal);
  return false;
}
