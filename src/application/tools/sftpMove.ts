import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from '../../agentkit/index.ts';
import { hasCode } from '../../domain/fault.ts';
import type { EntryKind } from '../../domain/files/fileAttributes.ts';
import { orMissing } from '../files/save/resolveTarget.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { hostField, pathOf, shownPath } from './fileCall.ts';
import { changeFiles, checkShown, reviewChange } from './fileChange.ts';
import { kindText } from './fileFields.ts';
import { FileRefusedError } from './fileRefused.ts';
import { changeBetween, checkPlaces, checkTarget, fromToFields, type FromTo } from './fromTo.ts';

const input = z.strictObject(fromToFields);

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
      reviewChange(changeBetween('sftp_move', args), context, async (files, paths) => {
        checkPlaces(paths);
        const target = await orMissing(files.lstat(pathOf(args.to), context.signal));
        const replaced = target === undefined ? [] : [{ label: 'Target', value: 'Something is there now.' }];
        return {
          action: `Move ${shownPath(pathOf(args.from))} to ${shownPath(pathOf(args.to))}`,
          details: args.overwrite === true ? replaced : [],
          replaced: target === undefined ? [] : paths.slice(1),
          reasons: [
            args.overwrite === true && target !== undefined
              ? 'It moves something on the host and replaces what is at the target.'
              : 'It moves something on the host.',
          ],
          grantKey: { overwrite: args.overwrite ?? false },
        };
      }),
    execute: (args, context) =>
      changeFiles(
        changeBetween('sftp_move', args),
        context,
        async (files, paths, host): Promise<ToolOutcome> => {
          const moved = await move(
            files,
            { ...checkPlaces(paths), replace: args.overwrite ?? false },
            context,
          );
          const { from, to } = args;
          return { kind: 'success', fields: { host: hostField(host), from, to, ...moved } };
        },
      ),
  });
}

async function move(
  files: RemoteFiles,
  { from, to, replace }: FromTo & { readonly replace: boolean },
  context: ToolContext,
): Promise<{ readonly kind: EntryKind; readonly overwritten: boolean }> {
  const { signal } = context;
  const kind = kindText(await files.lstat(from, signal));
  const overwritten = await checkTarget(files, { to, mayReplace: replace && kind !== 'directory' }, signal);
  if (overwritten) checkShown(context, 'replaced', [to]);
  try {
    await files.rename({ from, to, replace: overwritten }, signal);
  } catch (error) {
    if (hasCode(error, 'other-filesystem'))
      throw new FileRefusedError('otherFileSystem', { path: shownPath(to) });
    throw error;
  }
  return { kind, overwritten };
}
