import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from '../../agentkit/index.ts';
import { execId } from './execInput.ts';
import { execPresentation, execScope, notHeld } from './execResult.ts';
import { findHost, hostSubject, unknownHost } from './hostSubject.ts';
import { ToolService } from './keys.ts';
import { productionRefusal, raisedDetail } from './production.ts';

const signals = ['TERM', 'INT', 'HUP', 'QUIT', 'KILL'] as const;
const input = z.strictObject({
  exec_id: execId,
  signal: z.enum(signals).optional().describe('TERM when absent.'),
});

type Arguments = z.infer<typeof input>;

/** Ends a started command. Ending a proven command changes nothing and asks nobody. Source: tools.md, `ssh_exec_cancel`. */
export function sshExecCancel(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'ssh_exec_cancel',
      summary:
        'Ends a running command started by ssh_exec_run in this conversation: sends the signal, waits two seconds, then closes its channel; with KILL also its process group. outcome_known false means that the host confirmed nothing and the process may survive.',
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      presentation: {
        symbol: 'debug-stop',
        activity: 'Cancelling a command',
        presenterId: 'execCancel',
        actionKind: 'execute',
        groupsWithAdjacent: false,
      },
    },
    async preflight(args, context) {
      const held = context.services.get(ToolService.exec).get(execScope(context), args.exec_id);
      if (held === undefined) return { refusal: notHeld };
      const record = held.command.record();
      const host = await findHost(context.services.get(ToolService.hosts), record.hostId);
      if (host === undefined) return { refusal: unknownHost };
      const name = args.signal ?? 'TERM';
      const subject = hostSubject(
        host,
        `Cancel with SIG${name}: ${record.command}`,
        raisedDetail(host, context),
      );
      if (record.proven || record.status !== 'running') return { safety: 'locallyReadOnly', subject };
      const refusal = productionRefusal(host, context);
      if (refusal !== undefined) return { refusal };
      return { subject, reasons: ['It ends a running command that was not proven read-only.'] };
    },
    execute: cancel,
  });
}

async function cancel(args: Arguments, context: ToolContext): Promise<ToolOutcome> {
  const held = context.services.get(ToolService.exec).get(execScope(context), args.exec_id);
  if (held === undefined) return { kind: 'failure', sentence: notHeld };
  const { hostId, proven, status } = held.command.record();
  if (!proven && status === 'running') {
    const host = await findHost(context.services.get(ToolService.hosts), hostId);
    const refusal = host === undefined ? unknownHost : productionRefusal(host, context);
    if (refusal !== undefined) return { kind: 'failure', sentence: refusal };
  }
  const report = await held.command.cancel(args.signal ?? 'TERM', context.signal);
  const record = held.command.record();
  return {
    kind: 'success',
    fields: {
      exec_id: record.execId,
      status: record.status,
      exit_code: record.exitCode ?? null,
      signal: record.signal ?? null,
      method: report.method ?? null,
      outcome_known: report.outcomeKnown,
    },
    presentation: execPresentation(record),
  };
}
