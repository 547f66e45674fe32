import type { RemoteFile } from '../ports/remoteFiles.ts';

export interface ReadOptions {
  /** Where reading begins; 0 when absent. */
  readonly from?: number;
  /** Bytes of one request: at most what the server takes. */
  readonly chunk: number;
  /** Most requests on their way; 64 when absent. Source: ssh.md 8.7, 1. */
  readonly inFlight?: number;
  /**
   * The size that the file should have. Up to there requests go out ahead, behind it one at a time until the end is confirmed. Absent, 0 =
   * not known: everything is read to the end. Source: ssh.md 8.7, 3; SFTP-4, SFTP-5.
   */
  readonly expectedSize?: number;
}

const mostInFlight = 64;
/** Source: ssh.md 8.7, 3. */
const leastChunk = 512;

/**
 * The bytes of a file in order, up to its end as it is when it is reached. It starts with one request and sends one more for each answer;
 * a short answer is completed, and later requests get shorter. Nothing is read twice, and what shrinks while it is read ends earlier.
 * Rejects as `RemoteFile.read`. The file stays open. Source: ssh.md 8.7, 3.
 */
export async function* readFile(
  file: Pick<RemoteFile, 'read'>,
  options: ReadOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const most = options.inFlight ?? mostInFlight;
  const expectedEnd = options.expectedSize === 0 ? undefined : options.expectedSize;
  const over = new AbortController();
  const reading = AbortSignal.any([signal, over.signal]);
  const slots: Promise<Slot>[] = [];
  let { chunk } = options;
  let window = 1;
  let next = options.from ?? 0;
  const mayGoOn = (): boolean => {
    if (slots.length === 0) return true;
    return slots.length < window && (expectedEnd === undefined || next < expectedEnd);
  };
  try {
    for (;;) {
      while (mayGoOn()) {
        const slot = readSlot(file, { offset: next, length: chunk }, reading);
        slot.catch(() => {}); // told when its turn comes
        slots.push(slot);
        next += chunk;
      }
      const slot = await slots.shift();
      if (slot === undefined) return;
      yield* slot.pieces;
      if (slot.isEnd) return;
      if (slot.pieces.length > 1) chunk = Math.max(leastChunk, slot.longest);
      window = Math.min(most, window + 1);
    }
  } finally {
    over.abort(new Error('nobody reads on'));
  }
}

interface Slot {
  readonly pieces: readonly Uint8Array[];
  readonly longest: number;
  /** The file ended in it. */
  readonly isEnd: boolean;
}

/** One stretch of a file, complete unless the file ends in it. */
async function readSlot(
  file: Pick<RemoteFile, 'read'>,
  { offset, length }: { readonly offset: number; readonly length: number },
  signal: AbortSignal,
): Promise<Slot> {
  const pieces: Uint8Array[] = [];
  let longest = 0;
  for (let done = 0; done < length;) {
    const piece = await file.read(offset + done, length - done, signal);
    if (piece.length === 0) return { pieces, longest, isEnd: true };
    pieces.push(piece);
    longest = Math.max(longest, piece.length);
    done += piece.length;
  }
  return { pieces, longest, isEnd: false };
}
