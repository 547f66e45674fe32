import { z } from 'zod';
import { defineTool, type Tool, type ToolContext } from '../../agentkit/index.ts';
import { octalMode } from '../../domain/files/permissions.ts';
import type { RemotePath } from '../../domain/files/remotePath.ts';
import { sendAtOnce } from '../files/documents/sendAtOnce.ts';
import { walkTree, type TreeEntry } from '../files/walkTree.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { linkedPath } from './entryPath.ts';
import { hostId } from './execInput.ts';
import { hostField, pathOf, shownPath } from './fileCall.ts';
import { changeFiles, checkShown, reviewChange, type FileChange } from './fileChange.ts';
import { kindText, modeText } from './fileFields.ts';
import { modeInput, modeOf, pathInput } from './fileInput.ts';
import { deepestFirst, inPart, mostEntries } from './treeChange.ts';

const input = z.strictObject({
  host_id: hostId,
  path: pathInput,
  mode: modeInput.describe('Octal, from 0000 to 7777.'),
  recursive: z.boolean().optional().describe('Everything in the directory as well; links are left alone.'),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md, `sftp_chmod`. */
export function sftpChmod(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_chmod',
      summary: `Sets the mode bits of a file or directory of a host, or of everything in a directory (at most ${mostEntries} entries). The user decides about it first.`,
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      presentation: {
        symbol: 'lock',
        activity: 'Changing permissions',
        presenterId: 'remoteFiles',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) =>
      reviewChange(changeOf(args), context, async (files, [path]) => {
        const mode = octalMode(modeOf(args.mode));
        const entries = await targets(files, { path: path ?? pathOf(args.path), args }, context.signal);
        const [first] = entries;
        return {
          action: `Set mode ${mode} of ${shownPath(pathOf(args.path))}${args.recursive === true ? ' and everything in it' : ''}`,
          details: [{ label: 'Mode now', value: (first && modeText(first.attributes)) ?? 'not known' }],
          reasons: [
            args.recursive === true
              ? `It changes the permissions of ${entries.length} entries on the host.`
              : 'It changes permissions on the host.',
          ],
          further: entries.map((entry) => entry.path),
          ...(args.recursive === true ? {} : { grantKey: { mode } }),
        };
      }),
    execute: (args, context) =>
      changeFiles(changeOf(args), context, (files, [path], host) =>
        change(files, { path: path ?? pathOf(args.path), args }, context).then((changed) => ({
          kind: 'success',
          fields: { host: hostField(host), path: args.path, ...changed },
        })),
      ),
  });
}

function changeOf(args: Arguments): FileChange {
  return {
    hostId: args.host_id,
    tool: 'sftp_chmod',
    paths: [{ path: pathOf(args.path), resolve: linkedPath }],
  };
}

interface ModeTarget {
  readonly path: RemotePath;
  readonly args: Arguments;
}

/** What gets the mode, a directory in front of what it holds. Links have none of their own. */
async function targets(
  files: RemoteFiles,
  { path, args }: ModeTarget,
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> {
  if (args.recursive === true)
    return (await walkTree(files, { root: path, mostEntries }, signal)).filter(
      ({ kind }) => kind !== 'symlink',
    );
  const attributes = await files.stat(path, signal);
  return [{ path, depth: 0, kind: kindText(attributes), attributes }];
}

async function change(
  files: RemoteFiles,
  target: ModeTarget,
  context: ToolContext,
): Promise<{ readonly mode_before: string | null; readonly mode: string; readonly changed: number }> {
  const mode = modeOf(target.args.mode);
  const { signal } = context;
  const entries = await targets(files, target, signal);
  checkShown(
    context,
    'further',
    entries.map((entry) => entry.path),
  );
  let changed = 0;
  await inPart(
    async () => {
      // What a directory holds first: its new mode may close it.
      for (const level of deepestFirst(entries))
        await sendAtOnce(level, async (entry) => {
          await files.setstat(entry.path, { mode }, signal);
          changed += 1;
        });
    },
    { what: 'were changed', done: () => changed, all: entries.length },
  );
  const [first] = entries;
  return { mode_before: (first && modeText(first.attributes)) ?? null, mode: octalMode(mode), changed };
}
