import type { Client } from 'ssh2';

/**
 * How many bytes a server may send on one channel before it has to wait for us. Interactive channels keep the small one, so that what a
 * flood leaves in memory is bounded; whatever moves files gets the large one, which fills long lines. Source: ssh.md 1.11, TRAP-20; 7.1; 8.7.
 */
export const channelWindow = { interactive: 2 * 1024 * 1024, transfer: 16 * 1024 * 1024 } as const;

/**
 * Calls `request`, which asks `client` for a channel at once, so that this channel gets the window named; later ones have the
 * library's own again. Relies on the third patch of the library; the unpatched one ignores the number.
 */
export function withChannelWindow<T>(client: Client, name: keyof typeof channelWindow, request: () => T): T {
  Reflect.set(client, '_channelWindow', channelWindow[name]);
  try {
    return request();
  } finally {
    Reflect.set(client, '_channelWindow', undefined);
  }
}
