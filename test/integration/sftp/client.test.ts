import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { after, before, describe, it } from 'mocha';
import type { RemoteFiles } from '../../../src/application/ports/remoteFiles.ts';
import type { FaultCode } from '../../../src/domain/fault.ts';
import {
  remoteName,
  joinPath,
  pathOfText,
  textOfPath,
  type RemotePath,
} from '../../../src/domain/files/remotePath.ts';
import { wire } from '../../lab/scriptedSftp.ts';
import { faultOf, never } from '../ssh/sshBench.ts';
import { listAll, patterned, readAll, SftpFolder, writeAll } from './sftpBench.ts';

describe('the SFTP client with the server of OpenSSH', () => {
  const folder = new SftpFolder();
  let files: RemoteFiles;
  before(async () => {
    ({ files } = await folder.client());
  });
  after(() => folder.dispose());

  it('knows what the server offers and how much it takes', () => {
    const { operations, ...rest } = files.capabilities;
    assert.deepEqual(rest, {
      way: 'subsystem',
      maxRead: 261_120,
      maxWrite: 261_120,
      maxOpen: rest.maxOpen,
      isReadOnly: false,
    });
    for (const operation of [
      'posixRename',
      'statvfs',
      'hardlink',
      'fsync',
      'lsetstat',
      'limits',
      'expandPath',
      'copyData',
    ] as const)
      assert.ok(operations.has(operation), operation);
    assert.ok((rest.maxOpen ?? 0) > 0);
  });

  for (const length of [0, 1, 261_120, 261_121, 3_000_017])
    it(`writes and reads ${length.toString()} bytes alike`, async () => {
      const at = folder.at(`of-${length.toString()}`);
      const bytes = patterned(length);
      await writeAll(files, at.remote, bytes);
      assert.ok(fs.readFileSync(at.local).equals(bytes));
      assert.ok((await readAll(files, at.remote)).equals(bytes));
      assert.ok((await readAll(files, at.remote, length)).equals(bytes));
    });

  it('SFTP-4: a file of size 0 that has content is read to its end', async () => {
    const at = pathOfText('/proc/version');
    assert.equal((await files.stat(at, never)).size, 0);
    assert.equal((await readAll(files, at, 0)).toString(), fs.readFileSync('/proc/version', 'utf8'));
  });

  for (const [what, now, expected] of [
    ['grew', 700_001, 300_000],
    ['shrank', 300_000, 700_001],
  ] as const)
    it(`SFTP-5: a file that ${what} since it was listed ends at its end`, async () => {
      const at = folder.at(`that-${what}`);
      fs.writeFileSync(at.local, patterned(now));
      assert.ok((await readAll(files, at.remote, expected)).equals(patterned(now)));
    });

  it('SFTP-5: a file that shrinks while it is read ends earlier', async () => {
    const at = folder.at('shrinking');
    fs.writeFileSync(at.local, patterned(1_000_000));
    const file = await files.open(at.remote, { access: 'read' }, never);
    assert.equal((await file.read(0, 100_000, never)).length, 100_000);
    fs.truncateSync(at.local, 150_000);
    assert.equal((await file.read(100_000, 100_000, never)).length, 50_000);
    assert.equal((await file.read(150_000, 100_000, never)).length, 0);
    await file.close(never);
  });

  it('tells of a file what the disk knows, and changes it', async () => {
    const at = folder.at('attributes');
    fs.writeFileSync(at.local, 'content', { mode: 0o640 });
    await files.setstat(
      at.remote,
      { mode: 0o100751, times: { accessed: 1_000_000, modified: 2_000_000 } },
      never,
    );
    const { uid, gid, mode } = fs.statSync(at.local);
    assert.equal(mode & 0o7777, 0o751);
    assert.deepEqual(await files.stat(at.remote, never), {
      size: 7,
      owner: { uid, gid },
      mode: 0o100751,
      times: { accessed: 1_000_000, modified: 2_000_000 },
    });
    const file = await files.open(at.remote, { access: 'readWrite' }, never);
    await file.setstat({ size: 3 }, never);
    assert.equal((await file.stat(never)).size, 3);
    await file.fsync(never);
    await file.close(never);
    assert.equal(fs.readFileSync(at.local, 'utf8'), 'con');
  });

  it('lists a large directory whole and once, without . and ..', async () => {
    const at = folder.at('large');
    fs.mkdirSync(at.local);
    const wanted = Array.from({ length: 1_093 }, (_, n) => `entry-${n.toString()}`);
    for (const name of wanted) fs.writeFileSync(`${at.local}/${name}`, '');
    const entries = await listAll(files, at.remote);
    assert.deepEqual(entries.map(({ name }) => Buffer.from(name).toString()).sort(), wanted.sort());
    assert.deepEqual(
      [...new Set(entries.map(({ kind, links }) => `${String(kind)} ${String(links)}`))],
      ['file 1'],
    );
  });

  it('any name that the disk can hold is listed, opened, renamed and removed', async () => {
    const names = [
      Buffer.from([0xe9]),
      Buffer.from('a\nb'),
      Buffer.from('\x1b[31mred'),
      Buffer.from('-rf'),
      Buffer.from(' ~$(id)`"\'\\'),
      Buffer.from('\u{10fee9}'),
      Buffer.from('x'.repeat(255)),
      Buffer.from([0xff, 0xfe, 0x01]),
    ];
    const at = folder.at('hostile');
    fs.mkdirSync(at.local);
    for (const name of names) await writeAll(files, joinPath(at.remote, remoteName(name)), name);
    const entries = await listAll(files, at.remote);
    assert.deepEqual(
      entries.map(({ name }) => Buffer.from(name).toString('hex')).sort(),
      names.map((name) => name.toString('hex')).sort(),
    );
    for (const { name } of entries) {
      const path = joinPath(at.remote, name);
      assert.ok((await readAll(files, path)).equals(name));
      const renamed = joinPath(at.remote, remoteName(Buffer.from([0x66, 0xfc])));
      await files.rename({ from: path, to: renamed, replace: false }, never);
      await files.remove(renamed, never);
    }
    await files.rmdir(at.remote, never);
    assert.equal(fs.existsSync(at.local), false);
  });

  it('SFTP-9: a link to a directory opens, a broken one is listed, a loop is bounded', async () => {
    const at = folder.at('links');
    fs.mkdirSync(`${at.local}/real`, { recursive: true });
    fs.writeFileSync(`${at.local}/real/inside`, 'x');
    const link = (name: string, to: string) =>
      files.symlink({ at: folder.at('links', name).remote, to: pathOfText(to) }, never);
    await link('toReal', 'real');
    await link('broken', 'nowhere');
    await link('loop', 'loop');
    const kinds = new Map(
      (await listAll(files, at.remote)).map(({ name, kind }) => [Buffer.from(name).toString(), kind]),
    );
    assert.deepEqual(Object.fromEntries(kinds), {
      real: 'directory',
      toReal: 'symlink',
      broken: 'symlink',
      loop: 'symlink',
    });
    const inside = await listAll(files, folder.at('links', 'toReal').remote);
    assert.deepEqual(
      inside.map(({ name }) => Buffer.from(name).toString()),
      ['inside'],
    );
    assert.equal(textOfPath(await files.readlink(folder.at('links', 'broken').remote, never)), 'nowhere');
    for (const name of ['broken', 'loop'])
      assert.equal((await faultOf(files.stat(folder.at('links', name).remote, never))).code, 'not-found');
    assert.equal((await files.lstat(folder.at('links', 'loop').remote, never)).mode, 0o120777);
  });

  it('a rename replaces only where it may, and says how', async () => {
    const [from, to] = [folder.at('from'), folder.at('to')];
    fs.writeFileSync(from.local, 'new');
    fs.writeFileSync(to.local, 'old');
    const move = { from: from.remote, to: to.remote };
    assert.equal((await faultOf(files.rename({ ...move, replace: false }, never))).code, 'exists');
    assert.equal(fs.readFileSync(to.local, 'utf8'), 'old');
    assert.equal(await files.rename({ ...move, replace: true }, never), 'posixRename');
    assert.equal(fs.readFileSync(to.local, 'utf8'), 'new');
  });

  it('links, copies, expands and names through the extensions', async () => {
    const at = folder.at('one');
    fs.writeFileSync(at.local, patterned(300_000));
    await files.hardlink({ at: folder.at('other').remote, to: at.remote }, never);
    assert.equal(fs.statSync(at.local).nlink, 2);
    const copy = folder.at('copy');
    const from = await files.open(at.remote, { access: 'read' }, never);
    const to = await files.open(copy.remote, { access: 'write', create: 'new', mode: 0o600 }, never);
    await files.copyData({ from, fromOffset: 0, length: 300_000, to, toOffset: 0 }, never);
    await Promise.all([from.close(never), to.close(never)]);
    assert.ok(fs.readFileSync(copy.local).equals(patterned(300_000)));
    const rest = await files.open(at.remote, { access: 'read' }, never);
    const tail = await files.open(folder.at('tail').remote, { access: 'write', create: 'new' }, never);
    await files.copyData({ from: rest, fromOffset: 299_990, length: 0, to: tail, toOffset: 0 }, never);
    await Promise.all([rest.close(never), tail.close(never)]);
    assert.ok(fs.readFileSync(folder.at('tail').local).equals(patterned(300_000).subarray(299_990)));
    const space = await files.statvfs(at.remote, never);
    assert.ok(space.total > 0 && space.available <= space.free && !space.isReadOnly);
    assert.equal(
      textOfPath(await files.realpath(folder.at('a', '..', 'one').remote, never)),
      fs.realpathSync(at.local),
    );
    assert.match(textOfPath(await files.expandPath(pathOfText('~/x'), never)), /^\/.*\/x$/);
    if (!files.capabilities.operations.has('namesById')) return;
    const named = await files.namesById({ uids: [0, 4_000_000_000], gids: [0] }, never);
    assert.deepEqual(named, { users: ['root', undefined], groups: ['root'] });
  });

  describe('SFTP-7: says why the server refused', () => {
    const path = (name: string): RemotePath => folder.at(name).remote;
    const isOneDisk = fs.statSync('/dev/shm').dev === fs.statSync(folder.folder).dev;
    const elsewhere = pathOfText('/dev/shm/termind-sftp-test');
    let program: ChildProcess;
    before(async () => {
      fs.writeFileSync(folder.at('there').local, 'x');
      fs.symlinkSync('there', folder.at('toThere').local);
      fs.symlinkSync('nothing', folder.at('toNothing').local);
      fs.mkdirSync(folder.at('full').local);
      fs.mkdirSync(folder.at('empty').local);
      fs.writeFileSync(folder.at('full', 'file').local, 'x');
      fs.copyFileSync('/bin/sleep', folder.at('program').local);
      program = spawn(folder.at('program').local, ['1000'], { stdio: 'ignore' });
      await once(program, 'spawn');
    });
    after(() => program.kill('SIGKILL'));

    const rows: readonly (readonly [string, FaultCode, () => Promise<unknown>])[] = [
      ['a file that is not there', 'not-found', () => files.stat(path('nothing'), never)],
      [
        'a new file in the way',
        'exists',
        () => files.open(path('there'), { access: 'write', create: 'new' }, never),
      ],
      ['a directory in the way', 'exists', () => files.mkdir(path('there'), undefined, never)],
      ['a link in the way', 'exists', () => files.symlink({ at: path('there'), to: pathOfText('x') }, never)],
      [
        'a second name in the way',
        'exists',
        () => files.hardlink({ at: path('there'), to: path('program') }, never),
      ],
      ['writing to a directory', 'is-directory', () => files.open(path('full'), { access: 'write' }, never)],
      ['reading a directory', 'is-directory', () => readAll(files, path('full'))],
      ['removing a directory as a file', 'is-directory', () => files.remove(path('full'), never)],
      ['removing a file as a directory', 'not-directory', () => files.rmdir(path('there'), never)],
      ['removing a directory that is not there', 'not-found', () => files.rmdir(path('nothing'), never)],
      ['listing a file', 'not-directory', () => listAll(files, path('there'))],
      ['listing a link to a file', 'not-directory', () => listAll(files, path('toThere'))],
      ['listing what is not there', 'not-found', () => listAll(files, path('nothing'))],
      ['listing a link to nothing', 'not-found', () => listAll(files, path('toNothing'))],
      ['removing a directory with files', 'not-empty', () => files.rmdir(path('full'), never)],
      [
        'replacing a directory with files',
        'not-empty',
        () => files.rename({ from: path('empty'), to: path('full'), replace: true }, never),
      ],
      ['a name of 256 bytes', 'bad-name', () => files.mkdir(path('y'.repeat(256)), undefined, never)],
      [
        'writing to a program that runs',
        'busy',
        () => files.open(path('program'), { access: 'write' }, never),
      ],
      ...(isOneDisk
        ? []
        : [
            [
              'moving to another file system',
              'other-filesystem',
              () => files.rename({ from: path('there'), to: elsewhere, replace: true }, never),
            ] as const,
          ]),
    ];
    for (const [what, code, work] of rows)
      it(`${what} is ${code}`, async () => {
        const fault = await faultOf(work());
        assert.deepEqual([fault.code, fault.stage, fault.outcome], [code, 'sftp', 'failed']);
      });
  });

  it('an abort is told at once, and what was opened meanwhile is closed', async () => {
    const held: (() => void)[] = [];
    const { files: slow, server } = await folder.client({
      onReply: (reply, request, send) => {
        if (request.type !== 3) return [reply];
        held.push(() => send(wire(reply)));
        return [];
      },
    });
    fs.writeFileSync(folder.at('slow').local, 'x');
    const abort = new AbortController();
    const opening = slow.open(folder.at('slow').remote, { access: 'read' }, abort.signal);
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    const fault = await faultOf(opening);
    assert.deepEqual([fault.code, fault.outcome], ['cancelled', 'failed']);
    held[0]?.();
    while (!server.requests.some(({ type }) => type === 4))
      await new Promise((resolve) => setImmediate(resolve));
    assert.equal(slow.isEnded, false);
  });

  it('closing ends what is pending, and nothing is sent any more', async () => {
    const { files: closing } = await folder.client({
      onRequest: (request) => (request.type === 17 ? undefined : request),
    });
    const pending = faultOf(closing.stat(folder.at('x').remote, never));
    closing.close();
    assert.equal((await pending).code, 'cancelled');
    assert.deepEqual([(await closing.ended).code, closing.isEnded], ['cancelled', true]);
    const later = await faultOf(closing.remove(folder.at('x').remote, never));
    assert.deepEqual([later.code, later.outcome], ['cancelled', 'not-sent']);
  });
});
