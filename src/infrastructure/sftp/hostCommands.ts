import type { ClockPort } from '../../agentkit/index.ts';
import type { ConnectionManager } from '../../application/ports/connection.ts';
import type { HostCommands } from '../../application/ports/hostCommands.ts';
import type { HostStorePort } from '../../application/ports/hosts.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import { ShellRunner } from './shell/shellRunner.ts';

export interface HostCommandsOptions {
  readonly connections: Pick<ConnectionManager, 'acquire'>;
  readonly facts: Pick<HostStorePort, 'facts' | 'get'>;
  readonly clock: ClockPort;
}

/**
 * Commands over the connection of a host whose login shell is known to be a POSIX one: nothing is asked for it. Rejects with `unsupported`
 * elsewhere. They are a help to somebody who can do without, so they do not wait for a channel. Source: ssh.md 1.5 and 8.5, "checked".
 */
export function hostCommands(host: HostId, { connections, facts, clock }: HostCommandsOptions): HostCommands {
  return {
    async run(command, signal) {
      await checkPosix(host, facts);
      const lease = await connections.acquire(host, 'exec', signal);
      try {
        const channels = {
          exec: (line: Parameters<typeof lease.exec>[0], own: AbortSignal) =>
            lease.exec({ ...(typeof line === 'string' ? { command: line } : line), queueMs: 0 }, own),
        };
        return await new ShellRunner(channels, clock).run(command, signal);
      } finally {
        lease.release();
      }
    },
  };
}

/** Rejects with `unsupported` unless the login shell of the host is known to be a POSIX one, by a person's word or by an answer. */
export async function checkPosix(host: HostId, facts: HostCommandsOptions['facts']): Promise<void> {
  const family = (await facts.get(host))?.shellFamily ?? (await facts.facts(host)).shellFamily;
  if (family !== 'posix') throw fileError('unsupported', { operation: 'exec' }, { outcome: 'not-sent' });
}
