import type { JsonObject, ToolContext, ToolOutcome } from '../../agentkit/index.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { ExecRecord } from '../exec/execRecord.ts';
import type { HeldCommand } from '../exec/remoteExecService.ts';
import { ToolService } from './keys.ts';

/** Under which name commands of this call are held: the conversation, or the run where there is none. */
export function execScope(context: Pick<ToolContext, 'conversationId' | 'runId'>): string {
  return context.conversationId ?? context.runId;
}

/** `host` of a result. */
export function hostField(host: Pick<HostListing, 'id' | 'label'>): JsonObject {
  return { host_id: host.id, label: host.label };
}

/** The fields that `ssh_exec_run` and `ssh_exec_output` share, without the body. Source: tools.md. */
export function execFields(record: ExecRecord, label: string): JsonObject {
  return {
    exec_id: record.execId,
    status: record.status,
    exit_code: record.exitCode ?? null,
    signal: record.signal ?? null,
    timed_out: record.timedOut,
    output_bytes: record.outputBytes,
    stderr_bytes: record.stderrBytes,
    duration_ms: record.durationMs,
    stdin_open: record.stdinOpen,
    host: hostField({ id: record.hostId, label }),
    ...(record.note === undefined ? {} : { note: record.note }),
  };
}

/** What the card shows beside the frozen text: the same facts, without the output. */
export function execPresentation(record: ExecRecord): JsonObject {
  return {
    exec_id: record.execId,
    host_id: record.hostId,
    command: record.command,
    status: record.status,
    exit_code: record.exitCode ?? null,
    signal: record.signal ?? null,
    timed_out: record.timedOut,
    output_bytes: record.outputBytes,
    started_at: record.startedAt,
    duration_ms: record.durationMs,
  };
}

/** A started command as it stands, with the output collected so far. */
export function execOutcome(held: HeldCommand, label: string, more: JsonObject = {}): ToolOutcome {
  const record = held.command.record();
  return {
    kind: 'success',
    fields: { ...execFields(record, label), ...more },
    body: held.output.body(),
    presentation: execPresentation(record),
  };
}

export const notHeld = 'This command is no longer held; its outcome is unknown.';

/** The label of a held command's host, or its id when the host was removed meanwhile. */
export async function heldHost(held: HeldCommand, context: ToolContext): Promise<string> {
  const { hostId } = held.command.record();
  return (await context.services.get(ToolService.hosts).get(hostId))?.label ?? hostId;
}
