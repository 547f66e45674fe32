import type { FilesFacts } from '../../domain/host/host.ts';
import type { Channels } from './connection.ts';
import type { SudoPassword } from '../exec/sudoDialogue.ts';
import type { Fault } from '../../domain/fault.ts';
import type { AttributeChange, EntryKind, FileAttributes } from '../../domain/files/fileAttributes.ts';
import type { RemoteName, RemotePath } from '../../domain/files/remotePath.ts';

/** What a server may lack, or refuse although it announced it. Source: ssh.md 8.1 and 8.4. */
export const optionalOperations = [
  'posixRename',
  'statvfs',
  'hardlink',
  'fsync',
  'lsetstat',
  'limits',
  'expandPath',
  'copyData',
  'homeDirectory',
  'namesById',
  'setstat',
  'symlink',
  'readlink',
] as const;
export type OptionalOperation = (typeof optionalOperations)[number];

/**
 * How files of a host are reached: SFTP as a subsystem, its server program by a command, or plain commands of a POSIX shell, which is slow
 * and read-only until the user allows writing. Source: ssh.md 8.4.
 */
export type FilesWay = 'subsystem' | 'command' | 'shell';

export interface FilesCapabilities {
  readonly way: FilesWay;
  /** Announced, and not refused so far. What is not here rejects with `unsupported` and was not sent. Changes when something is refused. */
  readonly operations: ReadonlySet<OptionalOperation>;
  /** Most bytes that one `read` returns and one `write` takes. Until a first file is open it may be less than what the server takes. */
  readonly maxRead: number;
  readonly maxWrite: number;
  /** How many files may be open at a time; undefined when the server does not tell, or has not told yet. */
  readonly maxOpen: number | undefined;
  /** Everything that changes a file rejects with `read-only`. */
  readonly isReadOnly: boolean;
}

export interface OpenMode {
  readonly access: 'read' | 'write' | 'readWrite';
  /** `new`: it must not exist yet. Absent: it must exist. */
  readonly create?: 'ifMissing' | 'new';
  readonly truncate?: boolean;
  readonly append?: boolean;
  /** Permission bits of a file that is created. */
  readonly mode?: number;
}

/** One entry of a directory, as the listing tells it; a link is not followed. */
export interface DirectoryEntry {
  readonly name: RemoteName;
  /** Undefined when the server does not tell. */
  readonly kind: EntryKind | undefined;
  readonly attributes: FileAttributes;
  /** How many names the file has, and how its owner and group are called, where the server's line for people says so. */
  readonly links?: number;
  readonly ownerName?: string;
  readonly groupName?: string;
}

/** What one answer of the server held, in the server's order; `.` and `..` are left out. */
export interface DirectoryPage {
  readonly entries: readonly DirectoryEntry[];
  /** Names that are none (with a slash, with NUL, empty), shown safely: they are not used for anything. */
  readonly refused: readonly string[];
}

/** Sizes in bytes. */
export interface FileSystemSpace {
  readonly total: number;
  readonly free: number;
  /** What an ordinary user may still use. */
  readonly available: number;
  readonly files: { readonly total: number; readonly available: number };
  /** Equal for paths of one file system, where the server tells. */
  readonly id: bigint;
  readonly isReadOnly: boolean;
  readonly longestName: number;
}

/**
 * The files of one host over one channel. Requests are sent as they are asked for, without waiting for earlier ones, and may be answered
 * in any order. Every call rejects with `TermindError`: `not-found`, `denied`, `unsupported`, `file-failed` and the others of
 * `FileFaultCode`; with `cancelled` when its signal aborts, where the outcome of what was sent is `unknown`; and with the fault of
 * `ended` when the channel is over, as `outcome-unknown` for what would have changed something. Whoever opened it closes it.
 * Source: ssh.md 8.1.
 */
export interface RemoteFiles {
  readonly capabilities: FilesCapabilities;
  /** Resolves once, when the channel is over, by whatever cause; after `close` with `cancelled`. */
  readonly ended: Promise<Fault>;
  /** True once `ended` has resolved or is about to. */
  readonly isEnded: boolean;

  open(path: RemotePath, mode: OpenMode, signal: AbortSignal): Promise<RemoteFile>;
  /** Follows links. */
  stat(path: RemotePath, signal: AbortSignal): Promise<FileAttributes>;
  lstat(path: RemotePath, signal: AbortSignal): Promise<FileAttributes>;
  /** Follows links. */
  setstat(path: RemotePath, change: AttributeChange, signal: AbortSignal): Promise<void>;
  /** Of the link itself. */
  lsetstat(path: RemotePath, change: AttributeChange, signal: AbortSignal): Promise<void>;
  /** Pages as they arrive. Rejects with `not-directory` for what is none. Leaving the loop early closes the directory. */
  list(path: RemotePath, signal: AbortSignal): AsyncIterable<DirectoryPage>;
  /** Absolute and without links; `.` is where the server starts. */
  realpath(path: RemotePath, signal: AbortSignal): Promise<RemotePath>;
  /** What the link holds, unchecked. */
  readlink(path: RemotePath, signal: AbortSignal): Promise<RemotePath>;
  symlink(link: { readonly at: RemotePath; readonly to: RemotePath }, signal: AbortSignal): Promise<void>;
  hardlink(link: { readonly at: RemotePath; readonly to: RemotePath }, signal: AbortSignal): Promise<void>;
  /**
   * With `replace` a file in the way is replaced in one step where the server can, and the answer says so. Without, and where it cannot,
   * `rename` is a plain one, which rejects with `exists`. Never copies.
   */
  rename(
    move: { readonly from: RemotePath; readonly to: RemotePath; readonly replace: boolean },
    signal: AbortSignal,
  ): Promise<'posixRename' | 'rename'>;
  /** `mode`: permission bits, subject to the server's umask. */
  mkdir(path: RemotePath, mode: number | undefined, signal: AbortSignal): Promise<void>;
  /** Only an empty one. Rejects with `not-directory` for what is none. */
  rmdir(path: RemotePath, signal: AbortSignal): Promise<void>;
  /** A file or a link, never a directory. */
  remove(path: RemotePath, signal: AbortSignal): Promise<void>;
  statvfs(path: RemotePath, signal: AbortSignal): Promise<FileSystemSpace>;
  /** `~` and `~user` at the beginning. */
  expandPath(path: RemotePath, signal: AbortSignal): Promise<RemotePath>;
  /** Of a user by name; of the one who is signed in when absent. */
  homeDirectory(user: string | undefined, signal: AbortSignal): Promise<RemotePath>;
  /** In the order of the ids; undefined for one that has no name. */
  namesById(
    ids: { readonly uids: readonly number[]; readonly gids: readonly number[] },
    signal: AbortSignal,
  ): Promise<{
    readonly users: readonly (string | undefined)[];
    readonly groups: readonly (string | undefined)[];
  }>;
  /**
   * The server copies between two of its open files; `length` 0 = to the end. Copies nothing else and says nothing about progress.
   */
  copyData(
    copy: {
      readonly from: RemoteFile;
      readonly fromOffset: number;
      readonly length: number;
      readonly to: RemoteFile;
      readonly toOffset: number;
    },
    signal: AbortSignal,
  ): Promise<void>;
  /** At once; what is pending ends. */
  close(): void;
}

/** One open file. Whoever opened it closes it; it also ends with its channel. */
export interface RemoteFile {
  readonly path: RemotePath;
  /**
   * One request: at most `length` and at most `maxRead` bytes, perhaps fewer though more follow. Empty = nothing at this offset or behind
   * it. The bytes belong to the caller.
   */
  read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array>;
  /** At most `maxWrite` bytes, as one request. The bytes may be changed once this has returned. */
  write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Resolves when the server has them on its disk. */
  fsync(signal: AbortSignal): Promise<void>;
  stat(signal: AbortSignal): Promise<FileAttributes>;
  setstat(change: AttributeChange, signal: AbortSignal): Promise<void>;
  /** Waits for its writes that are pending; rejects when the server could not keep what it had taken. */
  close(signal: AbortSignal): Promise<void>;
}

export interface OpenFilesRequest {
  readonly channels: Pick<Channels, 'bytes' | 'exec'>;
  /** As `Lease.lost`: files that hold no channel of their own end by it. */
  readonly lost: Promise<Fault>;
  /** What answers of this host have told before. */
  readonly known: Omit<FilesFacts, 'at'> | undefined;
  /** How long the channel waits for a place; a default of the purpose when absent. */
  readonly queueMs?: number;
  /** The user allows writing by plain commands of the shell. */
  readonly mayWriteByShell: boolean;
  /** What an answer has told, to be added to what is known: never because something took too long. */
  readonly onLearned: (facts: Omit<FilesFacts, 'at'>) => void;
}

export interface OpenElevatedRequest {
  readonly channels: Pick<Channels, 'bytes' | 'exec'>;
  /** As `Lease.lost`. */
  readonly lost: Promise<Fault>;
  /** The files of the one who is signed in: content passes through one of them where there is no server program. */
  readonly ordinary: {
    use<T>(
      work: (files: RemoteFiles) => Promise<T>,
      options: { readonly isRepeatable: boolean },
      signal: AbortSignal,
    ): Promise<T>;
  };
  /** Takes files of such content that could not be removed, spelt by `textOfPath`: whoever opens the ordinary files again removes them. */
  readonly leftovers: Set<string>;
  /** Whose rights; root when absent. */
  readonly user?: string;
  readonly password: SudoPassword;
}

/** Opens the files of a host over a channel. Its implementation is the only one that knows the protocol. */
export interface FilesOpenerPort {
  /**
   * By the subsystem; by the server program behind a marker where a start-up file prints text or there is no subsystem; by plain commands
   * where there is no such program and the shell is a POSIX one. Rejects with `sftp-missing`, `sftp-noise` (fact `text`), `stalled`, `cancelled` or the connection's fault, and leaves no
   * channel open then. The caller closes what it gets. Source: ssh.md 8.4.
   */
  open(request: OpenFilesRequest, signal: AbortSignal): Promise<RemoteFiles>;
  /**
   * With the rights of another user, by `sudo`: the server program, or a shell where there is none, which is read-only for others than root.
   * Rejects with `sudo-refused` (fact `reason`) and as `open`. The passwords are used up and disposed. Source: ssh.md 8.6 and 1.9.
   */
  openElevated(request: OpenElevatedRequest, signal: AbortSignal): Promise<RemoteFiles>;
}
