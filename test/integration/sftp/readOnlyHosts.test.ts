import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { RemoteFiles } from '../../../src/application/ports/remoteFiles.ts';
import { pathOfText, type RemotePath } from '../../../src/domain/files/remotePath.ts';
import type { LabServer } from '../../lab/labServer.ts';
import { faultOf, never, startServer, targetOf } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';

const once = { isRepeatable: false };

describe('files of a host that is marked read-only', () => {
  let server: LabServer;
  let bench: FilesBench;
  let folder: string;

  before(async () => {
    server = await startServer({});
  });
  beforeEach(async () => {
    bench = await FilesBench.open(targetOf(server));
    folder = path.join(server.account.home, randomUUID());
    await bench.service.browse(bench.host).use((files) => files.mkdir(at(), undefined, never), once, never);
    fs.writeFileSync(path.join(folder, 'a'), 'old');
  });
  afterEach(async () => {
    await bench.dispose();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  after(() => server.stop());

  const at = (name = ''): RemotePath => pathOfText(name === '' ? folder : `${folder}/${name}`);
  /** The mark is another from now on. */
  const mark = (isMarked: boolean): void => {
    bench.readMark = async () => isMarked;
    bench.tellOfHosts();
  };
  const browse = <T>(work: (files: RemoteFiles) => Promise<T>): Promise<T> =>
    bench.service.browse(bench.host).use(work, once, never);

  const changes: readonly (readonly [name: string, work: (files: RemoteFiles) => Promise<unknown>])[] = [
    ['writing a file', (files) => files.open(at('a'), { access: 'write' }, never)],
    ['emptying a file', (files) => files.open(at('a'), { access: 'read', truncate: true }, never)],
    ['making a file', (files) => files.open(at('b'), { access: 'readWrite', create: 'new' }, never)],
    ['setting a mode', (files) => files.setstat(at('a'), { mode: 0o600 }, never)],
    ['setting times of a link', (files) => files.lsetstat(at('a'), { mode: 0o600 }, never)],
    ['linking', (files) => files.symlink({ at: at('b'), to: at('a') }, never)],
    ['linking hard', (files) => files.hardlink({ at: at('b'), to: at('a') }, never)],
    ['renaming', (files) => files.rename({ from: at('a'), to: at('b'), replace: true }, never)],
    ['making a folder', (files) => files.mkdir(at('b'), undefined, never)],
    ['removing a folder', (files) => files.rmdir(at(), never)],
    ['removing a file', (files) => files.remove(at('a'), never)],
  ];
  for (const [name, work] of changes)
    it(`refuse ${name}, with the reason`, async () => {
      mark(true);
      const fault = await faultOf(browse(work));
      assert.deepEqual([fault.code, fault.facts['mark'], fault.outcome], ['read-only', 'host', 'not-sent']);
      assert.deepEqual(fs.readdirSync(folder), ['a']);
      assert.equal(fs.readFileSync(path.join(folder, 'a'), 'utf8'), 'old');
    });

  it('are listed and read as before, and say that they are only read', async () => {
    mark(true);
    const seen = await browse(async (files) => {
      const names: string[] = [];
      for await (const { entries } of files.list(at(), never))
        names.push(...entries.map(({ name }) => Buffer.from(name).toString()));
      const file = await files.open(at('a'), { access: 'read' }, never);
      const content = Buffer.from(await file.read(0, 100, never)).toString();
      await file.close(never);
      return { names, content, isReadOnly: files.capabilities.isReadOnly };
    });
    assert.deepEqual(seen, { names: ['a'], content: 'old', isReadOnly: true });
  });

  it('are changed again once the mark is taken back, over the same channel', async () => {
    mark(true);
    const marked = await browse(async (files) => files);
    mark(false);
    await browse(async (files) => {
      assert.equal(files, marked);
      await files.remove(at('a'), never);
      assert.equal(files.capabilities.isReadOnly, false);
    });
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  it('are refused to transfers as well', async () => {
    mark(true);
    const held = await bench.service.openTransfer(bench.host, never);
    assert.equal((await faultOf(held.files.mkdir(at('b'), undefined, never))).code, 'read-only');
    held.release();
  });

  it('are refused to runs of the assistant as well', async () => {
    mark(true);
    const held = await bench.service.openOver(bench.host, bench.lease('agent-sftp'), never);
    assert.equal((await faultOf(held.files.mkdir(at('b'), undefined, never))).code, 'read-only');
    held.release();
  });

  it('are not changed while nobody can tell whether they are marked', async () => {
    bench.readMark = async () => {
      throw new Error('the vault is busy');
    };
    bench.tellOfHosts();
    const make = (): Promise<void> => browse((files) => files.mkdir(at('b'), undefined, never));
    assert.equal((await faultOf(make())).code, 'read-only');
    bench.readMark = async () => false;
    await make();
    assert.deepEqual(fs.readdirSync(folder).sort(), ['a', 'b']);
  });

  it('are not changed by commands beside them, which go on to read', async () => {
    const run: string[] = [];
    const commands = bench.readOnlyHosts.guardCommands(bench.host, {
      run: async ({ script }) => {
        run.push(script);
        return { stdout: Buffer.from(''), code: 0 };
      },
    });
    const order = { arguments: ['/etc/a'], isChange: true };
    await commands.run({ script: 'cp', ...order }, never);
    mark(true);
    const fault = await faultOf(commands.run({ script: 'rm', ...order }, never));
    await commands.run({ script: 'sha256sum', arguments: ['/etc/a'], isChange: false }, never);
    assert.deepEqual([fault.code, fault.facts['path'], run], ['read-only', '/etc/a', ['cp', 'sha256sum']]);
  });
});
