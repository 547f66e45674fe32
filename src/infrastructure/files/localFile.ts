import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { LocalAttributes, LocalChange, LocalFile } from '../../application/ports/localFiles.ts';
import { permissionBits } from '../../domain/files/permissions.ts';
import { errorCode } from '../net/errorCode.ts';
import { localErrorOf } from './localFault.ts';

/** So much is on its way to the disk before it is sent there: what is left for the end takes a moment then, and not as long as a transfer. */
const unflushedBytes = 32 * 1024 * 1024;

/** Of file systems and drivers that have no such call; every other error tells of bytes that did not get there. */
const cannotFlush: ReadonlySet<string> = new Set([
  'EINVAL',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EPERM',
  'EACCES',
  'UNKNOWN',
]);

/** An open plain file. Large ones go to the disk while they are written. */
export class DiskFile implements LocalFile {
  readonly #handle: FileHandle;
  readonly #shown: string;
  #unflushed = 0;
  #flushing: Promise<void> | undefined;
  /** Of a flush that nobody waited for. The system tells each error of a file once. */
  #flushError: Error | undefined;

  /** `shown`: its path, fit to be shown. It owns the handle. */
  constructor(handle: FileHandle, shown: string) {
    this.#handle = handle;
    this.#shown = shown;
  }

  async stat(): Promise<LocalAttributes> {
    return attributesOf(await this.#with('stat', () => this.#handle.stat()));
  }

  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> {
    return this.#with('read', async () => {
      const bytes = into ?? Buffer.allocUnsafeSlow(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled === length ? bytes : bytes.subarray(0, filled);
    });
  }

  write(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#with('write', async () => {
      let written = 0;
      while (written < bytes.length) {
        const { bytesWritten } = await this.#handle.write(
          bytes,
          written,
          bytes.length - written,
          offset + written,
        );
        written += bytesWritten;
      }
      this.#flushAhead(written);
    });
  }

  truncate(length: number): Promise<void> {
    return this.#with('write', () => this.#handle.truncate(length));
  }

  flush(): Promise<boolean> {
    return this.#with('flush', async () => {
      await this.#flushing;
      try {
        if (this.#flushError !== undefined) throw this.#flushError;
        await this.#handle.sync();
        return true;
      } catch (error) {
        if (cannotFlush.has(errorCode(error))) return false;
        throw error;
      }
    });
  }

  change({ mode, times }: LocalChange): Promise<void> {
    return this.#with('setstat', async () => {
      if (mode !== undefined) await this.#handle.chmod(mode & permissionBits);
      if (times !== undefined) await this.#handle.utimes(times.accessed, times.modified);
    });
  }

  close(): Promise<void> {
    return this.#with('close', async () => {
      await this.#flushing;
      await this.#handle.close();
    });
  }

  #flushAhead(written: number): void {
    this.#unflushed += written;
    if (this.#unflushed < unflushedBytes || this.#flushing !== undefined) return;
    this.#unflushed = 0;
    this.#flushing = this.#handle
      .datasync()
      .catch((error: unknown) => {
        this.#flushError ??= error instanceof Error ? error : new Error(String(error));
      })
      .then(() => (this.#flushing = undefined));
  }

  async #with<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw localErrorOf(error, this.#shown, operation);
    }
  }
}

export function attributesOf(stats: Stats): LocalAttributes {
  return {
    kind: stats.isFile()
      ? 'file'
      : stats.isDirectory()
        ? 'directory'
        : stats.isSymbolicLink()
          ? 'symlink'
          : 'other',
    size: stats.size,
    mode: process.platform === 'win32' ? undefined : stats.mode & permissionBits,
    accessed: stats.atimeMs / 1_000,
    modified: stats.mtimeMs / 1_000,
  };
}
