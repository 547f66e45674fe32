import type { ToolContext } from '../../agentkit/index.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { ToolService } from './keys.ts';

/** Runs `task`, and shows the call as waiting for the host while there is no connection to it. */
export async function waitingForHost<T>(
  context: ToolContext,
  host: HostId,
  task: () => Promise<T>,
): Promise<T> {
  if (context.services.get(ToolService.connections).state(host).k === 'ready') return task();
  const shown = context.waiting('host');
  try {
    return await task();
  } finally {
    shown.dispose();
  }
}
