import { z } from 'zod';
import { defineTool, type Tool } from '../../agentkit/index.ts';
import { execId } from './execInput.ts';
import { execOutcome, execScope, heldHost, notHeld } from './execResult.ts';
import { ToolService } from './keys.ts';

const input = z.strictObject({
  exec_id: execId,
  wait_ms: z
    .int()
    .min(0)
    .max(60_000)
    .optional()
    .describe('Wait this long for the command to end; 0 when absent.'),
});

/** The whole output so far and the state of a started command. Source: tools.md, `ssh_exec_output`. */
export function sshExecOutput(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'ssh_exec_output',
      summary:
        'Returns the state and the output so far (the last lines when long) of a command started by ssh_exec_run in this conversation. With wait_ms it waits for the end. Read-only.',
      target: 'host',
      safety: 'locallyReadOnly',
      concurrency: 'parallel',
      body: { field: 'output', kind: 'text' },
      presentation: {
        symbol: 'terminal',
        activity: 'Reading output',
        presenterId: 'exec',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    async preflight(args, context) {
      const held = context.services.get(ToolService.exec).get(execScope(context), args.exec_id);
      return held === undefined ? { refusal: notHeld } : {};
    },
    async execute(args, context) {
      const { services, signal } = context;
      const held = services.get(ToolService.exec).get(execScope(context), args.exec_id);
      if (held === undefined) return { kind: 'failure', sentence: notHeld };
      const clock = services.get(ToolService.clock);
      const started = clock.monotonic();
      const maxMs = args.wait_ms ?? 0;
      if (maxMs > 0) await held.command.wait({ maxMs, interrupted: context.whenUserInterjects() }, signal);
      const label = await heldHost(held, context);
      return execOutcome(held, label, { waited_ms: Math.round(clock.monotonic() - started) });
    },
  });
}
