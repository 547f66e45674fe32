import type { RemoteFilesService } from '../../files/remoteFilesService.ts';
import type { LocalFilesPort } from '../../ports/localFiles.ts';
import type { TransferQueue } from '../../transfer/queue/transferQueue.ts';

/** What the transfer tools of other programs work with. */
export interface TransferDeps {
  readonly queue: Pick<TransferQueue, 'add' | 'entry' | 'onDidChange'>;
  readonly local: LocalFilesPort;
  readonly files: Pick<RemoteFilesService, 'browse'>;
  /** Folders of this machine that transfers stay in, absolute; as of now. Source: tools.md 14, `termind.mcp.transferRoots`. */
  readonly roots: () => readonly string[];
}
