import { openShownHost, type ShownHostPorts } from '../files/openShownHost.ts';
import type { ToolFilesPort } from '../files/runFiles.ts';
import type { ConnectionManager } from '../ports/connection.ts';
import { FileRefusedError } from './fileRefused.ts';

export interface ConnectedFilesOptions extends ShownHostPorts {
  readonly connections: Pick<ConnectionManager, 'state' | 'acquireUnasked'>;
}

/**
 * Files for whoever may neither connect nor ask: those of hosts that are connected already, over a channel for each use. Rejects with
 * `notConnected` elsewhere, and with `otherHost` when the host leads somewhere else than was shown. Source: tools.md, section 2, mode r.
 */
export function connectedFiles({ connections, ...ports }: ConnectedFilesOptions): ToolFilesPort {
  return {
    async use({ host }, work, signal) {
      if (connections.state(host.id).k !== 'ready') throw new FileRefusedError('notConnected');
      const lease = await connections.acquireUnasked(host.id, 'agent-sftp', signal);
      const held = await openShownHost({ lease, host }, ports, signal);
      try {
        return await work(held.files);
      } finally {
        held.release();
      }
    },
  };
}
