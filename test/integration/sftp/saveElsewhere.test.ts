import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, before, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import type { SaveFiles } from '../../../src/application/files/save/fileSaving.ts';
import { currentAccount } from '../../lab/account.ts';
import { createSudoer, sudoObstacle } from '../../lab/sudoer.ts';
import { skipBecause } from '../../skip.ts';
import { ShellFiles } from '../../../src/infrastructure/sftp/shell/shellFiles.ts';
import { startServer, never, targetOf } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';
import { SaveBench, savingWindow } from './saveBench.ts';

describe('saving', function () {
  this.timeout(60_000);
  const cleaning: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });

  describe('by plain commands of the shell', () => {
    async function start(): Promise<{ readonly bench: SaveBench; readonly files: SaveFiles }> {
      const server = await startServer({ account: currentAccount() });
      cleaning.push(() => server.stop());
      const connection = await FilesBench.open(targetOf(server));
      cleaning.push(() => connection.dispose());
      const bench = SaveBench.over(connection.transport);
      cleaning.push(() => bench.dispose());
      const shell = new ShellFiles({
        channels: connection.transport.as('exec'),
        lost: connection.transport.lost,
        clock: systemClock,
        mayWrite: true,
      });
      return { bench, files: { use: (work) => work(shell) } };
    }

    it('replaces a file where the number of its names is told, and says that it was not flushed', async () => {
      const { bench, files } = await start();
      fs.writeFileSync(bench.at('file'), 'old content');
      fs.chmodSync(bench.at('file'), 0o640);
      const told = bench.window({
        run: async () => ({ stdout: Buffer.from('-rw-r----- 1 op staff 11 Dec  1 02:00 file\n'), code: 0 }),
      });
      const saved = await told.save(bench.request('file', 'new', { files }), never);
      assert.deepEqual(saved.k === 'saved' ? [saved.way, saved.warnings] : saved.k, [
        'replaced',
        ['notFlushed'],
      ]);
      assert.deepEqual([bench.read('file')?.toString(), bench.names()], ['new', ['file']]);
      assert.equal(fs.statSync(bench.at('file')).mode & 0o7777, 0o640);
    });

    for (const content of ['short', 'a content that is longer'])
      it(`writes in place where it is not told: ${content}`, async () => {
        const { bench, files } = await start();
        fs.writeFileSync(bench.at('file'), 'old content');
        const saved = await bench.window().save(bench.request('file', content, { files }), never);
        assert.deepEqual(saved.k === 'saved' ? [saved.way, saved.because] : saved, [
          'inPlace',
          'unknownLinks',
        ]);
        assert.deepEqual([bench.read('file')?.toString(), bench.names()], [content, ['file']]);
      });

    it('makes a file', async () => {
      const { bench, files } = await start();
      const saved = await bench.window().save(bench.request('file', 'new', { files, mode: 0o600 }), never);
      assert.deepEqual(saved.k === 'saved' ? saved.way : saved, 'created');
      assert.deepEqual([bench.read('file')?.toString(), bench.names()], ['new', ['file']]);
    });
  });

  describe('with the rights of root', () => {
    before(function () {
      const obstacle = sudoObstacle();
      if (obstacle !== undefined) skipBecause(this, obstacle);
    });

    it('replaces files of root and keeps those of others theirs, after one question', async () => {
      const account = await createSudoer();
      cleaning.push(() => account.dispose());
      const server = await startServer({ account });
      cleaning.push(() => server.stop());
      const connection = await FilesBench.open(targetOf(server));
      cleaning.push(() => connection.dispose());
      const bench = SaveBench.over(connection.transport);
      cleaning.push(() => bench.dispose());
      fs.chmodSync(bench.remote, 0o700);
      fs.writeFileSync(bench.at('root'), 'old', { mode: 0o600 });
      fs.writeFileSync(bench.at('theirs'), 'old', { mode: 0o600 });
      fs.chownSync(bench.at('theirs'), account.uid, account.gid);
      let asked = 0;
      const elevated = connection.service.elevated(connection.host, {
        ask: async () => {
          asked += 1;
          return { bytes: Buffer.from(account.password ?? ''), dispose: () => {} };
        },
      });
      cleaning.push(() => elevated.dispose());
      const saver = savingWindow(path.join(bench.folder, 'kept'));
      for (const [name, way] of [
        ['root', 'replaced'],
        ['theirs', 'inPlace'],
      ] as const) {
        const { target, ...request } = bench.request(name, 'new', { files: elevated });
        const saved = await saver.save({ ...request, target: { ...target, as: 'root' } }, never);
        assert.equal(saved.k === 'saved' ? saved.way : JSON.stringify(saved), way);
        const { uid, mode } = fs.statSync(bench.at(name));
        assert.deepEqual([uid, mode & 0o7777], [name === 'root' ? 0 : account.uid, 0o600]);
      }
      assert.deepEqual([bench.names(), asked], [['root', 'theirs'], 1]);
    });
  });
});
