import type { EntryKind } from '../../domain/files/fileAttributes.ts';

/**
 * Names from the chosen folder down; empty = that folder itself. A name is spelt as `textOfPath` spells remote ones, so that every name a
 * file system holds has one. Source: ssh.md 8.2.
 */
export type LocalPath = readonly string[];

export interface LocalAttributes {
  readonly kind: EntryKind;
  /** Bytes. */
  readonly size: number;
  /** Permission bits; undefined where the system has none. */
  readonly mode: number | undefined;
  /** Seconds since 1970, with fractions. */
  readonly accessed: number;
  readonly modified: number;
}

export interface LocalEntry extends LocalAttributes {
  readonly name: string;
}

export interface LocalChange {
  /** Permission bits. */
  readonly mode?: number;
  /** Seconds since 1970. */
  readonly times?: { readonly accessed: number; readonly modified: number };
}

/** Files of this machine. Its implementation is the only one that touches the disk. */
export interface LocalFilesPort {
  /**
   * The folder that a person chose, as it is now: a link to it is followed once, here. Rejects with `not-found`, `not-directory`, `denied`.
   * Whoever opens it closes it.
   */
  openFolder(path: string): Promise<LocalFolder>;
}

/**
 * One folder and what is in it. No link below it is ever followed, also not one that appears while it is used: a path that leads over one
 * rejects with `outside-folder`, and a name that leaves the folder or that this system cannot hold with `bad-name`. Rejects otherwise with
 * `not-found`, `denied`, `exists`, `no-space`, `quota`, `busy`, `read-only`, `not-directory`, `is-directory`, `not-empty`, `file-failed`.
 * Source: ssh.md 8.7; issue 6, "links that change during a download".
 */
export interface LocalFolder {
  /** Absolute, without links. */
  readonly path: string;
  /** Undefined when there is nothing. A link is not followed. */
  stat(path: LocalPath): Promise<LocalAttributes | undefined>;
  /** Everything in a directory, in no order; what goes away meanwhile is left out. */
  list(path: LocalPath): AsyncIterable<LocalEntry>;
  /** A plain file only. */
  openRead(path: LocalPath): Promise<LocalFile>;
  /** A new file, for reading and writing; only its owner may use it. */
  create(path: LocalPath): Promise<LocalFile>;
  /** A plain file that is there, for reading and writing. */
  openWrite(path: LocalPath): Promise<LocalFile>;
  /** `mode`: permission bits, subject to the umask. */
  mkdir(path: LocalPath, mode: number): Promise<void>;
  /** Within one directory. With `replace` a file or link in the way is replaced in one step. */
  rename(move: { readonly from: LocalPath; readonly name: string; readonly replace: boolean }): Promise<void>;
  /** A file or a link, never a directory. */
  remove(path: LocalPath): Promise<void>;
  /** Of a file or directory, never of a link. */
  change(path: LocalPath, change: LocalChange): Promise<void>;
  close(): Promise<void>;
}

/** One open file. Whoever opened it closes it. */
export interface LocalFile {
  stat(): Promise<LocalAttributes>;
  /** At most `length` bytes; empty = nothing at this offset or behind it. The bytes belong to the caller. `into`: `length` bytes to read into. */
  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  /** All of them. */
  write(offset: number, bytes: Uint8Array): Promise<void>;
  truncate(length: number): Promise<void>;
  /** True: the disk has them. False: its file system cannot say so. Rejects when what was written may be lost. */
  flush(): Promise<boolean>;
  change(change: LocalChange): Promise<void>;
  close(): Promise<void>;
}
