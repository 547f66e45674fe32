import type { SyncPath } from '../../domain/sync/syncEntry.ts';

/** Takes entries away that were examined. A directory only when it is empty. */
export interface Remover {
  file(path: SyncPath, signal: AbortSignal): Promise<void>;
  /** Rejects with `conflict` when something is in it. */
  directory(path: SyncPath, signal: AbortSignal): Promise<void>;
  /** Where everything is now, fit to be shown; undefined when nothing was kept, or not by us. */
  readonly trash: string | undefined;
}
