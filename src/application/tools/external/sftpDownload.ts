import { z } from 'zod';
import { defineTool, type Preflight, type Tool, type ToolContext } from '../../../agentkit/index.ts';
import { kindOf } from '../../../domain/files/fileAttributes.ts';
import { pathOfText } from '../../../domain/files/remotePath.ts';
import { placeKey } from '../../exec/hostPlace.ts';
import { hostId, remotePath } from '../execInput.ts';
import { hostFacts, onShownHost, shownPath } from '../fileCall.ts';
import { remotePathHint } from '../fileInput.ts';
import { findHost, hostSubject, unknownHost } from '../hostSubject.ts';
import { ToolService } from '../keys.ts';
import { localSpot } from './localSpot.ts';
import { localPathInput } from './transferInput.ts';
import { lookAtHost, orFailed, orRefused } from './transferCall.ts';
import type { TransferDeps } from './transferDeps.ts';

const input = z.strictObject({
  host_id: hostId,
  remote_path: remotePath.describe(remotePathHint),
  local_path: localPathInput,
  overwrite: z.boolean().optional().describe('Replace a file that is there.'),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md 14, `sftp_download`. For callers outside of Termind: not among the tools of the assistant. */
export function sftpDownload(deps: TransferDeps): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_download',
      summary:
        'Starts to copy one file of a host to this machine, where it appears whole or not at all. Ask sftp_download_status how it goes.',
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      presentation: {
        symbol: 'cloud-download',
        activity: 'Downloading a file',
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
          if (attributes !== undefined && args.overwrite !== true)
            return { kind: 'failure', sentence: `${args.local_path} exists already.` };
          const path = pathOfText(args.remote_path);
          const source = await lookAtHost(deps, { host, path }, context);
          if (source === undefined)
            return { kind: 'failure', sentence: `${shownPath(path)} does not exist.` };
          const kind = kindOf(source);
          if (kind !== undefined && kind !== 'file')
            return { kind: 'failure', sentence: `${shownPath(path)} is not a regular file.` };
          const id = await deps.queue.add({
            kind: 'file',
            from: { k: 'remote', host: host.id, path: args.remote_path, shown: placeKey(host) },
            to: { k: 'local', folder, path: [name] },
            policy: args.overwrite === true ? 'overwrite' : 'refuse',
            by: 'tool',
            ...(source.size === undefined ? {} : { totalBytes: source.size }),
          });
          return {
            kind: 'success',
            fields: { transfer_id: id, status: 'queued', bytes_total: source.size ?? null },
          };
        }),
      ),
  });
}

async function review(args: Arguments, deps: TransferDeps, context: ToolContext): Promise<Preflight> {
  const host = await findHost(context.services.get(ToolService.hosts), args.host_id);
  if (host === undefined) return { refusal: unknownHost };
  await localSpot(deps, args.local_path);
  const path = shownPath(pathOfText(args.remote_path));
  return {
    subject: hostSubject(host, `Download ${path} to ${args.local_path}`, [
      { label: 'A file that is there', value: args.overwrite === true ? 'is replaced' : 'stays' },
    ]),
    facts: new Map(hostFacts(host)),
  };
}
