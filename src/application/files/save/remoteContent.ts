import { createHash } from 'node:crypto';
import { hasCode } from '../../../domain/fault.ts';
import type { ContentStamp } from '../../../domain/files/contentStamp.ts';
import type { RemotePath } from '../../../domain/files/remotePath.ts';
import type { HostCommands } from '../../ports/hostCommands.ts';
import type { RemoteFile, RemoteFiles } from '../../ports/remoteFiles.ts';
import { closeUnheard } from '../closeUnheard.ts';
import { readFile } from '../readFile.ts';
import { commandWord } from './commandWord.ts';

/** What a file holds now. */
export interface RemoteContent {
  readonly stamp: ContentStamp;
  /** Undefined when it was not read, or is longer than what is held here. */
  readonly content: Uint8Array | undefined;
}

/** More than an editor opens. Source: ssh.md 8.2. */
const maxHeldBytes = 64 * 1024 * 1024;
/** Up to here reading costs less than a command. Source: ssh.md 8.5, "checked". */
export const maxReadForDigest = 4 * 1024 * 1024;

/** Undefined when there is no such file. Reads all of it. Rejects as `RemoteFiles`. */
export async function readContent(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<RemoteContent | undefined> {
  let file: RemoteFile;
  try {
    file = await files.open(path, { access: 'read' }, signal);
  } catch (error) {
    if (hasCode(error, 'not-found')) return undefined;
    throw error;
  }
  try {
    return await contentOf(file, files, signal);
  } finally {
    closeUnheard(file);
  }
}

/** The stamp of a file, by a command of the host where that is allowed and costs less; otherwise as `readContent`. */
export async function digestContent(
  { files, commands }: { readonly files: RemoteFiles; readonly commands: HostCommands | undefined },
  path: RemotePath,
  signal: AbortSignal,
): Promise<RemoteContent | undefined> {
  if (commands !== undefined) {
    const stamp = await digestByCommand({ files, commands }, path, signal);
    if (stamp !== undefined) return { stamp, content: undefined };
  }
  return readContent(files, path, signal);
}

async function contentOf(file: RemoteFile, files: RemoteFiles, signal: AbortSignal): Promise<RemoteContent> {
  const { size: expectedSize, times } = await file.stat(signal);
  const digest = createHash('sha256');
  const pieces: Uint8Array[] = [];
  let size = 0;
  const options = {
    chunk: files.capabilities.maxRead,
    ...(expectedSize === undefined ? {} : { expectedSize }),
  };
  for await (const piece of readFile(file, options, signal)) {
    digest.update(piece);
    size += piece.length;
    if (size <= maxHeldBytes) pieces.push(piece);
    else pieces.length = 0;
  }
  return {
    stamp: { sha256: digest.digest('hex'), size, mtime: times?.modified },
    content: size <= maxHeldBytes ? Buffer.concat(pieces) : undefined,
  };
}

/** The path is absolute, so it is no option. */
const digestScript = 'sha256sum "$1" 2>/dev/null || shasum -a 256 "$1"';

/**
 * The stamp of a file that is so large that reading it costs more, by a command of the host; undefined where that is not possible or was
 * not answered. Never rejects: reading the file tells what is wrong.
 */
export async function digestByCommand(
  { files, commands }: { readonly files: RemoteFiles; readonly commands: HostCommands },
  path: RemotePath,
  signal: AbortSignal,
): Promise<ContentStamp | undefined> {
  const word = commandWord(path);
  if (word === undefined) return undefined;
  try {
    const { size, times } = await files.stat(path, signal);
    if (size === undefined || size <= maxReadForDigest) return undefined;
    const { stdout, code } = await commands.run(
      { script: digestScript, arguments: [word], isChange: false },
      signal,
    );
    const sha256 = /^\\?([0-9a-f]{64})\s/.exec(Buffer.from(stdout).toString('latin1'))?.[1];
    return code === 0 && sha256 !== undefined ? { sha256, size, mtime: times?.modified } : undefined;
  } catch {
    return undefined;
  }
}
