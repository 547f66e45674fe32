import type { RemoteFile } from '../../application/ports/remoteFiles.ts';
import type { AttributeChange, FileAttributes } from '../../domain/files/fileAttributes.ts';
import type { RemotePath } from '../../domain/files/remotePath.ts';
import { sshString } from '../../domain/keys/wire.ts';
import { attributeBytes } from './attributes.ts';
import { attributesCall, change, expected, extended, isEndOfFile } from './calls.ts';
import type { FileRequests } from './fileRequests.ts';
import { packetType } from './protocol.ts';
import { readData } from './replies.ts';
import { lengthOf, uint32, uint64 } from './requests.ts';

/** One open file of a session. */
export class SftpFile implements RemoteFile {
  readonly path: RemotePath;
  /** The handle with its length in front, as every request has it. */
  readonly field: Buffer;
  readonly #requests: FileRequests;
  readonly #writes = new Set<Promise<void>>();

  constructor(path: RemotePath, handle: Buffer, requests: FileRequests) {
    this.path = path;
    this.field = sshString(handle);
    this.#requests = requests;
  }

  isOf(requests: FileRequests): boolean {
    return this.#requests === requests;
  }

  read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
    const asked = Math.min(length, this.#requests.limits.read);
    return this.#requests.ask(
      { k: 'read', path: this.path },
      {
        type: packetType.read,
        fields: [this.field, uint64(offset), uint32(asked)],
        isChange: false,
        read: (reply) => {
          if (isEndOfFile(reply)) return Buffer.alloc(0);
          const bytes = readData(expected(reply, packetType.data));
          if (bytes.length > asked) throw new RangeError('more data than was asked for');
          return bytes;
        },
      },
      signal,
    );
  }

  async write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    if (bytes.length > this.#requests.limits.write) throw new RangeError('more bytes than one request takes');
    const message = { type: packetType.write, fields: [this.field, uint64(offset), lengthOf(bytes), bytes] };
    const written = this.#requests.ask(
      { k: 'write', path: this.path, bytes: bytes.length },
      change(message),
      signal,
    );
    this.#writes.add(written);
    try {
      await written;
    } finally {
      this.#writes.delete(written);
    }
  }

  fsync(signal: AbortSignal): Promise<void> {
    return this.#requests.optional('fsync', () =>
      this.#requests.ask(
        { k: 'flush', path: this.path },
        change(extended('fsync', [this.field]), true),
        signal,
      ),
    );
  }

  stat(signal: AbortSignal): Promise<FileAttributes> {
    return this.#requests.ask(
      { k: 'stat', path: this.path },
      attributesCall(packetType.fstat, this.field),
      signal,
    );
  }

  setstat(attributes: AttributeChange, signal: AbortSignal): Promise<void> {
    const message = { type: packetType.fsetstat, fields: [this.field, attributeBytes(attributes)] };
    return this.#requests.optional('setstat', () =>
      this.#requests.ask({ k: 'setstat', path: this.path }, change(message), signal),
    );
  }

  async close(signal: AbortSignal): Promise<void> {
    await Promise.allSettled(this.#writes);
    const message = { type: packetType.close, fields: [this.field] };
    await this.#requests.ask({ k: 'close', path: this.path }, change(message, true), signal);
  }
}
