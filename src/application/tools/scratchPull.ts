import { z } from 'zod';
import {
  AgentError,
  defineTool,
  scratchLimits,
  scratchPath,
  scratchPathHint,
  scratchPathInput,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '../../agentkit/index.ts';
import { sha256Of } from '../../domain/files/contentStamp.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import type { RemotePath } from '../../domain/files/remotePath.ts';
import type { HostListing } from '../../domain/host/host.ts';
import { closeUnheard } from '../files/closeUnheard.ts';
import { readFile } from '../files/readFile.ts';
import type { RemoteFile, RemoteFiles } from '../ports/remoteFiles.ts';
import { hostId, remotePath } from './execInput.ts';
import { hostField, onShownHost, pathOf, reviewReading, shownPath, withFiles } from './fileCall.ts';
import { kindText } from './fileFields.ts';
import { remotePathHint } from './fileInput.ts';
import { FileRefusedError } from './fileRefused.ts';
import { ToolService } from './keys.ts';

const input = z.strictObject({
  host_id: hostId,
  remote_path: remotePath.describe(remotePathHint),
  scratch_path: scratchPathInput.describe(scratchPathHint),
  overwrite: z.boolean().optional().describe('Replace a scratch file that is there.'),
});
type Arguments = z.output<typeof input>;

/** Source: tools.md, `scratch_pull`. */
export function scratchPull(): Tool {
  return defineTool({
    input,
    descriptor: {
      name: 'scratch_pull',
      summary:
        'Copies one regular file of a host, any bytes, at most 8 MiB, into scratch. Its content does not enter the conversation. Nothing on the host changes.',
      target: 'host',
      safety: 'locallyContained',
      concurrency: 'parallel',
      presentation: {
        symbol: 'cloud-download',
        activity: 'Copying a file into scratch',
        presenterId: 'remoteFiles',
        actionKind: 'write',
        groupsWithAdjacent: true,
      },
    },
    preflight: (args, context) => {
      scratchPath(args.scratch_path);
      const { host_id, remote_path: path, scratch_path: to } = args;
      return reviewReading({ host_id, path }, (shown) => `Copy ${shown} to ${to} (scratch)`, context);
    },
    execute: (args, context) => onShownHost(args.host_id, context, (host) => pull(args, host, context)),
  });
}

async function pull(args: Arguments, host: HostListing, context: ToolContext): Promise<ToolOutcome> {
  const { services, signal } = context;
  const scratch = services.get(ToolService.scratch);
  const createOnly = args.overwrite !== true;
  if (createOnly) await refuseExisting(args.scratch_path, context);
  const path = pathOf(args.remote_path);
  const bytes = await withFiles(context, { host, isRepeatable: true }, (files) =>
    readBytes(files, path, signal),
  );
  const written = await scratch.write(args.scratch_path, { bytes, createOnly }, signal);
  return {
    kind: 'success',
    fields: {
      host: hostField(host),
      remote_path: args.remote_path,
      scratch_path: written.path,
      bytes: written.bytes,
      sha256: sha256Of(bytes),
      overwritten: !written.created,
      total_bytes: written.totals.bytes,
    },
  };
}

/** In front of the copy; the write itself looks again. */
async function refuseExisting(path: string, { services, signal }: ToolContext): Promise<void> {
  try {
    await services.get(ToolService.scratch).stat(path, signal);
  } catch (error) {
    if (error instanceof AgentError && error.code === 'scratchNotFound') return;
    throw error;
  }
  throw new AgentError('scratchExists', { path });
}

async function readBytes(files: RemoteFiles, path: RemotePath, signal: AbortSignal): Promise<Uint8Array> {
  // A pipe would hold the whole channel up, so nothing is opened before its kind is known.
  const kind = kindText(await files.stat(path, signal));
  if (kind !== 'file') throw new FileRefusedError('notRegular', { path: shownPath(path), actual: kind });
  const file = await files.open(path, { access: 'read' }, signal);
  try {
    return await readWhole(file, { path, chunk: files.capabilities.maxRead }, signal);
  } finally {
    closeUnheard(file);
  }
}

/** Rejects with `tooManyBytes`, and with `changed-during-transfer` when the file was another one at the end. */
async function readWhole(
  file: RemoteFile,
  { path, chunk }: { readonly path: RemotePath; readonly chunk: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const before = await file.stat(signal);
  const limit = scratchLimits.fileBytes;
  const pieces: Uint8Array[] = [];
  let total = 0;
  const add = (bytes: number): void => {
    total += bytes;
    if (total > limit || (before.size ?? 0) > limit)
      throw new FileRefusedError('tooManyBytes', { path: shownPath(path), limit: String(limit) });
  };
  add(0);
  const { size } = before;
  for await (const piece of readFile(
    file,
    { chunk, ...(size === undefined ? {} : { expectedSize: size }) },
    signal,
  )) {
    pieces.push(piece);
    add(piece.length);
  }
  const after = await file.stat(signal);
  const isOther = after.size !== size || after.times?.modified !== before.times?.modified;
  // A size of zero is what files of the kernel tell.
  if (isOther || (size !== undefined && size > 0 && total !== size))
    throw fileError('changed-during-transfer', { path: shownPath(path) });
  return Buffer.concat(pieces);
}
