import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { z } from 'zod';
import type { CallOperation } from '../../../src/application/operations/operation.ts';
import type { ActEntry } from '../../../src/application/ports/operations.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { until } from '../../e2e/harness/until.ts';
import { startScriptedModel, type ScriptedModel } from '../../lab/scriptedModel.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { sharedFolder, startLabHost } from '../assistant/labHost.ts';
import { LabWindow } from '../assistant/labWindow.ts';
import { calls, command, says } from '../assistant/scripts.ts';

const never = new AbortController().signal;
const recipe = readFileSync(new URL('../../../docs/operations-log.md', import.meta.url), 'utf8');
const exportShape = z.object({
  rows: z.array(z.object({ seq: z.number(), hash: z.string(), text: z.string().optional() })),
});

describe('the operations log of a window', function () {
  this.timeout(120_000);
  let sshd: Sshd;
  let model: ScriptedModel;
  let window: LabWindow;

  beforeEach(async () => {
    [sshd, model] = await Promise.all([startLabHost(), startScriptedModel()]);
    window = new LabWindow({ sshConfig: sshd.configText('lab'), baseUrl: model.baseUrl });
  });
  afterEach(async () => {
    window.close();
    window.remove();
    await Promise.all([sshd.stop(), model.stop()]);
  });

  const timeline = async (hostId?: string) =>
    (await window.services.operations.timeline({ hostId, limit: 1_000 })).operations;
  const callsOf = async (): Promise<readonly CallOperation[]> =>
    (await timeline()).flatMap((one) => (one.k === 'call' ? [one] : [])).reverse();
  const actsOf = async (): Promise<readonly unknown[]> =>
    (await timeline())
      .flatMap((one) => (one.k === 'act' ? [[one.entry.what, one.entry.actor]] : []))
      .reverse();

  /** A proven command, one that a person allows and one that a person denies. */
  async function threeCalls(): Promise<string> {
    const lab = await window.hostId('lab');
    model.enqueue(
      calls(command('look', lab, 'uname -s')),
      calls(command('touch', lab, 'exit 3')),
      calls(command('drop', lab, 'rm -rf /tmp/nothing-here')),
      says('Done.'),
    );
    const session = await window.services.assistant.create();
    await session.send('Do it');
    await window.decide('approve');
    await window.decide('deny', 'not today');
    await window.settled(session);
    return lab;
  }

  it('says of each call on what ground it ran, where, what it was and how it ended', async () => {
    const lab = await threeCalls();
    const [look, touch, drop, ...more] = await callsOf();
    assert.deepEqual(more, []);
    assert.ok(look?.started && touch?.started && drop?.refused);
    const [{ host }, listing] = [look.call, await window.services.hosts.list()];
    const shown = listing.find(({ id }) => id === lab);
    assert.deepEqual(
      [host?.id, host?.label, host?.user, host?.address],
      [lab, 'lab', shown?.user, `127.0.0.1:${String(sshd.port)}`],
    );
    assert.equal(look.started.action?.text, 'uname -s');
    assert.equal(look.started.ground.kind, 'proof');
    assert.deepEqual([look.ended?.outcome, look.ended?.exitCode], ['succeeded', 0]);
    assert.ok((look.ended?.outputBytes ?? 0) > 0);
    assert.equal(touch.started.ground.kind, 'user');
    assert.equal(touch.ended?.exitCode, 3);
    const [allowed] = touch.decisions;
    assert.deepEqual([allowed?.allowed, allowed?.by, allowed?.id], [true, 'user', touch.started.ground.id]);
    assert.match(touch.started.ground.asked ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual([drop.started, drop.refused.outcome], [undefined, 'denied']);
    assert.match(drop.refused.reason, /not today/);
    const [denied] = drop.decisions;
    assert.deepEqual([denied?.allowed, denied?.by], [false, 'user']);
    assert.deepEqual(
      (await timeline(lab)).filter(({ k }) => k === 'call').length,
      3,
      'they are in the timeline of the host',
    );
    assert.deepEqual((await timeline('another')).length, 0);
    assert.ok(!JSON.stringify(await actsOf()).includes('commandEnded'), 'each ended within its call');
  });

  it('says what people did: hosts, tiers, keys and connects', async () => {
    const { hostStore, connections } = window.services;
    const id = newHostId();
    const record = {
      id,
      label: 'mine',
      addresses: ['127.0.0.1'],
      port: sshd.port,
      user: 'deploy',
      identity: { kind: 'default' },
      tier: undefined,
      group: undefined,
      tags: [],
      alias: undefined,
      revision: 0,
    } as const;
    const stored = await hostStore.put(record);
    await hostStore.put({ ...stored, tier: 'prod' });
    const lab = (await window.services.hosts.list()).find(({ label }) => label === 'lab');
    assert.ok(lab);
    const lease = await connections.acquire(lab.id, 'exec', never);
    lease.release();
    await hostStore.remove(id);
    // A connect is noted behind it, and nobody waits for that.
    for (const act of [
      ['hostAdded', 'person'],
      ['tierChanged', 'person'],
      ['connected', 'termind'],
      ['hostRemoved', 'person'],
    ])
      await until({
        what: `the act ${String(act[0])}`,
        probe: async () => (await actsOf()).some((one) => JSON.stringify(one) === JSON.stringify(act)),
      });
  });

  it('says how a command ended that went on behind its call', async () => {
    const lab = await window.hostId('lab');
    const shared = sharedFolder();
    try {
      const sign = join(shared.path, 'sign');
      const line = `while [ ! -e ${sign} ]; do sleep 0.1; done; exit 7`;
      model.enqueue(calls(command('slow', lab, { line, yield_ms: 250 })), says('It runs.'));
      const session = await window.services.assistant.create();
      await session.send('Wait for it');
      await window.decide('approve');
      await window.settled(session);
      const [slow] = await callsOf();
      assert.deepEqual(
        [slow?.ended?.outcome, slow?.ended?.status, slow?.ended?.exitCode],
        ['succeeded', 'running', undefined],
      );
      writeFileSync(sign, '');
      const ends = async (): Promise<readonly ActEntry[]> =>
        (await timeline(lab)).flatMap((one) =>
          one.k === 'act' && one.entry.what === 'commandEnded' ? [one.entry] : [],
        );
      await until({ what: 'the end of the command', probe: async () => (await ends()).length > 0 });
      const [end, ...more] = await ends();
      const { status, exit, call } = end?.facts ?? {};
      assert.deepEqual([status, exit, call, more.length], ['exited', '7', 'slow', 0]);
    } finally {
      shared.remove();
    }
  });

  it('verifies, keeps its end outside of the database, and is found out when it is exchanged', async () => {
    await threeCalls();
    const first = await window.services.operations.verify(never);
    assert.deepEqual([first.fault, first.isOutsideUnreadable], [undefined, false]);
    const second = await window.services.operations.verify(never);
    assert.deepEqual([second.outside?.seq, second.outside?.hash], [first.head.seq, first.head.hash]);
    const kept = [...window.secrets].find(([key]) => key.startsWith('operations-head:'));
    assert.ok(kept);
    assert.ok(kept[1].includes(first.head.hash));
    assert.ok(!readFileSync(join(window.directory, 'storage', 'termind.db'), 'latin1').includes(kept[0]));
  });

  it('is exported as JSON that the documented recipe verifies without Termind', async () => {
    await threeCalls();
    const text = await window.services.operations.export(never);
    const folder = mkdtempSync(join(tmpdir(), 'termind-recipe-'));
    try {
      const script = /```js\n([\s\S]*?)```/.exec(recipe)?.[1] ?? '';
      writeFileSync(join(folder, 'verify.mjs'), script);
      const run = (content: string): string => {
        writeFileSync(join(folder, 'log.json'), content);
        return execFileSync(process.execPath, [join(folder, 'verify.mjs'), join(folder, 'log.json')], {
          encoding: 'utf8',
        });
      };
      const { rows } = exportShape.parse(JSON.parse(text));
      assert.ok(rows.length > 4);
      assert.equal(run(text), `whole: rows 1 to ${String(rows.length)}\n`);
      assert.equal(
        run(text.replace('rm -rf', 'rm -rv')),
        `broken at row ${String(rowWith(rows, 'rm -rf'))}\n`,
      );
      for (const { hash, text: row } of rows)
        assert.equal(
          createHash('sha256')
            .update(row ?? '', 'utf8')
            .digest('hex'),
          hash,
        );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('holds no secret that the window knows, in its rows or in its export, in any form', async () => {
    const canary = 'kanarienvogel-7391';
    await window.services.credentials.set('credential:x', canary);
    const lab = await window.hostId('lab');
    model.enqueue(
      calls(
        command('plain', lab, `echo ${canary}`),
        command('base64', lab, `echo ${Buffer.from(canary).toString('base64')}`),
      ),
      says('Done.'),
    );
    const session = await window.services.assistant.create();
    await session.send('Say it');
    await window.settled(session);
    const rows = JSON.stringify(await timeline()) + (await window.services.operations.export(never));
    assert.ok(rows.includes('[redacted]'), 'the calls are there');
    for (const form of [canary, Buffer.from(canary).toString('base64'), encodeURIComponent(canary)])
      assert.ok(!rows.includes(form), form);
  });

  it('gives a row whose text turns out to hold a secret with that redacted, and the chain goes on behind it', async () => {
    const later = 'wird-erst-spaeter-bekannt';
    const lab = await window.hostId('lab');
    model.enqueue(calls(command('say', lab, `echo ${later}`)), says('Done.'));
    const session = await window.services.assistant.create();
    await session.send('Say it');
    await window.settled(session);
    await window.services.credentials.set('credential:x', later);
    const text = await window.services.operations.export(never);
    assert.ok(!text.includes(later));
    assert.match(text, /"withheld":".*\[redacted\]/);
  });
});

function rowWith(rows: z.output<typeof exportShape>['rows'], words: string): number {
  return rows.find(({ text }) => text?.includes(words))?.seq ?? 0;
}
