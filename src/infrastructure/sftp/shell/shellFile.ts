import type { RemoteFile } from '../../../application/ports/remoteFiles.ts';
import type { AttributeChange, FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import type { RemotePath } from '../../../domain/files/remotePath.ts';
import { faultOfCommand } from './shellAnswers.ts';
import type { ShellFiles } from './shellFiles.ts';

/** A file that is opened anew by each command: what is at its path meanwhile is what is read and written. */
export class ShellFile implements RemoteFile {
  readonly path: RemotePath;
  readonly #files: ShellFiles;

  constructor(path: RemotePath, files: ShellFiles) {
    this.path = path;
    this.#files = files;
  }

  async read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
    const asked = Math.min(length, this.#files.capabilities.maxRead);
    const more = [String(offset + 1), String(asked)];
    const { stdout, stderr } = await this.#files.run({ name: 'read', path: this.path, more }, signal);
    // The status is that of the last command; the first one says why there is nothing.
    if (stdout.length === 0 && stderr !== '') throw faultOfCommand('read', this.path, stderr);
    return stdout;
  }

  async write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    if (bytes.length > this.#files.capabilities.maxWrite)
      throw new RangeError('more bytes than one request takes');
    await this.#files.write(this.path, { offset, bytes: Uint8Array.from(bytes) }, signal);
  }

  fsync(): Promise<void> {
    return Promise.reject(fileError('unsupported', { operation: 'fsync' }, { outcome: 'not-sent' }));
  }

  stat(signal: AbortSignal): Promise<FileAttributes> {
    return this.#files.stat(this.path, signal);
  }

  setstat(change: AttributeChange, signal: AbortSignal): Promise<void> {
    return this.#files.setstat(this.path, change, signal);
  }

  /** Each write is over when it has resolved. */
  async close(): Promise<void> {}
}
