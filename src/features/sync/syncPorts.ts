import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { RemoteFilesService } from '../../application/files/remoteFilesService.ts';
import type { OperationsLog } from '../../application/operations/operationsLog.ts';
import type { HostDirectory } from '../../application/ports/hosts.ts';
import type { PagesPort } from '../../application/ports/pages.ts';
import type { FolderSyncing } from '../../application/sync/folderSync.ts';

/** What comparing folders uses of the runtime. */
export interface SyncServices {
  readonly hosts: Pick<HostDirectory, 'get'>;
  readonly files: Pick<RemoteFilesService, 'browse' | 'openTransfer'>;
  readonly folderSync: FolderSyncing;
  readonly operations: Pick<OperationsLog, 'note'>;
}

/** What this feature needs of the window. */
export interface SyncPorts extends Pick<
  FeaturePorts,
  'registerCommand' | 'describeError' | 'describeFault' | 'log'
> {
  runtime(): Promise<SyncServices>;
}

/** What the command works with. */
export interface SyncDesk {
  readonly services: SyncServices;
  readonly pages: PagesPort;
  readonly ports: Pick<SyncPorts, 'describeError' | 'describeFault' | 'log'>;
}
