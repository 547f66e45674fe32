import { isAborted } from '../../../agentkit/index.ts';
import { fileFaultOf } from '../../../domain/files/fileFault.ts';
import type { OpenSource } from './end.ts';
import type { FileContext, KnownFacts } from './fileContext.ts';
import { transferFile } from './transferFile.ts';
import type { FileRequest, FileResult } from './transfer.ts';

/** Of one file; what a large one takes leaves no room for others. Source: ssh.md 8.7, 6. */
const places = 64;
const largeBytes = 8 * 1024 * 1024;
const smallBytes = 256 * 1024;
const placesOf = { small: 1, middle: 8 } as const;

export type PoolRequest = FileRequest & {
  readonly known?: KnownFacts;
  /** What it is read from, where it is open already. */
  readonly held?: OpenSource;
};

/**
 * Many files over two ends, small ones at the same time and large ones alone. Tells how each ended, and resolves when all have. Rejects
 * when the signal aborts or an end is over, after everything that was under way has settled. Source: ssh.md 8.7, 6.
 */
export async function transferFiles(
  context: FileContext,
  {
    requests,
    onResult,
  }: {
    readonly requests: readonly PoolRequest[];
    readonly onResult: (result: FileResult, index: number) => void;
  },
  signal: AbortSignal,
): Promise<void> {
  const all = Math.min(places, context.source.maxOpen, context.target.maxOpen);
  const running = new Set<Promise<void>>();
  let free = all;
  let over: { readonly error: unknown } | undefined;
  const run = async (request: PoolRequest, index: number): Promise<void> => {
    const { from, to } = request;
    try {
      const outcome = await transferFile(context, request, signal);
      context.meter.fileDone();
      onResult({ from, to, outcome }, index);
    } catch (error) {
      if (isAborted(signal) || context.source.isEnded || context.target.isEnded) over ??= { error };
      onResult({ from, to, fault: fileFaultOf(error, signal) }, index);
    }
  };
  const isOver = (): boolean => over !== undefined || isAborted(signal);
  for (const [index, request] of requests.entries()) {
    const wanted = Math.min(all, placesFor(request.known?.source.size));
    while (free < wanted && !isOver()) await Promise.race(running);
    if (isOver()) break;
    free -= wanted;
    const one: Promise<void> = run(request, index).finally(() => {
      free += wanted;
      running.delete(one);
    });
    running.add(one);
  }
  await Promise.all(running);
  signal.throwIfAborted();
  if (over !== undefined) throw over.error;
}

function placesFor(size: number | undefined): number {
  if (size === undefined || size > largeBytes) return places;
  return size <= smallBytes ? placesOf.small : placesOf.middle;
}
