import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from '../../agentkit/index.ts';
import { pathOfText, comparePaths, parentOf, type RemotePath } from '../../domain/files/remotePath.ts';
import { sendAtOnce } from '../files/documents/sendAtOnce.ts';
import { walkTree, type TreeEntry } from '../files/walkTree.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { entryPath, linkedPath } from './entryPath.ts';
import { hostId } from './execInput.ts';
import { hostField, pathOf, shownPath } from './fileCall.ts';
import { changeFiles, reviewChange, type FileChange } from './fileChange.ts';
import { kindText } from './fileFields.ts';
import { pathInput } from './fileInput.ts';
import { FileRefusedError } from './fileRefused.ts';
import { deepestFirst, inPart, mostEntries } from './treeChange.ts';

const input = z.strictObject({
  host_id: hostId,
  path: pathInput,
  kind: z.enum(['file', 'directory', 'symlink']).describe('What it is; anything else is refused.'),
  recursive: z.boolean().optional().describe('A directory with everything in it; links are not followed.'),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md, `sftp_delete`. */
export function sftpDelete(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_delete',
      summary: `Deletes a file, a link, an empty directory or, with recursive, a directory with at most ${mostEntries} entries on a host, for good. The user decides about it first.`,
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      presentation: {
        symbol: 'trash',
        activity: 'Deleting',
        presenterId: 'remoteFiles',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) =>
      reviewChange(changeOf(args), context, async (files, [path]) => {
        const entries = await targets(files, { path: path ?? pathOf(args.path), args }, context.signal);
        const isTree = args.recursive === true && args.kind === 'directory';
        return {
          action: `Delete ${args.kind} ${shownPath(pathOf(args.path))}${isTree ? ' and everything in it' : ''}`,
          reasons: [
            isTree
              ? `It deletes ${entries.length} entries on the host for good.`
              : `It deletes a ${args.kind} on the host for good.`,
          ],
          further: entries.map((entry) => entry.path),
          ...(isTree ? {} : { grantKey: { kind: args.kind } }),
        };
      }),
    execute: (args, context) =>
      changeFiles(changeOf(args), context, async (files, [path], host): Promise<ToolOutcome> => {
        const deleted = await remove(files, { path: path ?? pathOf(args.path), args }, context);
        return {
          kind: 'success',
          fields: { host: hostField(host), path: args.path, kind: args.kind, deleted, method: 'permanent' },
        };
      }),
  });
}

function changeOf(args: Arguments): FileChange {
  return {
    hostId: args.host_id,
    tool: 'sftp_delete',
    paths: [{ path: pathOf(args.path), resolve: entryPath }],
  };
}

interface Doomed {
  readonly path: RemotePath;
  readonly args: Arguments;
}

/** What is deleted. Rejects with `protectedPath`, `kindDiffers` and as `walkTree`. */
async function targets(
  files: RemoteFiles,
  { path, args }: Doomed,
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> {
  const attributes = await files.lstat(path, signal);
  const kind = kindText(attributes);
  if (kind !== args.kind)
    throw new FileRefusedError('kindDiffers', { path: shownPath(path), actual: kind, asked: args.kind });
  await refuseProtected(files, [pathOf(args.path), path], signal);
  if (kind !== 'directory' || args.recursive !== true) return [{ path, depth: 0, kind, attributes }];
  return walkTree(files, { root: path, mostEntries }, signal);
}

/** The root, what stands in it, the home directory and what holds it. Source: tools.md, `sftp_delete`. */
async function refuseProtected(
  files: RemoteFiles,
  paths: readonly RemotePath[],
  signal: AbortSignal,
): Promise<void> {
  const home = await linkedPath(files, await files.realpath(pathOfText('.'), signal), signal);
  const holdsHome = (path: RemotePath): boolean =>
    comparePaths(path, home) === 0 ||
    comparePaths(home.subarray(0, path.length + 1), Buffer.concat([path, Buffer.from('/')])) === 0;
  const found = paths.find((path) => parentOf(path).length === 1 || holdsHome(path));
  if (found !== undefined) throw new FileRefusedError('protectedPath', { path: shownPath(found) });
}

async function remove(files: RemoteFiles, doomed: Doomed, { signal }: ToolContext): Promise<number> {
  const entries = await targets(files, doomed, signal);
  let deleted = 0;
  await inPart(
    async () => {
      for (const level of deepestFirst(entries))
        await sendAtOnce(level, async ({ path, kind }) => {
          await (kind === 'directory' ? files.rmdir(path, signal) : files.remove(path, signal));
          deleted += 1;
        });
    },
    { what: 'were deleted', done: () => deleted, all: entries.length },
  );
  return deleted;
}
