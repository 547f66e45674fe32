import type { ContentStamp } from '../../../domain/files/contentStamp.ts';
import { textOfPath, type RemotePath } from '../../../domain/files/remotePath.ts';
import type { HostId } from '../../../domain/host/hostId.ts';

/** Files of a host. `as`: whose rights they are seen and changed with; the one who is signed in when absent. Source: ssh.md 8.6. */
export interface FilesPlace {
  readonly host: HostId;
  readonly as?: string;
}

/** One file or folder of a host. */
export interface DocumentAt extends FilesPlace {
  readonly path: RemotePath;
}

/** Equal for equal places. */
export function placeKey({ host, as }: FilesPlace): string {
  return as === undefined ? host : `${host}:${as}`;
}

/** Equal for equal files seen with equal rights, whatever their names consist of. */
export function documentKey({ path, ...place }: DocumentAt): string {
  return `${placeKey(place)}${textOfPath(path)}`;
}

/** What is told about a file or folder. */
export interface DocumentStatus {
  /** Behind all links; `missing` for a link that leads nowhere. */
  readonly kind: 'file' | 'directory' | 'other' | 'missing';
  readonly isLink: boolean;
  /** Bytes, as the server says. */
  readonly size: number;
  /** Milliseconds: the server's second and a revision. See `FileVersions`. */
  readonly mtime: number;
  /** Nothing can be written on this host as it is reached now. */
  readonly isReadOnly: boolean;
}

export interface DocumentChange {
  readonly at: DocumentAt;
  readonly kind: 'created' | 'changed' | 'deleted';
}

/** What the editor knows and keeps. */
export interface OpenDocumentsPort {
  /** Whether it shows this file, or holds it in the background. */
  isOpen(at: DocumentAt): boolean;
  /** Whether the open document of this file holds changes that are not saved. */
  isDirty(at: DocumentAt): boolean;
  /**
   * What a document with changes was made from, kept while the window is closed: the editor brings its changes back without reading the
   * file. Undefined when it is not known.
   */
  keptBase(key: string): ContentStamp | undefined;
  /** Undefined forgets it. */
  keepBase(key: string, base: ContentStamp | undefined): void;
}
