import type { FileSystemSpace } from '../../application/ports/remoteFiles.ts';
import type { FileAttributes } from '../../domain/files/fileAttributes.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { remotePath, showPath, type RemotePath } from '../../domain/files/remotePath.ts';
import { sshString } from '../../domain/keys/wire.ts';
import { extensionName } from './extensions.ts';
import { maxPathLength, packetType, statusCode } from './protocol.ts';
import { readAttrs, readHandle, readNames, readNumbers, readStatus, type Reply } from './replies.ts';
import type { SessionRequest } from './sftpSession.ts';
import { RefusedRequest } from './statusFault.ts';

/** One request and what its answer means. `read` throws `RefusedRequest` for a refusal and a RangeError for what is no such answer. */
export interface Call<T> extends SessionRequest {
  readonly read: (reply: Reply) => T;
}

/** Type and fields of a request. */
export type Message = Pick<SessionRequest, 'type' | 'fields'>;

/** A request that changes something and is answered by a status only. */
export function change(message: Message, isLong = false): Call<void> {
  return { ...message, isChange: true, isLong, read: finished };
}

export function attributesCall(type: number, field: Uint8Array): Call<FileAttributes> {
  const read = (reply: Reply): FileAttributes => readAttrs(expected(reply, packetType.attrs));
  return { type, fields: [field], isChange: false, read };
}

export function pathCall(message: Message): Call<RemotePath> {
  return {
    ...message,
    isChange: false,
    read: (reply) => {
      const [file] = readNames(expected(reply, packetType.name));
      if (file === undefined) throw new RangeError('an answer without a name');
      return remotePath(file.name);
    },
  };
}

export function spaceCall(path: RemotePath): Call<FileSystemSpace> {
  return {
    ...extended('statvfs', [pathField(path)]),
    isChange: false,
    read: (reply) => spaceOf(expected(reply, packetType.extendedReply)),
  };
}

/** `onUnwanted` gets a handle for which nobody waits any more. */
export function handleCall(
  message: Message & Pick<SessionRequest, 'isChange'>,
  onUnwanted: (handle: Buffer) => void,
): Call<Buffer> {
  return {
    ...message,
    read: (reply) => readHandle(expected(reply, packetType.handle)),
    onLate: (reply) => {
      if (reply.type === packetType.handle) onUnwanted(readHandle(reply.fields));
    },
  };
}

export function extended(operation: keyof typeof extensionName, fields: readonly Uint8Array[]): Message {
  return { type: packetType.extended, fields: [sshString(extensionName[operation]), ...fields] };
}

/** Rejects with `bad-name` what no server would take. */
export function pathField(path: RemotePath): Buffer {
  if (path.length > maxPathLength)
    throw fileError('bad-name', { path: showPath(path) }, { outcome: 'not-sent' });
  return sshString(path);
}

/** The fields of an answer of this type. */
export function expected(reply: Reply, type: number): Buffer {
  if (reply.type === type) return reply.fields;
  if (reply.type !== packetType.status) throw new RangeError(`an answer of type ${String(reply.type)}`);
  throw new RefusedRequest(readStatus(reply.fields));
}

export function isEndOfFile(reply: Reply): boolean {
  return reply.type === packetType.status && readStatus(reply.fields).code === statusCode.endOfFile;
}

function finished(reply: Reply): void {
  if (reply.type !== packetType.status) throw new RangeError(`an answer of type ${String(reply.type)}`);
  const status = readStatus(reply.fields);
  if (status.code !== statusCode.ok) throw new RefusedRequest(status);
}

/** Source: OpenSSH PROTOCOL section 4.4. */
function spaceOf(fields: Buffer): FileSystemSpace {
  const numbers = readNumbers(fields, 11);
  const at = (index: number): bigint => numbers[index] ?? 0n;
  const unit = at(1);
  return {
    total: Number(at(2) * unit),
    free: Number(at(3) * unit),
    available: Number(at(4) * unit),
    files: { total: Number(at(5)), available: Number(at(7)) },
    id: at(8),
    isReadOnly: (at(9) & 1n) !== 0n,
    longestName: Number(at(10)),
  };
}
