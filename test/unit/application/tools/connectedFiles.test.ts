import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { runId } from '../../../../src/agentkit/index.ts';
import type { HostPlace } from '../../../../src/application/exec/hostPlace.ts';
import type { ConnectionState, Lease } from '../../../../src/application/ports/connection.ts';
import type { RemoteFiles } from '../../../../src/application/ports/remoteFiles.ts';
import { connectedFiles } from '../../../../src/application/tools/connectedFiles.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';

const never = new AbortController().signal;
const place: HostPlace = { id: newHostId(), address: 'db.example.com', port: 22, user: 'deploy' };
const ready: ConnectionState = { k: 'ready', since: 0, rttMs: undefined };

/** What became of one use: how it ended, how many leases were taken without a question, and how many are held afterwards. */
async function use({
  state = ready,
  listed = place,
}: {
  readonly state?: ConnectionState;
  readonly listed?: HostPlace;
}): Promise<unknown> {
  const leases: Lease[] = [];
  const used: Lease[] = [];
  let held = 0;
  const files = connectedFiles({
    connections: {
      state: () => state,
      acquireUnasked: async () => {
        held += 1;
        const lease: Pick<Lease, 'user' | 'port' | 'release'> = {
          user: place.user,
          port: place.port,
          release: () => void (held -= 1),
        };
        leases.push(lease as Lease);
        return lease as Lease;
      },
    },
    service: {
      openOver: async (_host, lease) => {
        used.push(lease);
        return { files: {} as RemoteFiles, isShared: false, release: () => lease.release() };
      },
    },
    placeOf: async () => listed,
  });
  const order = { run: runId('one'), host: place, isRepeatable: true };
  const end = await files
    .use(order, async () => 'used', never)
    .catch((error: unknown) => (error as { readonly code: unknown }).code);
  return { end, isSameLease: leases[0] === used[0], leases: leases.length, held };
}

describe('files for whoever may not connect', () => {
  it('go over the one connection that is there, which is asked for nothing more', async () => {
    assert.deepEqual(await use({}), { end: 'used', isSameLease: true, leases: 1, held: 0 });
  });

  it('are none of a host that is not connected', async () => {
    const end = await use({ state: { k: 'idle' } });
    assert.deepEqual(end, { end: 'notConnected', isSameLease: true, leases: 0, held: 0 });
  });

  it('are none of a host that was edited since it was shown', async () => {
    const end = await use({ listed: { ...place, address: 'other.example.com' } });
    assert.deepEqual(end, { end: 'otherHost', isSameLease: false, leases: 1, held: 0 });
  });
});
