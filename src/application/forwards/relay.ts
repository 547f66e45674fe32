import type { Duplex } from 'node:stream';

/** Told how many bytes have gone each way. */
export interface RelayCounts {
  readonly toRemote: (bytes: number) => void;
  readonly toClient: (bytes: number) => void;
}

/**
 * Joins two streams until both are closed: what one side does not read holds the other back, an end travels alone, and a side that breaks
 * breaks the other. Destroys both in the end; destroying one ends it early. Source: ssh.md 6.
 */
export function relay(client: Duplex, remote: Duplex, counts: RelayCounts): Promise<void> {
  return new Promise((resolve) => {
    let open = 2;
    const closed = (): void => {
      open -= 1;
      if (open === 0) resolve();
    };
    join(client, remote, { count: counts.toRemote, closed });
    join(remote, client, { count: counts.toClient, closed });
  });
}

function join(
  from: Duplex,
  to: Duplex,
  tell: { readonly count: (bytes: number) => void; readonly closed: () => void },
): void {
  const onClosed = (): void => {
    tell.closed();
    // What it sent to its end is still delivered; nobody takes what comes back any more.
    if (!from.readableEnded || to.writableFinished) to.destroy();
    else to.once('finish', () => to.destroy());
  };
  from.on('error', () => {});
  if (from.closed) return onClosed();
  from.once('close', onClosed);
  from.on('data', (bytes: Uint8Array) => tell.count(bytes.length));
  from.pipe(to);
}
