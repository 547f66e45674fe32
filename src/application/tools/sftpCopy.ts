import { z } from 'zod';
import { defineTool, type Tool, type ToolOutcome } from '../../agentkit/index.ts';
import { remotePath } from '../../domain/files/remotePath.ts';
import { copyTree, type CopyPlan } from '../files/copyTree.ts';
import { walkTree } from '../files/walkTree.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { hostField, pathOf, shownPath } from './fileCall.ts';
import { changeFiles, checkShown, reviewChange } from './fileChange.ts';
import { kindText } from './fileFields.ts';
import { FileRefusedError } from './fileRefused.ts';
import { changeBetween, checkPlaces, checkTarget, fromToFields, type FromTo } from './fromTo.ts';
import { inPart, mostEntries } from './treeChange.ts';

/** Source: tools.md, `sftp_copy`. */
const mostBytes = 4 * 1_024 * 1_024 * 1_024;

const input = z.strictObject({
  ...fromToFields,
  recursive: z.boolean().optional().describe('A directory with everything in it.'),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md, `sftp_copy`. */
export function sftpCopy(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_copy',
      summary: `Copies a file, a link or, with recursive, a directory (at most ${mostEntries} entries and 4 GiB) to another path of the same host. Links are copied as links. The user decides about it first.`,
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      presentation: {
        symbol: 'copy',
        activity: 'Copying',
        presenterId: 'remoteFiles',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) =>
      reviewChange(changeBetween('sftp_copy', args), context, async (files, paths) => {
        const plan = await planCopy(files, { places: checkPlaces(paths), args }, context.signal);
        const isTree = args.recursive === true;
        return {
          action: `Copy ${shownPath(pathOf(args.from))} to ${shownPath(pathOf(args.to))}`,
          details: plan.overwrites ? [{ label: 'Target', value: 'The file that is there is replaced.' }] : [],
          reasons: [
            isTree
              ? `It copies ${plan.entries.length} entries with ${plan.bytes} bytes on the host.`
              : `It copies ${plan.bytes} bytes on the host.`,
          ],
          further: plan.entries.flatMap(({ path, to }) => [path, to]),
          replaced: plan.overwrites ? paths.slice(1) : [],
          ...(isTree ? {} : { grantKey: { overwrite: args.overwrite ?? false } }),
        };
      }),
    execute: (args, context) =>
      changeFiles(
        changeBetween('sftp_copy', args),
        context,
        async (files, paths, host): Promise<ToolOutcome> => {
          const plan = await planCopy(files, { places: checkPlaces(paths), args }, context.signal);
          checkShown(
            context,
            'further',
            plan.entries.map(({ path }) => path),
          );
          if (plan.overwrites) checkShown(context, 'replaced', paths.slice(1));
          let copied = 0;
          const done = await inPart(
            () => copyTree(files, { plan, onCopied: () => void (copied += 1) }, context.signal),
            { what: 'were copied', done: () => copied, all: plan.entries.length },
          );
          const { from, to } = args;
          const { bytes, overwrites: overwritten } = plan;
          const kind = plan.entries[0]?.kind ?? 'other';
          return {
            kind: 'success',
            fields: {
              host: hostField(host),
              from,
              to,
              kind,
              files: plan.files,
              bytes,
              overwritten,
              method: done,
            },
          };
        },
      ),
  });
}

/** Counts everything in front of the first write. Rejects with what forbids the copy. */
async function planCopy(
  files: RemoteFiles,
  { places: { from, to }, args }: { readonly places: FromTo; readonly args: Arguments },
  signal: AbortSignal,
): Promise<CopyPlan & { readonly files: number; readonly bytes: number }> {
  const isDirectory = kindText(await files.lstat(from, signal)) === 'directory';
  if (isDirectory && args.recursive !== true)
    throw new FileRefusedError('needsRecursive', { path: shownPath(from) });
  const walked = await walkTree(files, { root: from, mostEntries }, signal);
  const special = walked.find(({ kind }) => kind === 'other');
  if (special !== undefined) throw new FileRefusedError('specialFile', { path: shownPath(special.path) });
  const regular = walked.filter(({ kind }) => kind === 'file');
  const bytes = regular.reduce((sum, { attributes }) => sum + (attributes.size ?? 0), 0);
  if (bytes > mostBytes)
    throw new FileRefusedError('tooManyBytes', { path: shownPath(from), limit: String(mostBytes) });
  const mayReplace = args.overwrite === true && !isDirectory;
  const overwrites = await checkTarget(files, { to, mayReplace }, signal);
  return {
    entries: walked.map((entry) => ({
      ...entry,
      to: remotePath(Buffer.concat([to, entry.path.subarray(from.length)])),
    })),
    overwrites,
    files: walked.filter(({ kind }) => kind !== 'directory').length,
    bytes,
  };
}
