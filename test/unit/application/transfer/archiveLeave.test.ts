import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ArchiveLeave } from '../../../../src/application/transfer/archive/archiveLeave.ts';
import type { ArchiveUse } from '../../../../src/application/settings.ts';
import { newHostId, type HostId } from '../../../../src/domain/host/hostId.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

interface SceneOptions {
  readonly use?: ArchiveUse;
  /** Of the command that looks for `tar`; absent: it cannot be run. */
  readonly status?: number;
  readonly agrees?: boolean;
  readonly isPosix?: boolean;
  readonly isGone?: boolean;
}

/** A person who is asked about hosts, and a host that has `tar` or not. */
class Scene {
  readonly given = new Map<HostId, string>();
  address = '192.0.2.1';
  readonly asked: unknown[] = [];
  readonly leave: ArchiveLeave;
  /** How often a host was asked for its shell. */
  examined = 0;

  constructor({ use = 'ask', status, agrees = false, isPosix = true, isGone = false }: SceneOptions) {
    this.leave = new ArchiveLeave({
      use: () => use,
      consents: {
        isGiven: ({ host, place }) => this.given.get(host) === place,
        ask: async ({ host, place, ...question }) => {
          this.asked.push(question);
          if (agrees) this.given.set(host, place);
        },
        given: () => [...this.given.keys()],
        withdraw: async (host) => void this.given.delete(host),
      },
      placeOf: async (id) => (isGone ? undefined : { id, address: this.address, port: 22, user: 'lab' }),
      learn: async () => {
        this.examined += 1;
        return isGone ? undefined : { label: 'web-1', isPosix };
      },
      commandsOf: () => ({
        run: async () => {
          if (status === undefined) throw new Error('there is no such shell');
          return { stdout: new Uint8Array(), code: status };
        },
      }),
      programsOf: () => ({ start: () => Promise.reject(new Error('not asked for')) }),
      clock: new FakeClock(),
      log: { warn: () => {} },
    });
  }

  /** Whether archives may be used, once everything that a first call has begun is over. */
  async mayUse(host: HostId, files = 300): Promise<boolean> {
    const may = await this.leave.of(host).mayUse(files);
    await new Promise(setImmediate);
    return may;
  }
}

describe('archives of a host', () => {
  it('are used where a person has agreed, from then on', async () => {
    const scene = new Scene({ status: 0, agrees: true });
    const host = newHostId();
    assert.equal(await scene.mayUse(host, 2_000), false);
    assert.equal(await scene.mayUse(host, 1_000), true);
    assert.deepEqual(scene.asked, [{ label: 'web-1', files: 2_000 }]);
  });

  it('are used at once where a person has agreed before', async () => {
    const before = new Scene({ status: 0, agrees: true });
    const host = newHostId();
    await before.mayUse(host);
    const scene = new Scene({ status: 0 });
    for (const [one, place] of before.given) scene.given.set(one, place);
    assert.deepEqual([await scene.mayUse(host), scene.asked], [true, []]);
  });

  it('are asked about again where the host leads elsewhere, which is examined by itself', async () => {
    const scene = new Scene({ status: 0, agrees: true });
    const host = newHostId();
    assert.deepEqual([await scene.mayUse(host), await scene.mayUse(host)], [false, true]);
    scene.address = '192.0.2.2';
    assert.deepEqual([await scene.mayUse(host), scene.asked.length, scene.examined], [false, 2, 2]);
    assert.equal([...scene.given.values()].join().includes('192.0.2'), false);
  });

  it('are used no more when the agreement is taken back', async () => {
    const scene = new Scene({ status: 0, agrees: true });
    const host = newHostId();
    assert.deepEqual([await scene.mayUse(host), await scene.mayUse(host)], [false, true]);
    scene.given.clear();
    assert.deepEqual([await scene.mayUse(host), scene.asked.length], [false, 1]);
  });

  it('are asked about once for each host, which is examined once', async () => {
    const scene = new Scene({ status: 0 });
    const [one, other] = [newHostId(), newHostId()];
    for (const host of [one, other, one]) assert.equal(await scene.mayUse(host), false);
    assert.deepEqual([scene.asked.length, scene.examined], [2, 2]);
  });

  for (const [what, options] of [
    ['has no POSIX shell', { status: 0, isPosix: false }],
    ['has no tar', { status: 127 }],
    ['runs no commands', {}],
    ['is gone', { status: 0, isGone: true }],
  ] as const) {
    it(`are not asked about where the host ${what}`, async () => {
      const scene = new Scene(options);
      assert.deepEqual([await scene.mayUse(newHostId()), scene.asked], [false, []]);
    });

    it(`are not used, whatever was agreed, where the host ${what}`, async () => {
      const scene = new Scene({ ...options, use: 'always' });
      assert.equal(await scene.mayUse(newHostId()), false);
    });
  }

  for (const [use, may, examined] of [
    ['always', true, 1],
    ['never', false, 0],
  ] as const)
    it(`are used without a question: ${use}`, async () => {
      const scene = new Scene({ use, status: 0 });
      assert.deepEqual([await scene.mayUse(newHostId()), scene.asked, scene.examined], [may, [], examined]);
    });
});
