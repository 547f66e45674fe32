import type { Fault } from '../../../domain/fault.ts';
import type { RemotePath } from '../../../domain/files/remotePath.ts';
import type { HostId } from '../../../domain/host/hostId.ts';
import type { HeldFiles } from '../../files/heldFiles.ts';
import type { HostCommands } from '../../ports/hostCommands.ts';
import type { LocalPath } from '../../ports/localFiles.ts';
import type { HostArchives } from '../archive/hostArchives.ts';

/** A place on this machine: `path` in the folder that a person chose, which nothing leaves. */
export interface LocalPlace {
  readonly k: 'local';
  /** Absolute. */
  readonly folder: string;
  readonly path: LocalPath;
}

/** A place on a host. */
export interface RemotePlace {
  readonly k: 'remote';
  readonly host: HostId;
  /**
   * Opens one channel for transfers, as `RemoteFilesService.openTransfer` does. Called for the first channel and, for large files, for
   * more; the engine releases each.
   */
  readonly open: (signal: AbortSignal) => Promise<HeldFiles>;
  /** For digests of what lies there already. Absent: the host is asked over its files only. */
  readonly commands?: HostCommands;
  /** Many small files may go as archives. Absent: each goes by itself. */
  readonly archives?: HostArchives;
  /** Absolute. */
  readonly path: RemotePath;
}

export type Place = LocalPlace | RemotePlace;

/**
 * What happens with a target that is there. `resume`: what is complete already (same size and time) is skipped, everything else replaced.
 * `rename`: the new one gets a free name beside it. What an earlier transfer of the same source to the same target left unfinished is
 * verified and continued under every policy; under `resume` a source that has changed since then rejects with `changed-during-transfer`,
 * otherwise it begins anew with the warning `source-changed`. Source: ssh.md 8.7, 4 and 8.8.
 */
export type ExistingPolicy = 'skip' | 'overwrite' | 'rename' | 'resume';

/** What is known of a file. */
export interface FileFacts {
  /** Bytes; undefined when it is not known: everything is read to the end. */
  readonly size: number | undefined;
  /** Whole seconds since 1970. */
  readonly modified: number | undefined;
}

export interface ExistingTarget {
  readonly from: Place;
  readonly to: Place;
  readonly source: FileFacts;
  readonly target: FileFacts;
}

/** Asked for each target that is there; whoever asks a person remembers "for all". Its rejection ends this file only. */
export type DecideExisting = (existing: ExistingTarget, signal: AbortSignal) => Promise<ExistingPolicy>;

export type Existing = ExistingPolicy | DecideExisting;

export interface TransferProgress {
  /** Of the whole request, with what was there already. */
  readonly doneBytes: number;
  /** Undefined while it is not known. */
  readonly totalBytes: number | undefined;
  /** Over the last 3 seconds. */
  readonly bytesPerSecond: number;
  /** Undefined in the first 2 seconds and while it cannot be told. */
  readonly secondsLeft: number | undefined;
  readonly doneFiles: number;
  /** Undefined while the folder is not read to the end. */
  readonly totalFiles: number | undefined;
}

export interface TransferOptions {
  readonly existing: Existing;
  /** At most four times a second, and once at the end. Source: ssh.md 8.7, 8. */
  readonly onProgress?: (progress: TransferProgress) => void;
  /** The target gets the time of the source and, when it is new, its permissions; true when absent. What is replaced keeps its permissions. */
  readonly keepsAttributes?: boolean;
}

export interface FileRequest extends TransferOptions {
  readonly from: Place;
  readonly to: Place;
  /** Bytes of another digest (SHA-256, hexadecimal) are not sent: rejects with `conflict`, and the target is as before. Source: ssh.md 8.8. */
  readonly expectSourceSha256?: string;
  /** The source as the caller has seen it; another one rejects with `conflict`, and the target is as before. */
  readonly expectSource?: FileFacts;
  /** The target as the caller has seen it, `missing` when there was none; another one rejects with `conflict` and is as before. */
  readonly expectTarget?: FileFacts | 'missing';
  /** The digest of the whole file is computed and the target read back and compared. Source: ssh.md 8.7, 5. */
  readonly verify?: boolean;
}

/** What was not as wanted and did not stop the transfer. `path` is fit to be shown. */
export interface TransferWarning {
  readonly code:
    | 'source-changed'
    | 'part-unusable'
    | 'attributes-not-kept'
    | 'not-flushed'
    | 'not-replaced-in-one-step'
    | 'link-skipped'
    | 'special-skipped'
    | 'name-refused';
  readonly path: string;
}

export interface FileOutcome {
  /** `skipped`: the target was there and stays. */
  readonly k: 'done' | 'skipped';
  /** Where it is now, which is not the one of the request after `rename`. */
  readonly to: Place;
  /** The size of the target; of a skipped one as far as it is known. */
  readonly bytes: number;
  /** Bytes that an earlier transfer had left and that were verified. */
  readonly resumedBytes: number;
  /** Hexadecimal; only where the request asked for `verify` or named a digest. */
  readonly sha256: string | undefined;
  /** The source had another size or time at the end than at the beginning. Source: ssh.md 8.7, 8; SFTP-5. */
  readonly changedDuringTransfer: boolean;
  readonly warnings: readonly TransferWarning[];
}

/** How one file of several ended. */
export type FileResult =
  | { readonly from: Place; readonly to: Place; readonly outcome: FileOutcome }
  | { readonly from: Place; readonly to: Place; readonly fault: Fault };

export type FolderFileState = 'waiting' | 'running' | 'done' | 'skipped' | 'failed';

export interface ListedFile {
  /** The same for the whole transfer, from 0. */
  readonly number: number;
  /** From the folder down, fit to be shown. */
  readonly path: string;
}

export interface RunningFile extends ListedFile {
  readonly doneBytes: number;
  readonly totalBytes: number | undefined;
}

/** The files of a folder that is being transferred, always as they are now. Files whose directory failed are not among them. */
export interface FolderFiles {
  readonly counts: Readonly<Record<FolderFileState, number>>;
  /** At most as many as are open at a time. */
  readonly running: readonly RunningFile[];
  /** The first so many in this state. */
  list(state: FolderFileState, most: number): readonly ListedFile[];
}

export interface FolderRequest extends TransferOptions {
  readonly from: Place;
  /** The folder itself, not the one that holds it. Made when it is missing. */
  readonly to: Place;
  /** Each file and each directory that failed, once, as it ends. */
  readonly onResult?: (result: FileResult) => void;
  /** Once, when the folder is read and its files begin. */
  readonly onFiles?: (files: FolderFiles) => void;
}

export interface FolderOutcome {
  readonly doneFiles: number;
  readonly skippedFiles: number;
  /** Failed files and directories; one does not stop the others. */
  readonly failed: number;
  /** The first 1,000 of them. */
  readonly failures: readonly { readonly path: string; readonly fault: Fault }[];
  /** Of what was done. */
  readonly bytes: number;
  readonly changedDuringTransfer: number;
  /** The first 1,000. */
  readonly warnings: readonly TransferWarning[];
}

export interface CompareRequest {
  readonly kind: 'file' | 'folder';
  readonly from: Place;
  readonly to: Place;
  /** What is at the target under another name cannot be found there. */
  readonly isLeftOut?: (from: Place) => boolean;
  /** At most four times a second, and once at the end. */
  readonly onProgress?: (progress: TransferProgress) => void;
  /** Each file that is missing at the target, has another content there (`content-differs`), or cannot be compared, with the reason. */
  readonly onDifferent: (from: Place, fault: Fault) => void;
}

export interface ComparedFiles {
  readonly files: number;
  /** With directories that could not be read. */
  readonly different: number;
  readonly leftOut: number;
}

export interface DiscardRequest {
  readonly kind: 'file' | 'folder';
  readonly from: Place;
  readonly to: Place;
}

/**
 * Moves files between this machine and hosts, and between hosts. A file is written to `.<name>.<random>.part` beside its target and takes
 * its place when it is complete; until then the target is as it was. Rejects with `TermindError`: the file faults, the connection's faults,
 * `cancelled` when the signal aborts, `outcome-unknown` when the connection was lost while the target was being replaced. After a
 * rejection the part and a journal of it stay, so that the same request goes on from there. Source: ssh.md 8.7 and 8.8.
 */
export interface TransferEngine {
  /** A plain file. Links of a host are followed at both ends, links of this machine are not (`outside-folder`). Rejects with `is-directory`. */
  file(request: FileRequest, signal: AbortSignal): Promise<FileOutcome>;
  /**
   * Many files over the same channels, small ones at the same time. Resolves when each has ended; rejects only with the signal, or when the
   * connection is lost. In no order. All sources are at one end, and so are all targets.
   */
  files(
    requests: readonly FileRequest[],
    options: {
      readonly onResult: (result: FileResult, index: number) => void;
      readonly onProgress?: (progress: TransferProgress) => void;
    },
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * A folder with everything in it, to a depth of 64. Links and what is neither file nor directory are skipped with a warning. Rejects as
   * `files`, and when the folder at either end cannot be used.
   */
  folder(request: FolderRequest, signal: AbortSignal): Promise<FolderOutcome>;
  /**
   * Compares each file of the source with the one at the target by its SHA-256, which a command of a host computes where that is allowed and
   * costs less than reading it. What is only at the target is not looked at, and nothing is changed. Rejects when the source cannot be read,
   * when the signal aborts, and when an end is over. Source: ssh.md 8.8, "verify".
   */
  compare(request: CompareRequest, signal: AbortSignal): Promise<ComparedFiles>;
  /**
   * Removes the parts and journals that an earlier, unfinished transfer of this source to this target left, of a folder those of its files
   * and what was unpacked for it; an old file that waits under another name gets its own back. Nothing when there are none, and nothing of
   * what is transferred now.
   */
  discard(request: DiscardRequest, signal: AbortSignal): Promise<void>;
}
