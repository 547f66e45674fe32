import type { Fault } from '../../../domain/fault.ts';
import type { ContentStamp } from '../../../domain/files/contentStamp.ts';
import type { RemotePath } from '../../../domain/files/remotePath.ts';
import type { InPlaceReason } from '../../../domain/files/saveWay.ts';
import type { HostId } from '../../../domain/host/hostId.ts';
import type { KeptSave } from '../../ports/keptSaves.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import type { Backup } from './backups.ts';
import type { RemoteContent } from './remoteContent.ts';

export interface SaveTarget {
  readonly host: HostId;
  readonly path: RemotePath;
  /** Whose rights, for elevated files; the one who is signed in when absent. Source: ssh.md 8.6. */
  readonly as?: string;
}

/**
 * The channel that a save uses. It is asked again after a lost link, and opens a new one then: `BrowsedFiles.use` without repetition,
 * `ElevatedFiles.use`, or a channel of a run that is opened anew.
 */
export interface SaveFiles {
  /** Rejects as opening does or as `work` does; repeats nothing. */
  use<T>(work: (files: RemoteFiles) => Promise<T>, signal: AbortSignal): Promise<T>;
}

/**
 * What the file is to hold before: the content that was opened, `missing` when there was none, or `anything` when the person has seen what is
 * there and wants it replaced.
 */
export type SaveBase = ContentStamp | 'missing' | 'anything';

export interface SaveRequest {
  readonly target: SaveTarget;
  /** Everything the file is to hold. Not to be changed until the save has settled. */
  readonly content: Uint8Array;
  readonly base: SaveBase;
  readonly files: SaveFiles;
  /**
   * Who saves: an editor, a run. Later saves of one writer stand for its earlier ones; those of another writer wait for them and are
   * compared with what they leave behind.
   */
  readonly writer: string;
  /** A copy of the old content stays beside the file; the newest five do. Source: ssh.md 8.5, "backed". */
  readonly keepBackup: boolean;
  /** Permission bits of a file that is created; 0644 when absent. */
  readonly mode?: number;
}

/** What could not be kept or done, although the content is safe. */
export type SaveWarning =
  /** The server cannot flush: the content may be lost with its power. */
  | 'notFlushed'
  /** The security label of the old file is not on the new one. */
  | 'label'
  /** Old backups are still there. */
  | 'oldBackups'
  /** A file of the save is still beside the target. */
  | 'leftover';

export interface SavedFile {
  readonly k: 'saved';
  /** The base of the next save. */
  readonly stamp: ContentStamp;
  /** `inPlace`: it kept its identity, and for a moment it held neither content. `unchanged`: it held the new content already. */
  readonly way: 'created' | 'replaced' | 'inPlace' | 'unchanged';
  /** Why it was written in place. */
  readonly because: InPlaceReason | undefined;
  /** What the file held before, on the server; see `FileSaving.undo`. */
  readonly backup: RemotePath | undefined;
  readonly warnings: readonly SaveWarning[];
  /** A later save of the same writer has taken this one's place: the stamp is that one's. */
  readonly isSuperseded: boolean;
}

/** The file holds something else than the base. Nothing was written. */
export interface SaveConflict {
  readonly k: 'conflict';
  /** What it holds now; undefined when there is none. To overwrite: save again with its stamp as the base. */
  readonly theirs: RemoteContent | undefined;
  readonly kept: string;
}

/** It failed, and the file holds what it held before. */
export interface SaveFailed {
  readonly k: 'failed';
  readonly fault: Fault;
  /** The id of the kept save; undefined when it could not be kept, so nothing was sent. */
  readonly kept: string | undefined;
}

/**
 * The link was lost and did not come back: the file holds the old or the new content, whole, or is damaged and its backup is whole.
 * `examine` tells which once the link is back.
 */
export interface SaveUnknown {
  readonly k: 'unknown';
  readonly fault: Fault;
  readonly kept: string;
}

/** The file was being written in place and holds neither content, and the server refused to take the old one back. It is whole in `backup`. `retry` and `restore` end it. */
export interface SaveDamaged {
  readonly k: 'damaged';
  readonly fault: Fault;
  readonly backup: RemotePath;
  readonly kept: string;
}

export type SaveOutcome = SavedFile | SaveConflict | SaveFailed | SaveUnknown | SaveDamaged;

/** What is found of a kept save on its host. */
export type Examined =
  /** The file holds the new content; the kept save is gone. */
  | { readonly k: 'done'; readonly stamp: ContentStamp }
  /** The file holds what it held before: the save may be done again. */
  | { readonly k: 'retry' }
  | { readonly k: 'damaged'; readonly backup: RemotePath }
  /** Somebody has written something else since. */
  | Pick<SaveConflict, 'k' | 'theirs'>;

/** How to go on with a kept save. */
export interface KeptRequest extends Pick<SaveRequest, 'files'> {
  readonly id: string;
}

/**
 * Saves that cannot lose data: the content is on this machine's disk before anything is sent and stays there until the server has told
 * that it holds it, and the server holds the whole old or the whole new content at every moment, or while it is written in place a whole
 * copy of the old one. A file is written by one save at a time, whoever asks. Source: ssh.md 8.5.
 */
export interface FileSaving {
  /**
   * Settles every request, also a superseded one. An abort before the content takes effect leaves the old one (`failed` with `cancelled`);
   * after that the save goes on and tells how it ended. Rejects only by errors of this program.
   */
  save(request: SaveRequest, signal: AbortSignal): Promise<SaveOutcome>;
  /** Saves that were not confirmed, and are not on their way now: of this window and of those that are gone. The newest first. */
  kept(): Promise<readonly KeptSave[]>;
  /** The content of a kept save. Rejects with `not-found`. */
  keptContent(id: string): Promise<Uint8Array>;
  /** Looks at what the server holds and tidies up there. Rejects with the fault when it cannot be looked at. */
  examine(request: KeptRequest, signal: AbortSignal): Promise<Examined>;
  /** Saves its content, which also ends a damaged file, unless somebody has written something else. Rejects with `not-found`. */
  retry(request: KeptRequest, signal: AbortSignal): Promise<SaveOutcome>;
  /** Writes what the backup holds over a damaged file. Settles as `examine` would then: `retry` when it holds the old content again. */
  restore(request: KeptRequest, signal: AbortSignal): Promise<Examined>;
  /** Forgets the content: the person does not want it. What is on the server stays. */
  discard(id: string): Promise<void>;
  /** The backups of a file on its host, the newest first. Rejects as `RemoteFiles`. */
  backups(request: Pick<SaveRequest, 'target' | 'files'>, signal: AbortSignal): Promise<readonly Backup[]>;
  /** Saves what a backup holds over what was saved (`base`), as any other save: a conflict is told, and the backup stays. */
  undo(
    request: Omit<SaveRequest, 'content'> & { readonly backup: RemotePath },
    signal: AbortSignal,
  ): Promise<SaveOutcome>;
}
