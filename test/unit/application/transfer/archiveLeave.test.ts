import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ArchiveLeave } from '../../../../src/application/transfer/archive/archiveLeave.ts';
import type { ArchiveUse } from '../../../../src/application/settings.ts';
import { newHostId, type HostId } from '../../../../src/domain/host/hostId.ts';

/** A person who is asked about hosts, and a host that has `tar` or not. */
function scene(options: { use?: ArchiveUse; status?: number; agrees?: boolean; label?: string | undefined }) {
  const given = new Set<HostId>();
  const asked: unknown[] = [];
  let tell = (): void => {};
  /** The question is gone, or there was none. */
  const settled = new Promise<void>((resolve) => (tell = resolve));
  const leave = new ArchiveLeave({
    use: () => options.use ?? 'ask',
    consents: {
      isGiven: (host) => given.has(host),
      ask: async ({ host, ...question }) => {
        asked.push(question);
        if (options.agrees === true) given.add(host);
        tell();
      },
    },
    commandsOf: () => ({
      run: async () => {
        if (options.status === undefined) throw new Error('there is no such shell');
        return { stdout: new Uint8Array(), code: options.status };
      },
    }),
    programsOf: () => ({ start: () => Promise.reject(new Error('not asked for')) }),
    labelOf: async () => {
      if (!('label' in options)) return 'web-1';
      tell();
      return options.label;
    },
    log: { warn: () => tell() },
  });
  return { leave, asked, settled };
}

describe('archives of a host', () => {
  it('are used where a person has agreed, from then on', async () => {
    const { leave, asked, settled } = scene({ status: 0, agrees: true });
    const host = newHostId();
    assert.equal(await leave.of(host).mayUse(2_000), false);
    await settled;
    assert.equal(await leave.of(host).mayUse(1_000), true);
    assert.deepEqual(asked, [{ label: 'web-1', files: 2_000 }]);
  });

  it('are asked about once for each host', async () => {
    const { leave, asked, settled } = scene({ status: 0 });
    const [one, other] = [newHostId(), newHostId()];
    assert.equal(await leave.of(one).mayUse(300), false);
    await settled;
    for (const host of [one, other, one]) assert.equal(await leave.of(host).mayUse(300), false);
    await new Promise(setImmediate);
    assert.equal(asked.length, 2);
  });

  for (const [what, options] of [
    ['has no POSIX shell that is known', {}],
    ['has no tar', { status: 127 }],
    ['is gone', { status: 0, label: undefined }],
  ] as const)
    it(`are not asked about where the host ${what}`, async () => {
      const { leave, asked, settled } = scene(options);
      assert.equal(await leave.of(newHostId()).mayUse(300), false);
      if ('status' in options && options.status === 127) await new Promise(setImmediate);
      else await settled;
      assert.deepEqual(asked, []);
    });

  for (const [use, may] of [
    ['always', true],
    ['never', false],
  ] as const)
    it(`are used without a question: ${use}`, async () => {
      const { leave, asked } = scene({ use, status: 0 });
      assert.equal(await leave.of(newHostId()).mayUse(300), may);
      await new Promise(setImmediate);
      assert.deepEqual(asked, []);
    });
});
