import { z } from 'zod';
import { defineTool, type JsonObject, type Tool, type ToolContext } from '../../agentkit/index.ts';
import { parseHostId } from '../../domain/host/hostId.ts';
import type { ExecRecord } from '../exec/execRecord.ts';
import { hostId } from './execInput.ts';
import { execScope, hostField } from './execResult.ts';
import { unknownHost } from './hostSubject.ts';
import { ToolService } from './keys.ts';

const input = z.strictObject({ host_id: hostId.optional() });

/** The commands of this conversation, newest first. Source: tools.md, `ssh_exec_list`. */
export function sshExecList(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'ssh_exec_list',
      summary:
        'Lists the commands of this conversation that are still held, running and ended, newest first, with their exec_id. Commands of an earlier window are not in it. Read-only.',
      target: 'host',
      safety: 'locallyReadOnly',
      concurrency: 'parallel',
      modes: ['planning', 'acting', 'reviewing'],
      body: { field: 'commands', kind: 'items' },
      presentation: {
        symbol: 'list-unordered',
        activity: 'Listing commands',
        presenterId: 'execList',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    async execute({ host_id: wanted }, context) {
      const records = context.services.get(ToolService.exec).list(execScope(context));
      const labels = await hostLabels(context);
      const id = wanted === undefined ? undefined : parseHostId(wanted);
      const isKnown = id !== undefined && (labels.has(id) || records.some((record) => record.hostId === id));
      if (wanted !== undefined && !isKnown) return { kind: 'failure', sentence: unknownHost };
      const shown = records.filter(({ hostId }) => id === undefined || hostId === id);
      return {
        kind: 'success',
        fields: {},
        body: { content: shown.map((record) => describe(record, labels.get(record.hostId))) },
      };
    },
  });
}

async function hostLabels(context: ToolContext): Promise<ReadonlyMap<string, string>> {
  const hosts = await context.services.get(ToolService.hosts).list();
  return new Map(hosts.map(({ id, label }) => [id, label]));
}

/** A host that was removed meanwhile has its id for a label. */
function describe(record: ExecRecord, label: string = record.hostId): JsonObject {
  return {
    exec_id: record.execId,
    host: hostField({ id: record.hostId, label }),
    command: record.command,
    status: record.status,
    exit_code: record.exitCode ?? null,
    started_at: new Date(record.startedAt).toISOString(),
    duration_ms: record.durationMs,
    output_bytes: record.outputBytes,
    stdin_open: record.stdinOpen,
  };
}
