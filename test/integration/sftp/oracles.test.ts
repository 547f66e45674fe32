import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import SftpOracle from 'ssh2-sftp-client';
import type { HeldFiles } from '../../../src/application/files/heldFiles.ts';
import { joinPath, pathOfText, remoteName, type RemotePath } from '../../../src/domain/files/remotePath.ts';
import { mustRun, run } from '../../lab/run.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { skipBecause } from '../../skip.ts';
import { never, startServer, targetOf } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';
import { localPlace, newEngine } from '../transfer/engine.ts';
import { listAll, patterned, readAll } from './sftpBench.ts';

/** What is in a tree: digests by relative path; directories have none, links what they hold. */
type Tree = Readonly<Record<string, string>>;

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const modified = 1_700_000_000;

const contents: Readonly<Record<string, Buffer>> = {
  empty: Buffer.alloc(0),
  'one byte': Buffer.from('x'),
  'häuser und 数据': patterned(65_537),
  '-rf': Buffer.from('a name that looks like an option'),
  'quotes \'" $(id) `id`': patterned(300),
  'deep/deeper/deepest/large': patterned(2_100_003),
  'deep/two names.tar.gz': patterned(261_120),
};
const folders = ['deep', 'deep/deeper', 'deep/deeper/deepest', 'nothing here'];

/** A tree that the engine of transfers has written, read back by clients that know nothing of it. */
describe('a tree that we have written', () => {
  let server: Sshd;
  let bench: FilesBench;
  let held: HeldFiles;
  let root: string;
  let wanted: Tree;

  before(async () => {
    server = await startServer({});
    bench = await FilesBench.open(targetOf(server));
    held = await bench.service.openTransfer(bench.host, never);
    root = path.join(server.account.home, `termind-tree-${randomUUID()}`);
    await writeTree();
    wanted = Object.fromEntries([
      ...folders.map((folder) => [`${folder}/`, '']),
      ...Object.entries(contents).map(([name, bytes]) => [name, digest(bytes)]),
    ]) as Tree;
  });
  after(async () => {
    await fs.rm(root, { recursive: true, force: true });
    held.release();
    await bench.dispose();
    await server.stop();
  });

  const at = (relative: string): RemotePath => pathOfText(relative === '' ? root : `${root}/${relative}`);

  /** By the engine of transfers, from a tree of this machine. */
  async function writeTree(): Promise<void> {
    const folder = path.join(server.folder, 'tree');
    await fs.mkdir(folder);
    for (const name of folders) await fs.mkdir(path.join(folder, name), { recursive: true });
    for (const [name, bytes] of Object.entries(contents)) {
      await fs.writeFile(path.join(folder, name), bytes);
      await fs.chmod(path.join(folder, name), 0o640);
      await fs.utimes(path.join(folder, name), modified, modified);
    }
    const open = (signal: AbortSignal): Promise<HeldFiles> => bench.service.openTransfer(bench.host, signal);
    const outcome = await newEngine(server.folder).folder(
      {
        from: localPlace(folder),
        to: { k: 'remote', host: bench.host, open, path: at('') },
        existing: 'skip',
      },
      never,
    );
    assert.deepEqual([outcome.failed, outcome.warnings], [0, []]);
  }

  it('is the same to us', async () => {
    const tree: Record<string, string> = {};
    const walk = async (folder: RemotePath, prefix: string): Promise<void> => {
      for (const { name, kind } of await listAll(held.files, folder)) {
        const relative = `${prefix}${Buffer.from(name).toString()}`;
        tree[kind === 'directory' ? `${relative}/` : relative] =
          kind === 'directory' ? '' : digest(await readAll(held.files, joinPath(folder, remoteName(name))));
        if (kind === 'directory') await walk(joinPath(folder, name), `${relative}/`);
      }
    };
    await walk(at(''), '');
    assert.deepEqual(tree, wanted);
  });

  it('is the same to ssh2-sftp-client', async () => {
    const oracle = new SftpOracle();
    await oracle.connect({
      host: server.host,
      port: server.port,
      username: server.account.name,
      privateKey: await fs.readFile(server.key.privateFile),
    });
    const tree: Record<string, string> = {};
    const walk = async (prefix: string): Promise<void> => {
      for (const { name, type } of await oracle.list(`${root}/${prefix}`)) {
        tree[`${prefix}${name}${type === 'd' ? '/' : ''}`] =
          type === 'd' ? '' : digest(Buffer.from(await oracle.get(`${root}/${prefix}${name}`)));
        if (type === 'd') await walk(`${prefix}${name}/`);
      }
    };
    try {
      await walk('');
    } finally {
      await oracle.end();
    }
    assert.deepEqual(tree, wanted);
  });

  it('is the same to sftp, times and modes included', async () => {
    const local = await fs.mkdtemp(path.join(server.folder, 'read-back-'));
    const batch = path.join(server.folder, 'batch');
    await fs.writeFile(batch, `get -rp ${root} ${local}\n`);
    const options = server.sshArguments().slice(0, -3);
    const { name } = server.account;
    await mustRun('sftp', [...options, '-b', batch, '-P', String(server.port), `${name}@${server.host}`]);
    const readBack = path.join(local, path.basename(root));
    const tree: Record<string, string> = {};
    const entries = await fs.readdir(readBack, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const file = path.join(entry.parentPath, entry.name);
      const relative = path.relative(readBack, file);
      tree[entry.isDirectory() ? `${relative}/` : relative] = entry.isDirectory()
        ? ''
        : digest(await fs.readFile(file));
      if (entry.isDirectory()) continue;
      const { mode, mtimeMs } = await fs.stat(file);
      assert.deepEqual([relative, mode & 0o777, mtimeMs], [relative, 0o640, modified * 1_000]);
    }
    assert.deepEqual(tree, wanted);
  });

  it('is the same to rsync, by its checksums', async function () {
    if (!existsSync('/usr/bin/rsync')) return skipBecause(this, 'rsync is not installed');
    const local = await fs.mkdtemp(path.join(server.folder, 'expected-'));
    for (const folder of folders) await fs.mkdir(path.join(local, folder), { recursive: true });
    for (const [name, bytes] of Object.entries(contents)) await fs.writeFile(path.join(local, name), bytes);
    const shell = ['ssh', ...server.sshArguments().slice(0, -1)].map((word) => `'${word}'`).join(' ');
    const remote = `${server.account.name}@${server.host}:${root}/`;
    const flags = ['-n', '-r', '--checksum', '--delete', '--out-format=%o %n', '-e', shell];
    const { status, stdout, stderr } = await run('/usr/bin/rsync', [...flags, remote, `${local}/`]);
    assert.deepEqual([status, stdout, stderr], [0, '', '']);
  });
});
