import { z } from 'zod';
import { defineTool, type Tool, type ToolOutcome } from '../../agentkit/index.ts';
import type { EntryKind } from '../../domain/files/fileAttributes.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { comparePaths, type RemotePath } from '../../domain/files/remotePath.ts';
import { orMissing } from '../files/save/resolveTarget.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { hasCode } from '../transfer/engine/faults.ts';
import { entryPath } from './entryPath.ts';
import { hostId } from './execInput.ts';
import { hostField, pathOf, shownPath } from './fileCall.ts';
import { changeFiles, reviewChange, type FileChange } from './fileChange.ts';
import { kindText } from './fileFields.ts';
import { pathInput } from './fileInput.ts';
import { FileRefusedError } from './fileRefused.ts';

const input = z.strictObject({
  host_id: hostId,
  from: pathInput,
  to: pathInput,
  overwrite: z.boolean().optional().describe('Replace a file at the target; never a directory.'),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md, `sftp_move`. */
export function sftpMove(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_move',
      summary:
        'Renames or moves a file, directory or link within one file system of a host. A link itself is moved. To another file system use sftp_copy. The user decides about it first.',
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      presentation: {
        symbol: 'move',
        activity: 'Moving',
        presenterId: 'remoteFiles',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) =>
      reviewChange(changeOf(args), context, async (files, paths) => {
        checkPlaces(paths);
        const target = await orMissing(files.lstat(pathOf(args.to), context.signal));
        const replaced = target === undefined ? [] : [{ label: 'Target', value: 'Something is there now.' }];
        return {
          action: `Move ${shownPath(pathOf(args.from))} to ${shownPath(pathOf(args.to))}`,
          details: args.overwrite === true ? replaced : [],
          reasons: [
            args.overwrite === true && target !== undefined
              ? 'It moves something on the host and replaces what is at the target.'
              : 'It moves something on the host.',
          ],
          grantKey: { overwrite: args.overwrite ?? false },
        };
      }),
    execute: (args, context) =>
      changeFiles(changeOf(args), context, async (files, paths, host): Promise<ToolOutcome> => {
        const moved = await move(
          files,
          { ...checkPlaces(paths), replace: args.overwrite ?? false },
          context.signal,
        );
        const { from, to } = args;
        return { kind: 'success', fields: { host: hostField(host), from, to, ...moved } };
      }),
  });
}

function changeOf(args: Arguments): FileChange {
  return {
    hostId: args.host_id,
    tool: 'sftp_move',
    paths: [
      { path: pathOf(args.from), resolve: entryPath },
      { path: pathOf(args.to), resolve: entryPath },
    ],
  };
}

export interface FromTo {
  readonly from: RemotePath;
  readonly to: RemotePath;
}

/** Two paths behind their links. Rejects with `samePath` and `insideSource`. */
export function checkPlaces([from, to]: readonly RemotePath[]): FromTo {
  if (from === undefined || to === undefined) throw new RangeError('a source and a target are needed');
  if (comparePaths(from, to) === 0) throw new FileRefusedError('samePath');
  const folder = Buffer.concat([from, Buffer.from('/')]);
  if (comparePaths(to.subarray(0, folder.length), folder) === 0) throw new FileRefusedError('insideSource');
  return { from, to };
}

/**
 * Whether something stands at the target that may be replaced. Rejects with `directoryInTheWay`, and with `exists` where nothing may be
 * replaced.
 */
export async function checkTarget(
  files: RemoteFiles,
  { to, mayReplace }: { readonly to: RemotePath; readonly mayReplace: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const target = await orMissing(files.lstat(to, signal));
  if (target === undefined) return false;
  if (kindText(target) === 'directory')
    throw new FileRefusedError('directoryInTheWay', { path: shownPath(to) });
  if (!mayReplace) throw fileError('exists', { path: shownPath(to) });
  return true;
}

async function move(
  files: RemoteFiles,
  { from, to, replace }: FromTo & { readonly replace: boolean },
  signal: AbortSignal,
): Promise<{ readonly kind: EntryKind; readonly overwritten: boolean }> {
  const kind = kindText(await files.lstat(from, signal));
  const overwritten = await checkTarget(files, { to, mayReplace: replace && kind !== 'directory' }, signal);
  try {
    await files.rename({ from, to, replace: overwritten }, signal);
  } catch (error) {
    if (hasCode(error, 'other-filesystem'))
      throw new FileRefusedError('otherFileSystem', { path: shownPath(to) });
    throw error;
  }
  return { kind, overwritten };
}
