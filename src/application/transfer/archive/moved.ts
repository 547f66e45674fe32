import type { PoolRequest } from '../engine/filePool.ts';
import type { FileResult } from '../engine/transfer.ts';
import type { ArchivableFile } from './archivableFile.ts';
import type { HostArchives } from './hostArchives.ts';
import type { RemotePlace } from '../engine/transfer.ts';

/** Files that go as one archive. */
export interface ArchiveOrder {
  /** The folder on the host that holds them all. */
  readonly folder: RemotePlace;
  readonly archives: HostArchives;
  readonly files: readonly ArchivableFile[];
  /** Told for each that has ended. */
  readonly onResult: (result: FileResult) => void;
}

/** What became of an archive. */
export interface Moved {
  /** What it has not moved, as it was. */
  readonly left: readonly PoolRequest[];
  /** Another one may go the same way. */
  readonly isUsable: boolean;
}
