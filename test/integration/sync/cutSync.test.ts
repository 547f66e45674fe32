import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Comparison } from '../../../src/application/sync/folderSync.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import type { SyncDirection } from '../../../src/domain/sync/syncPlan.ts';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { startServer } from '../ssh/sshBench.ts';
import { treeOf } from '../transfer/transferBench.ts';
import { planText, SyncBench } from './syncBench.ts';

/** More than one connection carries before it is cut: files in many folders, and one that is resumed. */
const files = 60;
const largeBytes = 12 * 2 ** 20;
const cutAfterBytes = 5 * 2 ** 20;
const cuts = 2;
const mostTries = 10;

describe('folders over a line that is cut', function () {
  this.timeout(300_000);
  let server: Sshd;
  let proxy: FaultProxy;
  let bench: SyncBench;

  before(async () => {
    server = await startServer({});
    proxy = await startFaultProxy({ port: server.port });
  });
  after(async () => {
    await proxy.stop();
    await server.stop();
  });
  beforeEach(async () => {
    proxy.set({});
    bench = await SyncBench.make(server, proxy.port);
  });
  afterEach(() => bench.dispose());

  async function fill(folder: string): Promise<void> {
    for (let n = 0; n < files; n++) {
      const within = path.join(folder, `d${String(n % 7)}`);
      await fs.mkdir(within, { recursive: true });
      await fs.writeFile(path.join(within, String(n)), patterned(40_000 + n));
    }
    await fs.writeFile(path.join(folder, 'large'), patterned(largeBytes));
  }

  /** A connection that is just ending may still be handed out. */
  async function compareAgain(direction: SyncDirection): Promise<Comparison> {
    for (let tries = 1; ; tries++)
      try {
        return await bench.compare({ direction });
      } catch (error) {
        if (!isTermindError(error) || tries >= mostTries) throw error;
      }
  }

  for (const direction of ['toRight', 'toLeft'] as const)
    it(`${direction}: what was done is told, and comparing and running again completes it`, async () => {
      const [from, to] = direction === 'toRight' ? [bench.left, bench.right] : [bench.right, bench.left];
      await fill(from);
      await bench.own();
      const whole = treeOf(from);
      proxy.set({
        cut: {
          direction: direction === 'toRight' ? 'toTarget' : 'toClient',
          afterBytes: cutAfterBytes,
          by: 'reset',
          connections: cuts,
        },
      });
      let lost = 0;
      for (;;) {
        const result = await bench.run(await compareAgain(direction));
        const done = result.steps.filter(({ outcome }) => outcome.k === 'done');
        for (const { step } of done) await fs.lstat(path.join(to, ...step.path)); // what is told as done is there
        if (result.stoppedBy === undefined) {
          assert.equal(done.length, result.steps.length);
          break;
        }
        assert.ok(done.length < result.steps.length);
        lost += 1;
        assert.ok(lost <= mostTries);
      }
      assert.ok(lost > 0, 'the line was cut');
      assert.deepEqual(treeOf(to), whole);
      assert.deepEqual(planText(await bench.compare({ direction, deletes: true })), []);
    });
});
