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
