import type { RemoteFiles } from '../ports/remoteFiles.ts';

/** Files of a host for one purpose. Whoever has them releases them, which also closes their channel unless it is shared. */
export interface HeldFiles {
  readonly files: RemoteFiles;
  /** Idempotent. */
  release(): void;
}
