import { z } from 'zod';
import {
  defineTool,
  nonBlank,
  type ClockPort,
  type JsonObject,
  type Tool,
  type ToolContext,
} from '../../../agentkit/index.ts';
import { TermindError } from '../../../domain/fault.ts';
import {
  asTransferId,
  type TransferId,
  type TransferRecord,
} from '../../../domain/transfer/transferRecord.ts';
import { showTransferPlace } from '../../transfer/queue/transferPlaces.ts';
import type { TransferEntry } from '../../transfer/queue/transferQueue.ts';
import { hostField } from '../fileCall.ts';
import { ToolService } from '../keys.ts';
import { orFailed } from './transferCall.ts';
import type { TransferDeps } from './transferDeps.ts';

const input = z.strictObject({
  transfer_id: nonBlank(64),
  wait_ms: z.int().min(0).max(60_000).optional().describe('Wait so long for its end; 0 when absent.'),
});

/** Source: tools.md 14, `sftp_upload_status`. For callers outside of Termind. */
export const sftpUploadStatus = (deps: TransferDeps): Tool => statusTool('upload', deps);

/** Source: tools.md 14, `sftp_download_status`. For callers outside of Termind. */
export const sftpDownloadStatus = (deps: TransferDeps): Tool => statusTool('download', deps);

function statusTool(direction: 'upload' | 'download', deps: TransferDeps): Tool {
  return defineTool({
    input,
    descriptor: {
      name: `sftp_${direction}_status`,
      summary: `Tells about a transfer that sftp_${direction} has started. \`lost\` means that its outcome is unknown.`,
      target: 'local',
      safety: 'locallyReadOnly',
      concurrency: 'parallel',
      presentation: {
        symbol: 'info',
        activity: 'Looking at a transfer',
        presenterId: 'remoteFiles',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    execute: (args, context) =>
      orFailed(context, async () => {
        const id = asTransferId(args.transfer_id);
        const clock = context.services.get(ToolService.clock);
        const entry = await settledWithin(
          deps.queue,
          { id, waitMs: args.wait_ms ?? 0, clock },
          context.signal,
        );
        if (entry === undefined || !isOf(direction, entry.record))
          return { kind: 'failure', sentence: 'There is no transfer with this id.' };
        return { kind: 'success', fields: await statusFields(entry.record, context) };
      }),
  });
}

function isOf(direction: 'upload' | 'download', { by, from, to }: TransferRecord): boolean {
  const local = direction === 'upload' ? from : to;
  return by === 'tool' && local.k === 'local';
}

async function statusFields(record: TransferRecord, { services }: ToolContext): Promise<JsonObject> {
  const { id, state, from, to, doneBytes, totalBytes, sha256, fault, startedAt, addedAt, finishedAt } =
    record;
  const [local, remote] = from.k === 'local' ? [from, to] : [to, from];
  const host = remote.k === 'remote' ? await services.get(ToolService.hosts).get(remote.host) : undefined;
  return {
    transfer_id: id,
    status: state,
    local_path: showTransferPlace(local),
    remote_path: showTransferPlace(remote),
    host: host === undefined ? null : hostField(host),
    bytes_done: doneBytes,
    bytes_total: totalBytes ?? null,
    sha256: sha256 ?? null,
    error: fault === undefined ? null : new TermindError(fault).message,
    started_at: new Date(startedAt ?? addedAt).toISOString(),
    finished_at: finishedAt === undefined ? null : new Date(finishedAt).toISOString(),
  };
}

/** The entry once nothing happens with it any more, or as it is after the wait. Rejects when the signal aborts. */
async function settledWithin(
  queue: TransferDeps['queue'],
  { id, waitMs, clock }: { readonly id: TransferId; readonly waitMs: number; readonly clock: ClockPort },
  signal: AbortSignal,
): Promise<TransferEntry | undefined> {
  const until = clock.monotonic() + waitMs;
  for (;;) {
    let changed = (): void => {};
    const change = new Promise<void>((resolve) => (changed = resolve));
    const listening = queue.onDidChange(changed);
    const woken = new AbortController();
    try {
      const entry = await queue.entry(id);
      const leftMs = until - clock.monotonic();
      const isActive = entry?.record.state === 'queued' || entry?.record.state === 'running';
      if (!isActive || leftMs <= 0) return entry;
      await Promise.race([change, clock.sleep(leftMs, AbortSignal.any([signal, woken.signal]))]);
    } finally {
      listening.dispose();
      woken.abort(new Error('woken'));
    }
  }
}
