import type { Event } from '../../agentkit/index.ts';

/** `focus`: the window is looked at again after a while. `network`: the machine has other addresses than before. */
export type WakeSignal = 'focus' | 'network';

/** Moments in which a connection may have died unnoticed. Source: ssh.md 1.6. */
export interface WakeSignalsPort {
  readonly onSignal: Event<WakeSignal>;
}
