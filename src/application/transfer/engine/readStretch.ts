import type { Reader } from './end.ts';

/**
 * A stretch of a file, shorter when the file ends in it. All requests for it are sent at once, each of at most `chunk` bytes.
 */
export async function readStretch(
  { reader, chunk }: { readonly reader: Pick<Reader, 'read'>; readonly chunk: number },
  { from, length }: { readonly from: number; readonly length: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const parts: Promise<Uint8Array>[] = [];
  for (let done = 0; done < length; done += chunk)
    parts.push(readPart(reader, { from: from + done, length: Math.min(chunk, length - done) }, signal));
  return joined(await Promise.all(parts));
}

async function readPart(
  reader: Pick<Reader, 'read'>,
  { from, length }: { readonly from: number; readonly length: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let done = 0; done < length;) {
    const piece = await reader.read(from + done, length - done, signal);
    if (piece.length === 0) break;
    pieces.push(piece);
    done += piece.length;
  }
  return joined(pieces);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only, ...more] = pieces;
  return only !== undefined && more.length === 0 ? only : Buffer.concat(pieces);
}
