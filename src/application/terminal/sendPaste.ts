import { untilAborted } from '../../agentkit/index.ts';
import { pasteEnd, pasteStart, type Paste } from '../../domain/terminal/paste.ts';
import type { ManagedChannel } from '../ports/connection.ts';

/** `gone`: the channel closed first, and how much arrived is not known. */
export type PasteOutcome = 'sent' | 'cancelled' | 'gone';

export interface PasteOrder {
  readonly paste: Paste;
  /** Bytes that are on their way so far. */
  readonly onSent?: (bytes: number) => void;
  /** Lets everything else that waits go first. */
  readonly giveWay: () => Promise<void>;
}

/** Source: ssh.md 7.5. */
const pieceBytes = 1024;
const piecesAtOnce = 16;

/**
 * Sends a paste in pieces, each when the channel has taken the one before, so that a server that does not read holds it back. An abort
 * ends it between two characters; a paste that has marks around it is closed all the same, or the program would take the next keys for
 * more of it. Never rejects.
 */
export async function sendPaste(
  channel: Pick<ManagedChannel, 'write'>,
  { paste, onSent, giveWay }: PasteOrder,
  signal: AbortSignal,
): Promise<PasteOutcome> {
  const { text, isBracketed } = paste;
  const bytes = Buffer.from(text, 'utf8');
  const mark = (marker: string): Promise<void> =>
    isBracketed ? channel.write(Buffer.from(marker)) : Promise.resolve();
  let sent = 0;
  try {
    if (signal.aborted) return 'cancelled';
    await untilAborted(mark(pasteStart), signal);
    for (let pieces = 1; sent < bytes.length; pieces++) {
      signal.throwIfAborted();
      const end = pieceEnd(bytes, sent);
      const taken = channel.write(bytes.subarray(sent, end));
      sent = end;
      await untilAborted(taken, signal);
      onSent?.(sent);
      if (pieces % piecesAtOnce === 0) await giveWay();
    }
    await untilAborted(mark(pasteEnd), signal);
    return 'sent';
  } catch {
    if (!signal.aborted) return 'gone';
    // It goes behind what the channel has taken already; nobody waits for it.
    void mark(pasteEnd).catch(() => undefined);
    return 'cancelled';
  }
}

/** The end of the piece that begins at `start`, in front of a character that it would cut. */
function pieceEnd(bytes: Uint8Array, start: number): number {
  let end = Math.min(start + pieceBytes, bytes.length);
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}
