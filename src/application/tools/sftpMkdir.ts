import { z } from 'zod';
import { defineTool, type Tool, type ToolContext, type ToolOutcome } from '../../agentkit/index.ts';
import { hasCode } from '../../domain/fault.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { nameOf, parentOf, type RemotePath } from '../../domain/files/remotePath.ts';
import { orMissing } from '../files/save/resolveTarget.ts';
import type { RemoteFiles } from '../ports/remoteFiles.ts';
import { entryPath } from './entryPath.ts';
import { hostId } from './execInput.ts';
import { hostField, pathOf, shownPath } from './fileCall.ts';
import { changeFiles, reviewChange, type FileChange } from './fileChange.ts';
import { kindText, modeText } from './fileFields.ts';
import { modeInput, modeOf, pathInput } from './fileInput.ts';
import { FileRefusedError } from './fileRefused.ts';

const input = z.strictObject({
  host_id: hostId,
  path: pathInput,
  parents: z
    .boolean()
    .optional()
    .describe('Make missing parents too, and take a directory that is there for success.'),
  mode: modeInput.optional().describe('Octal, for example 0755; what the host gives when absent.'),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md, `sftp_mkdir`. */
export function sftpMkdir(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'sftp_mkdir',
      summary: 'Makes a directory on a host. The user decides about it first.',
      target: 'host',
      safety: 'requiresAuthorization',
      concurrency: 'sequential',
      presentation: {
        symbol: 'new-folder',
        activity: 'Making a directory',
        presenterId: 'remoteFiles',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) =>
      reviewChange(changeOf(args), context, async () => ({
        action: `Make directory ${shownPath(pathOf(args.path))}`,
        details: [
          ...(args.mode === undefined ? [] : [{ label: 'Mode', value: args.mode }]),
          ...(args.parents === true ? [{ label: 'Parents', value: 'Made where they are missing.' }] : []),
        ],
        reasons: ['It makes a directory on the host.'],
        grantKey: { parents: args.parents ?? false, mode: args.mode ?? null },
      })),
    execute: (args, context) =>
      changeFiles(changeOf(args), context, async (files, [path], host): Promise<ToolOutcome> => {
        const created = await make(files, { path: path ?? pathOf(args.path), args }, context);
        const attributes = await files.stat(pathOf(args.path), context.signal);
        return {
          kind: 'success',
          fields: { host: hostField(host), path: args.path, created, mode: modeText(attributes) },
        };
      }),
  });
}

function changeOf(args: Arguments): FileChange {
  return {
    hostId: args.host_id,
    tool: 'sftp_mkdir',
    paths: [{ path: pathOf(args.path), resolve: entryPath }],
  };
}

async function make(
  files: RemoteFiles,
  { path, args }: { readonly path: RemotePath; readonly args: Arguments },
  context: ToolContext,
): Promise<boolean> {
  const { signal } = context;
  const found = await orMissing(files.stat(path, signal));
  if (found !== undefined) {
    if (args.parents === true && kindText(found) === 'directory') return false;
    throw fileError('exists', { path: shownPath(path) });
  }
  if (args.parents === true) await makeParents(files, parentOf(path), signal);
  const mode = args.mode === undefined ? undefined : modeOf(args.mode);
  try {
    await files.mkdir(path, mode, signal);
  } catch (error) {
    if (!hasCode(error, 'not-found')) throw error;
    throw new FileRefusedError('parentMissing', { path: shownPath(path) });
  }
  // What a server makes is subject to its umask.
  if (mode !== undefined) await files.setstat(path, { mode }, signal);
  return true;
}

/** From the first that is missing downwards. */
async function makeParents(files: RemoteFiles, path: RemotePath, signal: AbortSignal): Promise<void> {
  if (nameOf(path) === undefined) return;
  const found = await orMissing(files.stat(path, signal));
  if (found !== undefined) {
    if (kindText(found) !== 'directory') throw fileError('not-directory', { path: shownPath(path) });
    return;
  }
  await makeParents(files, parentOf(path), signal);
  await files.mkdir(path, undefined, signal);
}
