import type { Client } from 'ssh2';

/** What a server may send on one channel: bytes before it has to wait for us, and bytes of one packet. */
export interface ChannelWindow {
  readonly window: number;
  readonly packet: number;
}

/**
 * Interactive channels keep the small window, so that what a flood leaves in memory is bounded, and the library's packets; whatever moves
 * files gets the large one, which fills long lines, and packets that cost a quarter of the work. Source: ssh.md 1.11, TRAP-20; 7.1; 8.7.
 */
export const channelWindow = {
  interactive: { window: 2 * 1024 * 1024, packet: 32 * 1024 },
  transfer: { window: 16 * 1024 * 1024, packet: 128 * 1024 },
} as const satisfies Readonly<Record<string, ChannelWindow>>;

/**
 * Calls `request`, which asks `client` for a channel at once, so that this channel gets the window named; later ones have the
 * library's own again. Relies on the third and fifth patch of the library; the unpatched one ignores the numbers.
 */
export function withChannelWindow<T>(client: Client, name: keyof typeof channelWindow, request: () => T): T {
  const { window, packet } = channelWindow[name];
  setLimits(client, window, packet);
  try {
    return request();
  } finally {
    setLimits(client, undefined, undefined);
  }
}

function setLimits(client: Client, window: number | undefined, packet: number | undefined): void {
  Reflect.set(client, '_channelWindow', window);
  Reflect.set(client, '_channelPacket', packet);
}
