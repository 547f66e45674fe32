import { fileError } from '../../../domain/files/fileFault.ts';
import { digestByCommand } from '../../files/save/remoteContent.ts';
import type { HostCommands } from '../../ports/hostCommands.ts';
import type { End, EntryFacts } from './end.ts';
import { isSameFile } from './existingTarget.ts';
import { showPlace } from './place.ts';
import { RemoteEnd } from './remoteEnd.ts';
import type { FileFacts, Place } from './transfer.ts';
import { digestOf } from './verifiedSource.ts';

/** Bytes of one request: up to 64 of them are on their way for each file. */
const chunkBytes = 128 * 1024;

export interface DigestRequest {
  readonly end: End;
  readonly place: Place;
  /** As it was listed. */
  readonly listed: FileFacts | undefined;
  /** Undefined for this machine, and where the host is not to be asked. */
  readonly commands: HostCommands | undefined;
  /** Bytes that were read, or that a command has read. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * SHA-256 of a file in hexadecimal: by a command of the host where that costs less, otherwise by reading. Rejects as the end does, and with
 * `changed-during-transfer` when it is not as it was listed.
 */
export async function digestPlace(
  { end, place, listed, commands, onBytes }: DigestRequest,
  signal: AbortSignal,
): Promise<string> {
  const stamp =
    end instanceof RemoteEnd && place.k === 'remote' && commands !== undefined
      ? await digestByCommand({ files: end.files, commands }, place.path, signal)
      : undefined;
  if (stamp !== undefined) {
    checkUnchanged(place, listed, await end.look(place, signal));
    onBytes?.(stamp.size);
    return stamp.sha256;
  }
  const open = await end.openSource(place, signal);
  const reader: Pick<typeof open, 'read'> = {
    read: async (offset, length, own) => {
      const bytes = await open.read(offset, length, own);
      onBytes?.(bytes.length);
      return bytes;
    },
  };
  try {
    const chunk = Math.min(end.maxRead, chunkBytes);
    const digest = await digestOf({ reader, chunk, size: listed?.size }, signal);
    checkUnchanged(place, listed, await open.facts(signal));
    return digest;
  } finally {
    await open.close();
  }
}

function checkUnchanged(place: Place, listed: FileFacts | undefined, now: EntryFacts | undefined): void {
  if (listed !== undefined && now !== undefined && isSameFile(listed, now)) return;
  throw fileError('changed-during-transfer', { path: showPlace(place) });
}
