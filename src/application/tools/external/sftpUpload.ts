import { z } from 'zod';
import { defineTool, type Tool, type ToolContext } from '../../../agentkit/index.ts';
import { pathOfText } from '../../../domain/files/remotePath.ts';
import { placeKey } from '../../exec/hostPlace.ts';
import { hostId, remotePath } from '../execInput.ts';
import { hostFacts, onShownHost, shownPath } from '../fileCall.ts';
import { remotePathHint } from '../fileInput.ts';
import { findHost, hostSubject, unknownHost } from '../hostSubject.ts';
import { ToolService } from '../keys.ts';
import { productionRefusal, raisedDetail } from '../production.ts';
import { digestOfSpot, localSpot, type LocalSpot } from './localSpot.ts';
import { localPathInput } from './transferInput.ts';
import { lookAtHost, orFailed, orRefused } from './transferCall.ts';
import type { TransferDeps } from './transferDeps.ts';

const input = z.strictObject({
  host_id: hostId,
  local_path: localPathInput,
  remote_path: remotePath.describe(remotePathHint),
  overwrite: z.boolean().optional().describe('Replace a file that is there.'),
});
type Arguments = z.output<typeof input>;

const digestFact = 'uploadSha256';
const notRegular = (path: string): string => `${path} is not a regular file.`;

/** Source: tools.md 14, `sftp_upload`. For callers outside of Termind: not among the tools of the assistant. */
export function sftpUpload(deps: TransferDeps): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_upload',
      summary:
        'Starts to copy one file of this machine to a host. The user decides about exactly this content first. Ask sftp_upload_status how it goes.',
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      presentation: {
        symbol: 'cloud-upload',
        activity: 'Uploading a file',
        presenterId: 'remoteFiles',
        actionKind: 'write',
        groupsWithAdjacent: false,
      },
    },
    preflight: (args, context) => orRefused(context, () => review(args, deps, context)),
    execute: (args, context) =>
      orFailed(context, () =>
        onShownHost(args.host_id, context, async (host) => {
          const { folder, name, attributes } = await localSpot(deps, args.local_path);
          const sha256 = context.preflightFacts.get(digestFact);
          if (attributes?.kind !== 'file' || typeof sha256 !== 'string')
            return { kind: 'failure', sentence: notRegular(args.local_path) };
          const path = pathOfText(args.remote_path);
          const there = await lookAtHost(deps, { host, path }, context);
          if (there !== undefined && args.overwrite !== true)
            return { kind: 'failure', sentence: `${shownPath(path)} exists already.` };
          const id = await deps.queue.add({
            kind: 'file',
            from: { k: 'local', folder, path: [name] },
            to: { k: 'remote', host: host.id, path: args.remote_path, shown: placeKey(host) },
            policy: args.overwrite === true ? 'overwrite' : 'refuse',
            by: 'tool',
            expectSourceSha256: sha256,
            totalBytes: attributes.size,
          });
          return {
            kind: 'success',
            fields: { transfer_id: id, status: 'queued', bytes_total: attributes.size },
          };
        }),
      ),
  });
}

async function review(
  args: Arguments,
  deps: TransferDeps,
  context: ToolContext,
): Promise<Awaited<ReturnType<NonNullable<Tool['preflight']>>>> {
  const host = await findHost(context.services.get(ToolService.hosts), args.host_id);
  if (host === undefined) return { refusal: unknownHost };
  const closed = productionRefusal(host, context);
  if (closed !== undefined) return { refusal: closed };
  const spot: LocalSpot = await localSpot(deps, args.local_path);
  if (spot.attributes?.kind !== 'file') return { refusal: notRegular(args.local_path) };
  const sha256 = await digestOfSpot(deps.local, spot, context.signal);
  const path = shownPath(pathOfText(args.remote_path));
  return {
    subject: hostSubject(host, `Upload ${args.local_path} to ${path}`, [
      ...raisedDetail(host, context),
      { label: 'Size', value: `${String(spot.attributes.size)} bytes` },
      { label: 'SHA-256', value: sha256 },
      { label: 'A file that is there', value: args.overwrite === true ? 'is replaced' : 'stays' },
    ]),
    content: { sha256, digestNow: (signal) => digestOfSpot(deps.local, spot, signal) },
    facts: new Map<string, unknown>([...hostFacts(host), [digestFact, sha256]]),
  };
}
