import {
  listeningPortsCommand,
  readListeningPorts,
  type ListeningPort,
} from '../../domain/forward/listeningPorts.ts';
import { localFault } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { ClockPort } from '../../agentkit/index.ts';
import type { ConnectionManager } from '../ports/connection.ts';

/** Longer than any table of sockets that a person reads. */
const mostBytes = 512 * 1024;
const limitMs = 10_000;

/**
 * What listens on a host, by one command that reads only. Undefined when the host tells it in no way that we read. Rejects as `acquire`
 * and `exec`, and with `not-responding` when it takes longer than ten seconds. Source: ssh.md 6.
 */
export async function listRemotePorts(
  host: HostId,
  {
    connections,
    clock,
  }: { readonly connections: Pick<ConnectionManager, 'acquire'>; readonly clock: ClockPort },
  signal: AbortSignal,
): Promise<readonly ListeningPort[] | undefined> {
  const lease = await connections.acquire(host, 'exec', signal);
  const late = new AbortController();
  const timer = clock.after(limitMs, () => late.abort(localFault('not-responding')));
  try {
    const channel = await lease.exec(listeningPortsCommand, AbortSignal.any([signal, late.signal]));
    const ended = new Promise<never>((_resolve, reject) => {
      const end = (): void => {
        channel.close();
        reject(late.signal.aborted ? localFault('not-responding') : localFault('cancelled'));
      };
      for (const one of [signal, late.signal]) one.addEventListener('abort', end, { once: true });
    });
    const parts: Uint8Array[] = [];
    let bytes = 0;
    channel.onData(({ stream, bytes: part }) => {
      if (stream !== 'stdout' || bytes >= mostBytes) return;
      bytes += part.length;
      parts.push(Uint8Array.from(part));
    });
    channel.end();
    await Promise.race([channel.closed, ended]);
    return readListeningPorts(Buffer.concat(parts).toString('utf8'));
  } finally {
    timer.dispose();
    lease.release();
  }
}
