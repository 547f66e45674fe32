import type { Preflight, ToolContext, ToolOutcome } from '../../../agentkit/index.ts';
import { isTermindError } from '../../../domain/fault.ts';
import type { HostListing } from '../../../domain/host/host.ts';
import type { RemotePath } from '../../../domain/files/remotePath.ts';
import type { FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { sentenceOf } from '../failure.ts';
import type { TransferDeps } from './transferDeps.ts';
import { LocalPathRefused } from './localSpot.ts';
import { waitingForHost } from '../waitingForHost.ts';

/** What is at a path of the host; undefined when nothing is. A link is not followed. Rejects with the faults of connections and files. */
export async function lookAtHost(
  { files }: Pick<TransferDeps, 'files'>,
  { host, path }: { readonly host: HostListing; readonly path: RemotePath },
  context: ToolContext,
): Promise<FileAttributes | undefined> {
  const { signal } = context;
  try {
    return await waitingForHost(context, host.id, () =>
      files.browse(host.id).use((own) => own.lstat(path, signal), { isRepeatable: true }, signal),
    );
  } catch (error) {
    if (isTermindError(error) && error.fault.code === 'not-found') return undefined;
    throw error;
  }
}

/** Preflight whose failures of ours refuse the call with their sentence. */
export async function orRefused(context: ToolContext, work: () => Promise<Preflight>): Promise<Preflight> {
  try {
    return await work();
  } catch (error) {
    return { refusal: sentence(error, context.signal) };
  }
}

/** Execution whose failures of ours become the sentence of the call. */
export async function orFailed(context: ToolContext, work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
  try {
    return await work();
  } catch (error) {
    return { kind: 'failure', sentence: sentence(error, context.signal) };
  }
}

function sentence(error: unknown, signal: AbortSignal): string {
  return error instanceof LocalPathRefused ? error.message : sentenceOf(error, signal);
}
