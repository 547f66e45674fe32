import type { Fault } from '../../domain/fault.ts';
import type { ForwardBind } from '../../domain/forward/forward.ts';

/** Why a forward that somebody wants does not listen. */
export type ForwardDown =
  | { readonly k: 'fault'; readonly fault: Fault }
  /** The connection was closed by hand, or has not been asked for since. */
  | { readonly k: 'disconnected' }
  /** Another window runs it. */
  | { readonly k: 'otherWindow' }
  /** Other machines could connect, which nobody has agreed to. */
  | { readonly k: 'reachesOthers' };

/** Live only; never stored. Source: ssh.md 6. */
export type ForwardState =
  | { readonly k: 'stopped' }
  | { readonly k: 'starting' }
  /** `at` has the real port. */
  | { readonly k: 'listening'; readonly at: ForwardBind }
  | { readonly k: 'down'; readonly why: ForwardDown };

/** What went through since it was started. */
export interface ForwardCounters {
  readonly clients: number;
  readonly totalClients: number;
  readonly refusedClients: number;
  readonly bytesToRemote: number;
  readonly bytesToClient: number;
  /** The last fault of a single client, for example a refused destination. */
  readonly lastRefusal: Fault | undefined;
}

export const noCounters: ForwardCounters = {
  clients: 0,
  totalClients: 0,
  refusedClients: 0,
  bytesToRemote: 0,
  bytesToClient: 0,
  lastRefusal: undefined,
};
