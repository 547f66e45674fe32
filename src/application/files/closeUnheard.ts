import { neverAborted } from '../../agentkit/index.ts';
import type { RemoteFile } from '../ports/remoteFiles.ts';

/**
 * Closes a file that was only read, or whose content does not matter any more: nobody waits for it, and its failure changes nothing. It is
 * sent also when what the file was opened for was cancelled, or the server would keep it open as long as the channel.
 */
export function closeUnheard(file: Pick<RemoteFile, 'close'>): void {
  file.close(neverAborted).catch(() => {});
}
