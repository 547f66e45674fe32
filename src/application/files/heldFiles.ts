import type { RemoteFiles } from '../ports/remoteFiles.ts';

/** Files of a host for one purpose. Whoever has them releases them, which also closes their channel unless it is shared. */
export interface HeldFiles {
  readonly files: RemoteFiles;
  /** Browsing and transfers of this host have one channel together: whoever transfers leaves room for clicks and opens no second one. */
  readonly isShared: boolean;
  /** Others wait for channels of this host: whoever has several for one file gives this one back. Absent: never. Source: ssh.md 1.5. */
  readonly isSurplus?: () => boolean;
  /** Idempotent. */
  release(): void;
}
