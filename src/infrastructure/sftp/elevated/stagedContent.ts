import { randomBytes } from 'node:crypto';
import { writeFile } from '../../../application/files/writeFile.ts';
import type { OpenElevatedRequest, RemoteFiles } from '../../../application/ports/remoteFiles.ts';
import { bytesOfText } from '../../../domain/files/nameText.ts';
import {
  joinPath,
  pathOfText,
  remoteName,
  textOfPath,
  type RemotePath,
} from '../../../domain/files/remotePath.ts';
import { hasCode } from '../../../domain/fault.ts';

const always = new AbortController().signal;
/** Nobody but the one who is signed in reads it. */
const ownerOnly = 0o600;

export interface StagedContentOptions {
  readonly ordinary: OpenElevatedRequest['ordinary'];
  /** For a host whose ordinary files may not be written. */
  readonly withoutSftp: RemoteFiles;
  readonly leftovers: Set<string>;
}

/**
 * Content on its way to a command with other rights: in a file of the one who is signed in, where that user starts. Source: ssh.md 8.6.
 */
export class StagedContent {
  readonly #options: StagedContentOptions;

  constructor(options: StagedContentOptions) {
    this.#options = options;
  }

  /**
   * Runs `work` with a file that holds the bytes, and removes the file in every ending. Where that is not possible, because the link is
   * lost, it is named among `leftovers`. Rejects as `RemoteFiles` or as `work` does.
   */
  async hold<T>(bytes: Uint8Array, work: (file: RemotePath) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { ordinary, withoutSftp, leftovers } = this.#options;
    const use = <R>(own: (files: RemoteFiles) => Promise<R>, during: AbortSignal): Promise<R> =>
      ordinary.use(
        (files) => own(files.capabilities.isReadOnly ? withoutSftp : files),
        { isRepeatable: false },
        during,
      );
    const path = await use(temporaryPath, signal);
    try {
      await use((files) => upload(files, { path, bytes }, signal), signal);
      return await work(path);
    } finally {
      const isGone =
        !withoutSftp.isEnded &&
        (await use((files) => discard(files, path), always).then(
          () => true,
          () => false,
        ));
      if (!isGone) leftovers.add(textOfPath(path));
    }
  }
}

async function temporaryPath(files: RemoteFiles): Promise<RemotePath> {
  const start = await files.realpath(pathOfText('.'), always);
  const name = `.termind-sudo-${randomBytes(12).toString('hex')}.part`;
  return joinPath(start, remoteName(bytesOfText(name)));
}

async function upload(
  files: RemoteFiles,
  { path, bytes }: { readonly path: RemotePath; readonly bytes: Uint8Array },
  signal: AbortSignal,
): Promise<void> {
  const file = await files.open(path, { access: 'write', create: 'new', mode: ownerOnly }, signal);
  try {
    await writeFile(file, { source: [bytes], chunk: files.capabilities.maxWrite }, signal);
  } finally {
    await file.close(signal);
  }
}

/** The command may have removed it already. */
async function discard(files: RemoteFiles, path: RemotePath): Promise<void> {
  try {
    await files.remove(path, always);
  } catch (error) {
    if (!hasCode(error, 'not-found')) throw error;
  }
}
