import { z } from 'zod';
import { defineTool, type Tool, type ToolContext } from '../../agentkit/index.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { isAtOrBelow, parentOf, pathOfText, type RemotePath } from '../../domain/files/remotePath.ts';
import { sendAtOnce } from '../files/documents/sendAtOnce.ts';
import { findTrash, TrashFolder } from '../files/remoteTrash.ts';
import { nameText } from '../files/save/besideTarget.ts';
import { walkTree, type TreeEntry } from '../files/walkTree.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { entryPath, linkedPath } from './entryPath.ts';
import { hostId } from './execInput.ts';
import { hostField, pathOf, shownPath } from './fileCall.ts';
import { changeFiles, checkShown, reviewChange, type FileChange } from './fileChange.ts';
import { kindText } from './fileFields.ts';
import { pathInput } from './fileInput.ts';
import { FileRefusedError } from './fileRefused.ts';
import { ToolService } from './keys.ts';
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
      summary: `Deletes a file, a link, an empty directory or, with recursive, a directory with at most ${mostEntries} entries on a host: into the trash of the host or for good, as the user has set. The user decides about it first.`,
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
      reviewChange(changeOf(args), context, async (files, [path = pathOf(args.path)]) => {
        const entries = await targets(files, { path, args }, context.signal);
        const trash = await trashOf(files, path, context);
        const isTree = args.recursive === true && args.kind === 'directory';
        const what = isTree ? `${entries.length} entries` : `a ${args.kind}`;
        return {
          action: `Delete ${args.kind} ${shownPath(pathOf(args.path))}${isTree ? ' and everything in it' : ''}`,
          details: trash === undefined ? [] : [{ label: 'Goes to', value: shownPath(trash) }],
          reasons: [
            trash === undefined
              ? `It deletes ${what} on the host for good.`
              : `It moves ${what} to the trash of the host.`,
          ],
          further: entries.map((entry) => entry.path),
          facts: [[methodFact, methodOf(trash)]],
          ...(isTree ? {} : { grantKey: { kind: args.kind, method: methodOf(trash) } }),
        };
      }),
    execute: (args, context) =>
      changeFiles(changeOf(args), context, async (files, [path = pathOf(args.path)], host) => {
        const entries = await targets(files, { path, args }, context.signal);
        const trash = await trashOf(files, path, context);
        const method = methodOf(trash);
        if (method !== context.preflightFacts.get(methodFact))
          throw new FileRefusedError('changedMeanwhile', { path: shownPath(path) });
        checkShown(
          context,
          'further',
          entries.map((entry) => entry.path),
        );
        if (trash === undefined) await remove(files, entries, context.signal);
        else await moveTo(trash, { files, path }, context);
        return {
          kind: 'success',
          fields: {
            host: hostField(host),
            path: args.path,
            kind: args.kind,
            deleted: entries.length,
            method,
          },
        };
      }),
  });
}

const methodFact = 'deleteMethod';

function methodOf(trash: RemotePath | undefined): 'trash' | 'permanent' {
  return trash === undefined ? 'permanent' : 'trash';
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
  if (kind !== 'directory') return [{ path, depth: 0, kind, attributes }];
  if (args.recursive === true) return walkTree(files, { root: path, mostEntries }, signal);
  for await (const { entries } of files.list(path, signal))
    if (entries.length > 0) throw fileError('not-empty', { path: shownPath(path) });
  return [{ path, depth: 0, kind, attributes }];
}

/** Where it goes instead of being gone; undefined where that is not wanted or not possible. */
async function trashOf(
  files: RemoteFiles,
  path: RemotePath,
  { services, signal }: ToolContext,
): Promise<RemotePath | undefined> {
  if (services.get(ToolService.deleteMode)() === 'permanent') return undefined;
  const trash = await findTrash(files, parentOf(path), signal);
  return trash === undefined || isAtOrBelow(path, trash) ? undefined : trash;
}

async function moveTo(
  trash: RemotePath,
  { files, path }: { readonly files: RemoteFiles; readonly path: RemotePath },
  { services, signal }: ToolContext,
): Promise<void> {
  const at = services.get(ToolService.clock).now();
  const folder = await TrashFolder.make(files, { trash, at }, signal);
  await folder.take(path, [nameText(path)], signal);
}

/** The root, what stands in it, the home directory and what holds it. Source: tools.md, `sftp_delete`. */
async function refuseProtected(
  files: RemoteFiles,
  paths: readonly RemotePath[],
  signal: AbortSignal,
): Promise<void> {
  const home = await linkedPath(files, await files.realpath(pathOfText('.'), signal), signal);
  const found = paths.find((path) => parentOf(path).length === 1 || isAtOrBelow(home, path));
  if (found !== undefined) throw new FileRefusedError('protectedPath', { path: shownPath(found) });
}

async function remove(files: RemoteFiles, entries: readonly TreeEntry[], signal: AbortSignal): Promise<void> {
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
}
