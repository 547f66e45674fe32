import { kindOf, type FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { showPath, type RemotePath } from '../../../domain/files/remotePath.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import { closeUnheard } from '../closeUnheard.ts';
import { readFile } from '../readFile.ts';

/** More than that does not open in an editor. Source: ssh.md 8.2. */
export const maxDocumentBytes = 50 * 1024 * 1024;

/**
 * The whole content of a file, to its end as it is when it is reached, and its attributes as it was opened. Rejects with `too-large` above
 * the limit, `is-directory`, and as `RemoteFiles`.
 */
export async function readDocument(
  files: RemoteFiles,
  path: RemotePath,
  signal: AbortSignal,
): Promise<{ readonly content: Uint8Array; readonly attributes: FileAttributes }> {
  const file = await files.open(path, { access: 'read' }, signal);
  try {
    const attributes = await file.stat(signal);
    if (kindOf(attributes) === 'directory') throw fileError('is-directory', { path: showPath(path) });
    const { size: expectedSize } = attributes;
    const refuseAbove = (bytes: number): void => {
      if (bytes > maxDocumentBytes)
        throw fileError('too-large', { path: showPath(path), limit: String(maxDocumentBytes) });
    };
    refuseAbove(expectedSize ?? 0);
    const options = {
      chunk: files.capabilities.maxRead,
      ...(expectedSize === undefined ? {} : { expectedSize }),
    };
    const pieces: Uint8Array[] = [];
    let total = 0;
    for await (const piece of readFile(file, options, signal)) {
      pieces.push(piece);
      total += piece.length;
      refuseAbove(total);
    }
    return { content: Buffer.concat(pieces), attributes };
  } finally {
    closeUnheard(file);
  }
}
