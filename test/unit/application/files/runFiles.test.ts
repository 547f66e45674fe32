import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { runId } from '../../../../src/agentkit/index.ts';
import type { HostPlace } from '../../../../src/application/exec/hostPlace.ts';
import type { HeldFiles } from '../../../../src/application/files/heldFiles.ts';
import { RunFiles } from '../../../../src/application/files/runFiles.ts';
import type { Lease } from '../../../../src/application/ports/connection.ts';
import type { RemoteFiles } from '../../../../src/application/ports/remoteFiles.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const never = new AbortController().signal;
const [one, two] = [runId('one'), runId('two')];
const place: HostPlace = { id: newHostId(), address: 'db.example.com', port: 22, user: 'deploy' };

/** Channels that say which one they are, and what is open. */
class Scene {
  readonly clock = new FakeClock();
  readonly open: number[] = [];
  leases = 0;
  /** Those that were acquired, and those over which something was opened. */
  readonly acquired: Lease[] = [];
  readonly used: Lease[] = [];
  listed: HostPlace | undefined = place;
  readonly files: RunFiles;
  /** Resolves when the host is looked up. */
  readonly looked: Promise<void>;
  #tellLooked: () => void = () => {};
  #channels = 0;

  constructor() {
    this.looked = new Promise((resolve) => (this.#tellLooked = resolve));
    this.files = new RunFiles({
      service: { openOver: async (_host, lease) => this.#channel(lease) },
      connections: { acquire: async () => this.#lease() },
      placeOf: async () => {
        this.#tellLooked();
        return this.listed;
      },
      clock: this.clock,
    });
  }

  /** The channel that a call of the run gets. */
  async channelOf(run: typeof one, host = place): Promise<number> {
    return this.files.use(
      { run, host, isRepeatable: true },
      async (files) => files.capabilities.maxRead,
      never,
    );
  }

  #lease(): Lease {
    this.leases += 1;
    const { user, port } = place;
    const lease: Pick<Lease, 'user' | 'port' | 'release'> = {
      user,
      port,
      release: () => void (this.leases -= 1),
    };
    this.acquired.push(lease as Lease);
    return lease as Lease;
  }

  /** Over the lease, which goes with it. */
  #channel(lease: Lease): HeldFiles {
    this.used.push(lease);
    this.#channels += 1;
    const number = this.#channels;
    this.open.push(number);
    const files: Pick<RemoteFiles, 'capabilities' | 'isEnded'> = {
      capabilities: {
        way: 'subsystem',
        operations: new Set(),
        maxRead: number,
        maxWrite: 1,
        maxOpen: undefined,
        isReadOnly: false,
      },
      isEnded: false,
    };
    const release = (): void => {
      this.open.splice(this.open.indexOf(number), 1);
      lease.release();
    };
    return { files: files as RemoteFiles, isShared: false, release };
  }
}

describe('the files of a run', () => {
  it('go over one channel a host, which closes with the run and not with another one', async () => {
    const scene = new Scene();
    assert.deepEqual(
      [await scene.channelOf(one), await scene.channelOf(one), await scene.channelOf(two)],
      [1, 1, 2],
    );
    assert.deepEqual([scene.open, scene.leases], [[1, 2], 2]);
    scene.files.end(one);
    assert.deepEqual(scene.open, [2]);
    scene.files.dispose();
    assert.deepEqual([scene.open, scene.leases, scene.clock.pending], [[], 0, 0]);
  });

  it('are not those of a host that was edited since it was shown', async () => {
    const scene = new Scene();
    scene.listed = { ...place, address: 'other.example.com' };
    await assert.rejects(scene.channelOf(one), { code: 'otherHost' });
    assert.deepEqual([scene.open, scene.leases], [[], 0]);
    assert.equal(await scene.channelOf(one, scene.listed), 1);
    scene.files.dispose();
  });

  it('are opened over the connection that was examined, also when the host is edited right after', async () => {
    const scene = new Scene();
    const channel = scene.channelOf(one);
    await scene.looked;
    scene.listed = { ...place, address: 'other.example.com' };
    assert.equal(await channel, 1);
    assert.deepEqual([scene.acquired.length, scene.used], [1, scene.acquired]);
    scene.files.dispose();
  });
});
