import type { RemoteFile } from '../ports/remoteFiles.ts';

export interface WriteOptions {
  readonly source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Where writing begins; 0 when absent. */
  readonly from?: number;
  /** Bytes of one request: at most what the server takes. */
  readonly chunk: number;
  /** Most requests on their way; 64 when absent. Source: ssh.md 8.7, 1. */
  readonly inFlight?: number;
}

const mostInFlight = 64;

/**
 * Writes what `source` gives, one behind the other, and resolves with the number of bytes once the server has acknowledged all of them.
 * It starts with one request and sends one more for each answer. After a failure nothing more is sent, and it rejects when every request
 * on its way is settled. The file stays open and is not flushed. Source: ssh.md 8.7, 3 and 5.
 */
export async function writeFile(
  file: Pick<RemoteFile, 'write'>,
  { source, ...options }: WriteOptions,
  signal: AbortSignal,
): Promise<number> {
  const most = options.inFlight ?? mostInFlight;
  const pending = new Set<Promise<void>>();
  let window = 1;
  let offset = options.from ?? 0;
  let failure: { readonly error: unknown } | undefined;
  const write = async (at: number, bytes: Uint8Array): Promise<void> => {
    try {
      await file.write(at, bytes, signal);
      window = Math.min(most, window + 1);
    } catch (error) {
      failure ??= { error };
    }
  };
  const hasFailed = (): boolean => failure !== undefined;
  try {
    for await (const bytes of source) {
      if (hasFailed()) break;
      for (let done = 0; done < bytes.length && !hasFailed(); done += options.chunk) {
        while (pending.size >= window && !hasFailed()) await Promise.race(pending);
        const piece = bytes.subarray(done, done + options.chunk);
        const written: Promise<void> = write(offset, piece).finally(() => pending.delete(written));
        pending.add(written);
        offset += piece.length;
      }
    }
  } finally {
    await Promise.all(pending);
  }
  if (failure !== undefined) throw failure.error;
  return offset - (options.from ?? 0);
}
