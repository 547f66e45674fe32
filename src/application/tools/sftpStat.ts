import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from '../../agentkit/index.ts';
import { kindOf, type FileAttributes } from '../../domain/files/fileAttributes.ts';
import type { RemotePath } from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { hostId } from './execInput.ts';
import { attributeFields, timeText } from './fileFields.ts';
import { hostField, onShownHost, pathOf, reviewReading, shownPath, withFiles } from './fileCall.ts';
import { pathInput } from './fileInput.ts';

const input = z.strictObject({
  host_id: hostId,
  path: pathInput,
  follow: z
    .boolean()
    .optional()
    .describe('Describe what a link leads to (the default), or with false the link itself.'),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md, `sftp_stat`. */
export function sftpStat(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_stat',
      summary:
        'Facts about one file, directory or link of a host: kind, size in bytes, mode, owner, times, where a link leads. Null is what the server does not tell.',
      target: 'host',
      safety: 'locallyReadOnly',
      concurrency: 'parallel',
      modes: ['planning', 'acting', 'reviewing'],
      presentation: {
        symbol: 'info',
        activity: 'Looking at a file',
        presenterId: 'remoteFiles',
        actionKind: 'read',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) => reviewReading(args, 'Look at', context),
    execute: (args, context) => onShownHost(args.host_id, context, (host) => look(args, host, context)),
  });
}

async function look(args: Arguments, host: HostListing, context: ToolContext): Promise<ToolOutcome> {
  const { signal } = context;
  const path = pathOf(args.path);
  return withFiles(context, { host, isRepeatable: true }, async (files) => {
    const itself = await files.lstat(path, signal);
    const isLink = kindOf(itself) === 'symlink';
    const attributes = isLink && args.follow !== false ? await files.stat(path, signal) : itself;
    const [real, target, names] = await Promise.all([
      orNull(files, signal, () => files.realpath(path, signal)),
      isLink ? orNull(files, signal, () => files.readlink(path, signal)) : null,
      ownerNames(files, attributes, signal),
    ]);
    return {
      kind: 'success',
      fields: {
        host: hostField(host),
        path: args.path,
        real_path: shownOrNull(real),
        ...attributeFields(attributes),
        ...names,
        accessed_at: timeText(attributes.times?.accessed),
        link_target: shownOrNull(target),
      },
    };
  });
}

function shownOrNull(path: RemotePath | null): string | null {
  return path === null ? null : shownPath(path);
}

/** Only where the server names them. */
async function ownerNames(
  files: RemoteFiles,
  { owner }: FileAttributes,
  signal: AbortSignal,
): Promise<{ readonly owner: string | null; readonly group: string | null }> {
  const known =
    owner === undefined || !files.capabilities.operations.has('namesById')
      ? null
      : await orNull(files, signal, () => files.namesById({ uids: [owner.uid], gids: [owner.gid] }, signal));
  return { owner: known?.users[0] ?? null, group: known?.groups[0] ?? null };
}

/** What a server cannot tell is null; what ends the channel is not. */
async function orNull<T>(files: RemoteFiles, signal: AbortSignal, ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (files.isEnded || signal.aborted) throw error;
    return null;
  }
}
