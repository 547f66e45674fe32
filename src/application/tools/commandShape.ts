import type { GrantShape } from '../../agentkit/index.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { readShellLine } from '../../domain/shell/shellTree.ts';
import type { ExecRunArguments } from './execInput.ts';
import { hostKey } from './hostSubject.ts';

/**
 * The shape that a person may allow for a whole conversation: this line byte for byte, in this folder, on this host as it stands. None
 * for a line that is not understood completely, for a command with variables, input or a secret, and on a production host. Source: agent
 * runtime contract, section 11.
 */
export function commandShape(host: HostListing, args: ExecRunArguments): GrantShape | undefined {
  const { command, cwd, env = [], stdin, secret_handle: secret } = args;
  if (host.tier === 'prod' || env.length > 0 || stdin !== undefined || secret !== undefined) return undefined;
  if (!readShellLine(command).ok) return undefined;
  return {
    tool: 'ssh_exec_run',
    targetId: host.id,
    key: {
      command,
      cwd: cwd ?? null,
      ...hostKey(host),
    },
    action: cwd === undefined ? command : `${command} (in ${cwd})`,
    target: host.label,
  };
}
