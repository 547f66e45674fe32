import type { ClockPort } from '../../agentkit/index.ts';
import type { ShellFamily } from '../../domain/host/host.ts';
import { deadline, orAborted } from '../exec/deadline.ts';
import type { HostStorePort } from '../ports/hosts.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { Lease } from '../ports/connection.ts';

const limitMs = 10_000;

/**
 * Milliseconds that a command which does nothing ran on the server: from the server's word that it was started to its exit status, both
 * of which travel the same way, so the network is not in it. What is left is the start of the login shell. Undefined when the server
 * refuses, ends with anything but status 0, or takes longer than ten seconds. Rejects only on abort. Source: ssh.md 1.10.
 */
export async function measureShellStart(
  lease: Pick<Lease, 'exec'>,
  clock: ClockPort,
  signal: AbortSignal,
): Promise<number | undefined> {
  const limit = deadline(clock, { delayMs: limitMs, what: 'measuring the login shell' }, signal);
  try {
    const channel = await lease.exec('true', limit.signal);
    const started = clock.monotonic();
    try {
      const exit = await orAborted(channel.exit, limit.signal);
      return exit.kind === 'code' && exit.code === 0 ? clock.monotonic() - started : undefined;
    } finally {
      channel.close();
    }
  } catch {
    signal.throwIfAborted();
    return undefined;
  } finally {
    limit.dispose();
  }
}

/** Whether a host may be measured: only one whose login shell is known to be POSIX, by a person's word or by an answer. Source: ssh.md 1.9. */
export async function mayMeasure(hosts: Pick<HostStorePort, 'get' | 'facts'>, id: HostId): Promise<boolean> {
  const family: ShellFamily | undefined =
    (await hosts.get(id))?.shellFamily ?? (await hosts.facts(id)).shellFamily;
  return family === 'posix';
}
