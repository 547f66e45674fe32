import type { ToolFilesPort } from '../files/runFiles.ts';
import type { RemoteFilesService } from '../files/remoteFilesService.ts';
import type { ConnectionManager } from '../ports/connection.ts';
import { FileRefusedError } from './fileRefused.ts';

/**
 * Files for whoever may neither connect nor ask: those of hosts that are connected already, over a channel for each use. Rejects with
 * `notConnected` elsewhere. Source: tools.md, section 2, mode r.
 */
export function connectedFiles(
  service: Pick<RemoteFilesService, 'openForRun'>,
  connections: Pick<ConnectionManager, 'state' | 'acquireUnasked'>,
): ToolFilesPort {
  return {
    async use({ host: { id: host } }, work, signal) {
      if (connections.state(host).k !== 'ready') throw new FileRefusedError('notConnected');
      const lease = await connections.acquireUnasked(host, 'agent-sftp', signal);
      try {
        const held = await service.openForRun(host, signal);
        try {
          return await work(held.files);
        } finally {
          held.release();
        }
      } finally {
        lease.release();
      }
    },
  };
}
