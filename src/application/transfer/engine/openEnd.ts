import type { ClockPort } from '../../../agentkit/index.ts';
import type { LocalFilesPort } from '../../ports/localFiles.ts';
import type { End } from './end.ts';
import { LocalEnd } from './localEnd.ts';
import { RemoteEnd } from './remoteEnd.ts';
import type { Place } from './transfer.ts';

export interface OpenEndOptions {
  readonly local: LocalFilesPort;
  readonly clock: ClockPort;
}

/** The end that a place is of. Rejects as opening a channel does. Whoever opens it releases it. */
export async function openEnd(
  place: Place,
  { local, clock }: OpenEndOptions,
  signal: AbortSignal,
): Promise<End> {
  return place.k === 'local' ? new LocalEnd(local) : RemoteEnd.open(place, clock, signal);
}

/** Whoever has them releases them, together. */
export interface TwoEnds {
  readonly from: End;
  readonly to: End;
  release(): Promise<void>;
}

/** The ends of two places; two of one host share its channel. Rejects as `openEnd`, with nothing open. */
export async function openEnds(
  { from, to }: { readonly from: Place; readonly to: Place },
  options: OpenEndOptions,
  signal: AbortSignal,
): Promise<TwoEnds> {
  const one = await openEnd(from, options, signal);
  if (from.k === 'remote' && to.k === 'remote' && from.host === to.host)
    return { from: one, to: one, release: () => one.release() };
  try {
    const other = await openEnd(to, options, signal);
    return {
      from: one,
      to: other,
      release: async () => {
        await Promise.all([one.release(), other.release()]);
      },
    };
  } catch (error) {
    await one.release();
    throw error;
  }
}
