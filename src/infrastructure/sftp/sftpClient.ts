import type { Duplex } from 'node:stream';
import type { ClockPort } from '../../agentkit/index.ts';
import { orAborted } from '../../application/exec/deadline.ts';
import type {
  DirectoryPage,
  FilesCapabilities,
  FilesWay,
  FileSystemSpace,
  OpenMode,
  OptionalOperation,
  RemoteFile,
  RemoteFiles,
} from '../../application/ports/remoteFiles.ts';
import type { Fault } from '../../domain/fault.ts';
import type { AttributeChange, FileAttributes } from '../../domain/files/fileAttributes.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { pathOfText, type RemotePath } from '../../domain/files/remotePath.ts';
import { sshString } from '../../domain/keys/wire.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';
import { attributeBytes } from './attributes.ts';
import {
  attributesCall,
  change,
  expected,
  extended,
  handleCall,
  pathCall,
  pathField,
  spaceCall,
  type Call,
} from './calls.ts';
import { availableOperations, isOpenSshServer } from './extensions.ts';
import { FileRequests, isUnsupported } from './fileRequests.ts';
import { listDirectory } from './listDirectory.ts';
import { openFlag, packetType } from './protocol.ts';
import { readIdNames, type Reply } from './replies.ts';
import { idList, uint32, uint64 } from './requests.ts';
import { SftpFile } from './sftpFile.ts';
import { SftpSession } from './sftpSession.ts';
import type { FileRequest } from './whyRefused.ts';

export interface SftpClientOptions {
  readonly clock: ClockPort;
  readonly way: FilesWay;
  /** What this host has refused before. */
  readonly refused: readonly OptionalOperation[];
  /** The server has refused as unsupported what it may have announced. */
  readonly onRefused: (operation: OptionalOperation) => void;
}

/** How many requests for one directory are on their way where the server answers them in order. Source: ssh.md 8.7, 6. */
const openSshListAhead = 4;
/** The server copies without a word, so it gets pieces that take seconds. */
const copyPiece = 64 * 1024 * 1024;

interface Link {
  readonly at: RemotePath;
  readonly to: RemotePath;
}

/** SFTP version 3 over one stream of bytes. Source: ssh.md 8.1; draft-ietf-secsh-filexfer-02; OpenSSH PROTOCOL section 4. */
export class SftpClient implements RemoteFiles {
  readonly ended: Promise<Fault>;
  readonly capabilities: FilesCapabilities;
  readonly #requests: FileRequests;
  readonly #listAhead: number;
  /** Never rejects. */
  readonly #limitsAsked: Promise<void>;

  /**
   * Agrees with the server on the version and asks for its limits. What the first file is asked for is asked with them: on a far line that
   * is a round trip less. The client owns the stream, also when this rejects.
   */
  static async start(stream: Duplex, options: SftpClientOptions, signal: AbortSignal): Promise<SftpClient> {
    const session = new SftpSession(stream, options.clock);
    try {
      const announced = await session.begin(signal);
      const operations = availableOperations(announced, options.refused);
      const requests = new FileRequests(session, operations, options.onRefused);
      return new SftpClient(requests, options.way, isOpenSshServer(announced) ? openSshListAhead : 1);
    } catch (error) {
      session.close();
      throw error;
    }
  }

  private constructor(requests: FileRequests, way: FilesWay, listAhead: number) {
    const { operations, limits, session } = requests;
    this.#requests = requests;
    this.#listAhead = listAhead;
    this.ended = session.ended;
    this.capabilities = {
      way,
      operations,
      get maxRead() {
        return limits.read;
      },
      get maxWrite() {
        return limits.write;
      },
      get maxOpen() {
        return limits.open;
      },
      isReadOnly: false,
    };
    this.#limitsAsked = requests.askLimits();
  }

  get isEnded(): boolean {
    return this.#requests.session.fault !== undefined;
  }

  async open(path: RemotePath, mode: OpenMode, signal: AbortSignal): Promise<RemoteFile> {
    const requests = this.#requests;
    const attributes = attributeBytes(mode.mode === undefined ? {} : { mode: mode.mode });
    const message = {
      type: packetType.open,
      fields: [pathField(path), uint32(flagsOf(mode)), attributes],
      isChange: mode.access !== 'read',
    };
    const call = handleCall(message, (handle) => requests.closeHandle(handle));
    const handle = await requests.ask({ k: 'open', path, mode }, call, signal);
    try {
      await orAborted(this.#limitsAsked, signal);
    } catch (error) {
      requests.closeHandle(handle);
      throw fileError('cancelled', {}, { cause: error, outcome: message.isChange ? 'unknown' : 'failed' });
    }
    return new SftpFile(path, handle, requests);
  }

  async stat(path: RemotePath, signal: AbortSignal): Promise<FileAttributes> {
    const call = attributesCall(packetType.stat, pathField(path));
    return this.#requests.ask({ k: 'stat', path }, call, signal);
  }

  async lstat(path: RemotePath, signal: AbortSignal): Promise<FileAttributes> {
    const call = attributesCall(packetType.lstat, pathField(path));
    return this.#requests.ask({ k: 'stat', path }, call, signal);
  }

  async setstat(path: RemotePath, attributes: AttributeChange, signal: AbortSignal): Promise<void> {
    const message = { type: packetType.setstat, fields: [pathField(path), attributeBytes(attributes)] };
    return this.#optional('setstat', { about: { k: 'setstat', path }, call: change(message) }, signal);
  }

  async lsetstat(path: RemotePath, attributes: AttributeChange, signal: AbortSignal): Promise<void> {
    const message = extended('lsetstat', [pathField(path), attributeBytes(attributes)]);
    return this.#optional('lsetstat', { about: { k: 'setstat', path }, call: change(message) }, signal);
  }

  list(path: RemotePath, signal: AbortSignal): AsyncIterable<DirectoryPage> {
    return listDirectory(this.#requests, { path, ahead: this.#listAhead }, signal);
  }

  async realpath(path: RemotePath, signal: AbortSignal): Promise<RemotePath> {
    const message = { type: packetType.realpath, fields: [pathField(path)] };
    return this.#requests.ask({ k: 'realpath', path }, pathCall(message), signal);
  }

  async readlink(path: RemotePath, signal: AbortSignal): Promise<RemotePath> {
    const message = { type: packetType.readlink, fields: [pathField(path)] };
    return this.#optional('readlink', { about: { k: 'readlink', path }, call: pathCall(message) }, signal);
  }

  /** OpenSSH takes the two paths in the order opposite to the draft, and so does everybody after it. Source: OpenSSH PROTOCOL section 4.1. */
  async symlink({ at, to }: Link, signal: AbortSignal): Promise<void> {
    const message = { type: packetType.symlink, fields: [pathField(to), pathField(at)] };
    return this.#optional('symlink', { about: { k: 'symlink', path: at }, call: change(message) }, signal);
  }

  async hardlink({ at, to }: Link, signal: AbortSignal): Promise<void> {
    const message = extended('hardlink', [pathField(to), pathField(at)]);
    return this.#optional(
      'hardlink',
      { about: { k: 'hardlink', path: at, to }, call: change(message) },
      signal,
    );
  }

  async rename(
    move: { readonly from: RemotePath; readonly to: RemotePath; readonly replace: boolean },
    signal: AbortSignal,
  ): Promise<'posixRename' | 'rename'> {
    const { from, to, replace } = move;
    const fields = [pathField(from), pathField(to)];
    const about = { k: 'rename', path: from, to } as const;
    if (replace && this.#requests.operations.has('posixRename'))
      try {
        const message = extended('posixRename', fields);
        await this.#optional('posixRename', { about: { ...about, replace }, call: change(message) }, signal);
        return 'posixRename';
      } catch (error) {
        if (!isUnsupported(error)) throw error;
      }
    const message = { type: packetType.rename, fields };
    await this.#requests.ask({ ...about, replace: false }, change(message), signal);
    return 'rename';
  }

  async mkdir(path: RemotePath, mode: number | undefined, signal: AbortSignal): Promise<void> {
    const attributes = attributeBytes(mode === undefined ? {} : { mode });
    const message = { type: packetType.mkdir, fields: [pathField(path), attributes] };
    return this.#requests.ask({ k: 'mkdir', path }, change(message), signal);
  }

  async rmdir(path: RemotePath, signal: AbortSignal): Promise<void> {
    const message = { type: packetType.rmdir, fields: [pathField(path)] };
    return this.#requests.ask({ k: 'rmdir', path }, change(message), signal);
  }

  async remove(path: RemotePath, signal: AbortSignal): Promise<void> {
    const message = { type: packetType.remove, fields: [pathField(path)] };
    return this.#requests.ask({ k: 'remove', path }, change(message), signal);
  }

  async statvfs(path: RemotePath, signal: AbortSignal): Promise<FileSystemSpace> {
    return this.#optional('statvfs', { about: { k: 'statvfs', path }, call: spaceCall(path) }, signal);
  }

  async expandPath(path: RemotePath, signal: AbortSignal): Promise<RemotePath> {
    const call = pathCall(extended('expandPath', [pathField(path)]));
    return this.#optional('expandPath', { about: { k: 'expandPath', path }, call }, signal);
  }

  async homeDirectory(user: string | undefined, signal: AbortSignal): Promise<RemotePath> {
    const call = pathCall(extended('homeDirectory', [sshString(user ?? '')]));
    return this.#optional('homeDirectory', { about: { k: 'home', path: home }, call }, signal);
  }

  async namesById(
    { uids, gids }: { readonly uids: readonly number[]; readonly gids: readonly number[] },
    signal: AbortSignal,
  ): Promise<{
    readonly users: readonly (string | undefined)[];
    readonly groups: readonly (string | undefined)[];
  }> {
    const call = {
      ...extended('namesById', [idList(uids), idList(gids)]),
      isChange: false,
      read: (reply: Reply) => readIdNames(expected(reply, packetType.extendedReply)),
    };
    const { users, groups } = await this.#optional(
      'namesById',
      { about: { k: 'home', path: home }, call },
      signal,
    );
    return {
      users: uids.map((_, index) => nameAt(users, index)),
      groups: gids.map((_, index) => nameAt(groups, index)),
    };
  }

  async copyData(copy: Parameters<RemoteFiles['copyData']>[0], signal: AbortSignal): Promise<void> {
    const { from, to } = copy;
    const isOurs = (file: RemoteFile): file is SftpFile =>
      file instanceof SftpFile && file.isOf(this.#requests);
    if (!isOurs(from) || !isOurs(to))
      throw fileError('unsupported', { operation: 'copyData' }, { outcome: 'not-sent' });
    let done = 0;
    do {
      // Of no bytes at all, the server copies to the end.
      const bytes = Math.min(copyPiece, copy.length - done);
      const source = [from.field, uint64(copy.fromOffset + done), uint64(bytes)];
      const message = extended('copyData', [...source, to.field, uint64(copy.toOffset + done)]);
      await this.#optional(
        'copyData',
        { about: { k: 'copyData', path: to.path, bytes }, call: change(message, true) },
        signal,
      );
      done += copyPiece;
    } while (done < copy.length);
  }

  close(): void {
    this.#requests.session.close();
  }

  #optional<T>(
    operation: OptionalOperation,
    { about, call }: { readonly about: FileRequest; readonly call: Call<T> },
    signal: AbortSignal,
  ): Promise<T> {
    return this.#requests.optional(operation, () => this.#requests.ask(about, call, signal));
  }
}

const home = pathOfText('~');

function nameAt(names: readonly string[], index: number): string | undefined {
  const name = names[index] ?? '';
  return name === '' ? undefined : showUntrusted(name);
}

function flagsOf({ access, create, truncate, append }: OpenMode): number {
  return (
    (access === 'write' ? 0 : openFlag.read) |
    (access === 'read' ? 0 : openFlag.write) |
    (create === undefined ? 0 : openFlag.create) |
    (create === 'new' ? openFlag.exclusive : 0) |
    (truncate === true ? openFlag.truncate : 0) |
    (append === true ? openFlag.append : 0)
  );
}
