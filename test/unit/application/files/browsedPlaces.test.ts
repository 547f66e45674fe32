import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Emitter } from '../../../../src/agentkit/index.ts';
import { BrowsedFiles } from '../../../../src/application/files/browsedFiles.ts';
import { BrowsedPlaces } from '../../../../src/application/files/browsedPlaces.ts';
import type { RemoteFiles } from '../../../../src/application/ports/remoteFiles.ts';
import type { HostListing } from '../../../../src/domain/host/host.ts';
import { newHostId } from '../../../../src/domain/host/hostId.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { silentLog } from '../../../support/silentLog.ts';

const never = new AbortController().signal;
const host = newHostId();
const listing: HostListing = {
  ...{ id: host, label: 'web', source: 'vault', address: 'old.example.com', port: 22, user: 'deploy' },
  ...{ group: undefined, tags: [], tier: undefined, alias: undefined },
};

/** Channels that say where they lead. */
class Scene {
  readonly clock = new FakeClock();
  listing: HostListing | undefined = listing;
  /** Where the channels lead that are open. */
  readonly open: string[] = [];
  /** Something happens while a channel is opened. */
  onOpening: () => void = () => {};
  readonly browsed: BrowsedFiles;
  readonly places: BrowsedPlaces;
  readonly #changed = new Emitter<void>(assert.ifError);
  readonly #paths = new Map<RemoteFiles, string>();

  constructor() {
    this.browsed = new BrowsedFiles({
      open: () => this.places.open(host, async () => this.#channel()),
      clock: this.clock,
    });
    this.places = new BrowsedPlaces({
      hosts: { get: async () => this.listing, onDidChange: this.#changed.event },
      browsed: new Map([[host, this.browsed]]),
      log: silentLog,
    });
  }

  /** Resolves when everybody has heard of it. */
  async edit(change: Partial<HostListing>): Promise<void> {
    this.listing = { ...listing, ...change };
    this.#changed.fire();
    await new Promise((resolve) => setImmediate(resolve));
  }

  use(work: () => Promise<void> = async () => {}): Promise<string | undefined> {
    return this.browsed.use(
      async (files) => {
        await work();
        return this.#paths.get(files);
      },
      { isRepeatable: false },
      never,
    );
  }

  dispose(): void {
    this.places.dispose();
    this.browsed.dispose();
  }

  #channel() {
    const address = this.listing?.address ?? 'nowhere';
    this.onOpening();
    const state = { isEnded: false };
    const files = state as RemoteFiles;
    this.#paths.set(files, address);
    this.open.push(address);
    const release = (): void => {
      state.isEnded = true;
      this.open.splice(this.open.indexOf(address), 1);
    };
    return { files, isShared: false, release };
  }
}

describe('browsing a host that is edited', () => {
  it('goes where the host leads now, over another channel', async () => {
    const scene = new Scene();
    assert.equal(await scene.use(), 'old.example.com');
    await scene.edit({ address: 'new.example.com' });
    assert.deepEqual(scene.open, []);
    assert.equal(await scene.use(), 'new.example.com');
    assert.deepEqual(scene.open, ['new.example.com']);
    scene.dispose();
    assert.deepEqual([scene.open, scene.clock.pending], [[], 0]);
  });

  it('keeps its channel when only its name has changed', async () => {
    const scene = new Scene();
    await scene.use();
    await scene.edit({ label: 'other' });
    assert.deepEqual(scene.open, ['old.example.com']);
    scene.dispose();
  });

  it('lets what is on its way end where it began, while others go elsewhere already', async () => {
    const scene = new Scene();
    let finish: () => void = () => {};
    const held = new Promise<void>((resolve) => (finish = resolve));
    let tellBegun: () => void = () => {};
    const begun = new Promise<void>((resolve) => (tellBegun = resolve));
    const first = scene.use(() => {
      tellBegun();
      return held;
    });
    await begun;
    await scene.edit({ address: 'new.example.com' });
    assert.equal(await scene.use(), 'new.example.com');
    assert.deepEqual(scene.open, ['old.example.com', 'new.example.com']);
    finish();
    assert.equal(await first, 'old.example.com');
    assert.deepEqual(scene.open, ['new.example.com']);
    scene.dispose();
    assert.deepEqual(scene.open, []);
  });

  it('opens anew when the host is edited while a channel is opened', async () => {
    const scene = new Scene();
    scene.onOpening = () => {
      scene.onOpening = () => {};
      scene.listing = { ...listing, address: 'new.example.com' };
    };
    assert.equal(await scene.use(), 'new.example.com');
    assert.deepEqual(scene.open, ['new.example.com']);
    scene.dispose();
  });
});
