import type { Duplex } from 'node:stream';
import type { ClockPort } from '../../agentkit/index.ts';
import { isTermindError } from '../../domain/fault.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { showUntrusted } from '../../domain/ssh/untrustedText.ts';

/** How much text of start-up files is thrown away. */
const maxNoise = 1024 * 1024;
const maxLine = 4_096;
const waitMs = 30_000;
const lineFeed = 0x0a;

/** What a command said on the line of its marker, and what it printed when the stream ended without one. */
export type MarkerFound =
  { readonly k: 'found'; readonly rest: string } | { readonly k: 'ended'; readonly text: string };

/**
 * Reads a stream up to the end of the line that begins with `marker` and leaves the rest in it, paused. Rejects with `stalled` after 30
 * seconds, with `sftp-noise` when there is too much in front, with the stream's own fault, and with `cancelled`. The stream stays the
 * caller's. Source: ssh.md 8.4.
 */
export function untilMarker(
  stream: Duplex,
  { marker, clock }: { readonly marker: string; readonly clock: ClockPort },
  signal: AbortSignal,
): Promise<MarkerFound> {
  return new Promise((resolve, reject) => {
    let held = Buffer.alloc(0);
    const settle = (finish: () => void): void => {
      timer.dispose();
      signal.removeEventListener('abort', onAbort);
      stream.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
      stream.pause();
      finish();
    };
    const onData = (chunk: Buffer): void => {
      held = Buffer.concat([held, chunk]);
      const at = held.indexOf(marker, 0, 'latin1');
      const end = at < 0 ? -1 : held.indexOf(lineFeed, at);
      if (end >= 0) {
        const rest = held.toString('utf8', at + marker.length, end).trim();
        return settle(() => {
          if (end + 1 < held.length) stream.unshift(held.subarray(end + 1));
          resolve({ k: 'found', rest });
        });
      }
      if (at >= 0 ? held.length - at > maxLine : held.length > maxNoise)
        settle(() => reject(fileError('sftp-noise', { text: textOf(held) })));
    };
    const onEnd = (): void => settle(() => resolve({ k: 'ended', text: textOf(held) }));
    const onError = (error: unknown): void =>
      settle(() =>
        reject(
          isTermindError(error)
            ? error
            : fileError('sftp-ended', { reason: 'its channel failed' }, { cause: error }),
        ),
      );
    const onAbort = (): void => settle(() => reject(fileError('cancelled')));
    const timer = clock.after(waitMs, () => settle(() => reject(fileError('stalled'))));
    signal.addEventListener('abort', onAbort, { once: true });
    stream.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);
    if (signal.aborted) onAbort();
    else if (stream.destroyed || stream.readableEnded) onEnd();
  });
}

function textOf(bytes: Buffer): string {
  return showUntrusted(bytes.subarray(0, maxLine).toString('utf8').trim());
}
