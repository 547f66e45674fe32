import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, before, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import { listFolder } from '../../../src/application/files/documents/listFolder.ts';
import { readDocument } from '../../../src/application/files/documents/readDocument.ts';
import type { ElevatedFiles } from '../../../src/application/files/elevatedFiles.ts';
import { FilesMemory } from '../../../src/application/files/filesMemory.ts';
import { RemoteFilesService } from '../../../src/application/files/remoteFilesService.ts';
import type { SaveOutcome, SaveRequest } from '../../../src/application/files/save/fileSaving.ts';
import { stampOf } from '../../../src/domain/files/contentStamp.ts';
import { fileError } from '../../../src/domain/files/fileFault.ts';
import { remotePath, showPath, type RemotePath } from '../../../src/domain/files/remotePath.ts';
import { FilesOpener } from '../../../src/infrastructure/sftp/filesOpener.ts';
import { until } from '../../e2e/harness/until.ts';
import type { LabAccount } from '../../lab/account.ts';
import { startSshd, type SshdOptions } from '../../lab/sshd.ts';
import { createSudoer, sudoObstacle } from '../../lab/sudoer.ts';
import { withoutSftpServer } from '../../lab/withoutSftpServer.ts';
import { skipBecause } from '../../skip.ts';
import { silentLog } from '../../support/silentLog.ts';
import { FilesBench } from '../sftp/filesBench.ts';
import { savingWindow } from '../sftp/saveBench.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { faultOf, never, targetOf } from '../ssh/sshBench.ts';

/** The real sudo on a host on which nobody finds the program of the SFTP server. */
describe('elevated files of a host without a server program', function () {
  this.timeout(60_000);
  const cleaning: (() => unknown)[] = [];
  before(function () {
    const obstacle = sudoObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
  });
  afterEach(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });

  interface Machine {
    readonly account: LabAccount;
    readonly folder: string;
    readonly bench: FilesBench;
    readonly files: ElevatedFiles;
    readonly asked: () => number;
    readonly at: (name: string | Buffer) => RemotePath;
    readonly save: (path: RemotePath, content: Buffer, base: SaveRequest['base']) => Promise<SaveOutcome>;
    /** Everything that a save could leave behind for the one who is signed in. */
    readonly left: () => readonly string[];
  }

  async function start(options: Pick<SshdOptions, 'sftp'>, user?: string): Promise<Machine> {
    const account = await createSudoer();
    cleaning.push(() => account.dispose());
    const server = await startSshd({ ...options, account, forceCommand: withoutSftpServer });
    cleaning.push(() => server.stop());
    const bench = await FilesBench.open(targetOf(server), systemClock);
    cleaning.push(() => bench.dispose());
    const folder = path.join(account.home, 'etc');
    fs.mkdirSync(folder, { mode: 0o700 });
    let asked = 0;
    const files = bench.service.elevated(bench.host, {
      ...(user === undefined ? {} : { user }),
      ask: async () => {
        asked += 1;
        return { bytes: Buffer.from(account.password ?? ''), dispose: () => {} };
      },
    });
    cleaning.push(() => files.dispose());
    const saver = savingWindow(path.join(folder, 'kept'));
    cleaning.push(() => saver.dispose());
    return {
      ...{ account, folder, bench, files, asked: () => asked },
      at: (name) => remotePath(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)])),
      save: (target, content, base) =>
        saver.save(
          {
            ...{ target: { host: bench.host, path: target, as: 'root' }, content, base, files },
            ...{ writer: 'editor', keepBackup: false },
          },
          never,
        ),
      left: () => fs.readdirSync(account.home).filter((name) => name.startsWith('.termind')),
    };
  }

  const sizes = ['short', 'a content that is longer than before'] as const;
  for (const sftp of ['internal', 'none'] as const)
    describe(sftp === 'internal' ? 'whose own files come by SFTP' : 'without any SFTP', () => {
      it('are read and saved after one question, and keep their owner and mode', async () => {
        const machine = await start({ sftp });
        const { files, folder, asked, left } = machine;
        fs.writeFileSync(path.join(folder, 'shadow'), 'old content', { mode: 0o640 });
        fs.chownSync(path.join(folder, 'shadow'), 0, 4);
        const { content } = await files.use((open) => readDocument(open, machine.at('shadow'), never), never);
        assert.equal(Buffer.from(content).toString(), 'old content');
        let base = stampOf(content);
        for (const text of sizes) {
          const saved = await machine.save(machine.at('shadow'), Buffer.from(text), base);
          assert.ok(saved.k === 'saved', JSON.stringify(saved));
          base = saved.stamp;
          const { uid, gid, mode } = fs.statSync(path.join(folder, 'shadow'));
          const held = fs.readFileSync(path.join(folder, 'shadow'), 'utf8');
          assert.deepEqual([held, uid, gid, mode & 0o7777], [text, 0, 4, 0o640]);
        }
        assert.deepEqual([fs.readdirSync(folder).sort(), left(), asked()], [['kept', 'shadow'], [], 1]);
      });
    });

  it('are saved when they are large, to the last byte', async () => {
    const machine = await start({ sftp: 'internal' });
    const target = path.join(machine.folder, 'large');
    fs.writeFileSync(target, patterned(1_500_000));
    const old = await machine.files.use((open) => readDocument(open, machine.at('large'), never), never);
    assert.ok(Buffer.from(old.content).equals(patterned(1_500_000)));
    const content = Buffer.concat([Buffer.from('\0'), patterned(3_000_000)]);
    const saved = await machine.save(machine.at('large'), content, stampOf(old.content));
    assert.equal(saved.k, 'saved', JSON.stringify(saved));
    assert.ok(fs.readFileSync(target).equals(content));
  });

  for (const name of [
    ...["it's", '$(touch pwned)', '`id`', '-rf', ' * ', 'two\nlines', '"; rm -rf ~; "', '\\'],
    Buffer.from('caf\xe9', 'latin1'),
  ])
    it(`are listed, saved, made, renamed and removed under any name: ${showPath(Buffer.from(name))}`, async () => {
      const machine = await start({ sftp: 'internal' });
      const { files, folder, at } = machine;
      const saved = await machine.save(at(name), Buffer.from('made'), 'missing');
      assert.equal(saved.k === 'saved' ? saved.way : JSON.stringify(saved), 'created');
      await files.use(async (open) => {
        const { entries } = await listFolder(open, { path: at(''), maxEntries: 10 }, never);
        assert.ok(entries.some((entry) => Buffer.from(name).equals(entry.name)));
        assert.equal((await open.stat(at(name), never)).size, 4);
        await open.rename({ from: at(name), to: at('other'), replace: false }, never);
        await open.rename({ from: at('other'), to: at(name), replace: false }, never);
        await open.setstat(at(name), { mode: 0o600 }, never);
        await open.remove(at(name), never);
      }, never);
      assert.deepEqual(fs.readdirSync(folder), ['kept']);
    });

  it('hold what they held when somebody else has changed them meanwhile', async () => {
    const machine = await start({ sftp: 'internal' });
    fs.writeFileSync(path.join(machine.folder, 'conf'), 'theirs');
    const outcome = await machine.save(machine.at('conf'), Buffer.from('mine'), stampOf(Buffer.from('old')));
    assert.equal(outcome.k, 'conflict');
    assert.deepEqual(
      [fs.readFileSync(path.join(machine.folder, 'conf'), 'utf8'), machine.left()],
      ['theirs', []],
    );
  });

  it('are not written with the rights of anybody but root', async () => {
    const machine = await start({ sftp: 'internal' }, 'nobody');
    await machine.files.use(async (open) => {
      assert.equal(open.capabilities.isReadOnly, true);
      assert.equal((await faultOf(open.stat(machine.at(''), never))).code, 'denied');
      assert.equal((await faultOf(open.mkdir(machine.at('x'), undefined, never))).code, 'read-only');
    }, never);
  });

  it('leave no file behind for longer than the link is lost', async () => {
    const machine = await start({ sftp: 'internal' });
    const file = path.join(machine.account.home, '.termind-sudo-left.part');
    fs.writeFileSync(file, 'content');
    const { bench } = machine;
    const opener = new FilesOpener(systemClock);
    const noFacts = { facts: async () => ({}), learn: async () => {} };
    const service = new RemoteFilesService({
      connections: bench.connections,
      opener: {
        open: (request, signal) => opener.open(request, signal),
        openElevated: async ({ leftovers }) => {
          leftovers.add(file);
          throw fileError('sftp-ended', { reason: 'the link is lost' });
        },
      },
      memory: new FilesMemory({ facts: noFacts, clock: systemClock, log: silentLog }),
      ...{ clock: systemClock, log: silentLog, readOnlyHosts: bench.readOnlyHosts },
      hosts: { get: async () => undefined, onDidChange: () => ({ dispose() {} }) },
    });
    cleaning.push(() => service.dispose());
    const files = service.elevated(bench.host, {
      ask: async () => ({ bytes: Buffer.from(''), dispose: () => {} }),
    });
    cleaning.push(() => files.dispose());
    assert.equal((await faultOf(files.use(async () => {}, never))).code, 'sftp-ended');
    await service.browse(bench.host).use(async () => {}, { isRepeatable: true }, never);
    await until({ what: 'the removed file', probe: () => !fs.existsSync(file) });
  });

  it('ask again once their shell is gone', async () => {
    const machine = await start({ sftp: 'internal' });
    await machine.files.use((open) => open.stat(machine.at(''), never), never);
    machine.files.close();
    await machine.files.use((open) => open.stat(machine.at(''), never), never);
    assert.equal(machine.asked(), 2);
  });
});
