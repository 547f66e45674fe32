import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import {
  documentKey,
  type DocumentAt,
  type DocumentChange,
} from '../../../src/application/files/documents/documentFiles.ts';
import { ElevatedPlaces } from '../../../src/application/files/elevatedPlaces.ts';
import { RemoteDocuments } from '../../../src/application/files/documents/remoteDocuments.ts';
import type { ActNote } from '../../../src/application/operations/operationsLog.ts';
import type { SaveOutcome } from '../../../src/application/files/save/fileSaving.ts';
import { FileSaver } from '../../../src/application/files/save/fileSaver.ts';
import { stampOf, type ContentStamp } from '../../../src/domain/files/contentStamp.ts';
import { OpenedContentFiles } from '../../../src/infrastructure/files/openedContentFiles.ts';
import { KeptSaveFiles } from '../../../src/infrastructure/files/keptSaveFiles.ts';
import { thisProcess } from '../../../src/infrastructure/store/leases.ts';
import { skipBecause } from '../../skip.ts';
import { silentLog } from '../../support/silentLog.ts';
import { localFault } from '../../../src/domain/fault.ts';
import { joinPath, pathOfText, remoteName, showPath } from '../../../src/domain/files/remotePath.ts';
import type { HostListing } from '../../../src/domain/host/host.ts';
import { FilesBench } from '../sftp/filesBench.ts';
import { faultOf, never, startServer, targetOf } from '../ssh/sshBench.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import type { LabServer } from '../../lab/labServer.ts';

describe('files of a host as documents', function () {
  this.timeout(60_000);
  let server: LabServer;
  let bench: FilesBench;
  let documents: RemoteDocuments;
  let clock: FakeClock;
  let folder: string;
  let saver: FileSaver;
  let kept: string;
  let notes: ActNote[];
  let changes: DocumentChange[];
  let unasked: number;
  let mayConnect: boolean;

  before(async () => {
    server = await startServer({});
  });
  beforeEach(async () => {
    bench = await FilesBench.open(targetOf(server));
    clock = new FakeClock();
    notes = [];
    changes = [];
    unasked = 0;
    mayConnect = true;
    kept = fs.mkdtempSync(path.join(os.tmpdir(), 'termind-kept-'));
    const owner = thisProcess('documents');
    saver = new FileSaver({
      store: new KeptSaveFiles({ folder: kept, owner, clock }),
      clock,
      log: silentLog,
    });
    documents = new RemoteDocuments({
      files: bench.service,
      elevated: elevated(),
      connections: {
        acquireUnasked: async () => {
          unasked += 1;
          if (!mayConnect) throw localFault('answer-needed');
          return bench.lease();
        },
      },
      saving: saver,
      hosts: { get: async () => listing() },
      opened: opened(),
      notes: { note: (note) => void notes.push(note) },
      clock,
      random: () => 0.5,
    });
    documents.onDidChange((told) => changes.push(...told));
    folder = path.join(server.account.home, randomUUID());
    await documents.createFolder(at(), never);
    notes.length = 0;
    changes.length = 0;
  });
  afterEach(async () => {
    documents.dispose();
    saver.dispose();
    fs.rmSync(kept, { recursive: true, force: true });
    await bench.dispose();
    fs.rmSync(folder, { recursive: true, force: true });
  });
  after(() => server.stop());

  const listing = (): HostListing => ({
    ...{ id: bench.host, label: 'lab', source: 'vault', address: '192.0.2.1', port: 22, user: 'me' },
    ...{ group: undefined, tags: [], tier: undefined, alias: undefined },
  });
  const at = (name = ''): DocumentAt => ({
    host: bench.host,
    path: pathOfText(name === '' ? folder : `${folder}/${name}`),
  });
  const opened = (): OpenedContentFiles =>
    new OpenedContentFiles({ folder: path.join(kept, 'opened'), owner: thisProcess('documents'), clock });
  const elevated = (): ElevatedPlaces =>
    new ElevatedPlaces({
      ...{
        files: bench.service,
        hosts: { get: async () => listing(), onDidChange: () => ({ dispose() {} }) },
        known: { add: () => ({ dispose() {} }) },
      },
      prompts: { mayElevate: async () => false, password: async () => undefined },
    });
  const local = (name: string): string => path.join(folder, name);

  it('are read to their end, also where the server tells no size', async () => {
    fs.writeFileSync(local('a.txt'), 'one\n');
    assert.equal(Buffer.from(await documents.read(at('a.txt'), never)).toString(), 'one\n');
    const version = { host: bench.host, path: pathOfText('/proc/version') };
    assert.deepEqual(Buffer.from(await documents.read(version, never)), fs.readFileSync('/proc/version'));
  });

  it('are described by what the server says, and links by what they lead to', async () => {
    fs.writeFileSync(local('a.txt'), 'one\n');
    fs.utimesSync(local('a.txt'), 1_700_000_000, 1_700_000_000);
    fs.mkdirSync(local('sub'));
    fs.symlinkSync('a.txt', local('toFile'));
    fs.symlinkSync('sub', local('toFolder'));
    fs.symlinkSync('nowhere', local('broken'));
    fs.symlinkSync('loop', local('loop'));
    const file = { kind: 'file', isLink: false, size: 4, mtime: 1_700_000_000_000, isReadOnly: false };
    assert.deepEqual(await documents.stat(at('a.txt'), never), file);
    assert.deepEqual(await documents.stat(at('toFile'), never), { ...file, isLink: true });
    const kinds = await Promise.all(
      ['sub', 'toFolder', 'broken', 'loop'].map(async (name) => {
        const { kind, isLink } = await documents.stat(at(name), never);
        return [name, kind, isLink];
      }),
    );
    assert.deepEqual(kinds, [
      ['sub', 'directory', false],
      ['toFolder', 'directory', true],
      ['broken', 'missing', true],
      ['loop', 'missing', true],
    ]);
    const { entries } = await documents.list(at(), never);
    assert.deepEqual(entries.map(({ name, kind, target }) => [showPath(name), kind, target]).sort(), [
      ['a.txt', 'file', undefined],
      ['broken', 'symlink', 'missing'],
      ['loop', 'symlink', 'missing'],
      ['sub', 'directory', undefined],
      ['toFile', 'symlink', 'file'],
      ['toFolder', 'symlink', 'directory'],
    ]);
  });

  it('are made, renamed and deleted under every name that a server can hold', async () => {
    const names = [
      Buffer.from('caf\xe9', 'latin1'),
      Buffer.from('line\nbreak'),
      Buffer.from('\u{10fe41}'),
      Buffer.from('%2F#?'),
    ];
    for (const name of names) {
      const file = { host: bench.host, path: joinPath(at().path, remoteName(name)) };
      const renamed = joinPath(at().path, remoteName(Buffer.concat([name, Buffer.from('.old')])));
      await documents.createFile(file, never);
      await documents.rename(file, { to: renamed, mayReplace: false }, never);
      const { entries } = await documents.list(at(), never);
      assert.deepEqual(
        entries.map((entry) => Buffer.from(entry.name)),
        [Buffer.concat([name, Buffer.from('.old')])],
      );
      await documents.remove({ host: bench.host, path: renamed }, { isRecursive: false }, never);
    }
    assert.deepEqual((await documents.list(at(), never)).entries, []);
    assert.deepEqual(
      new Set(notes.map(({ what }) => what)),
      new Set(['fileSaved', 'fileRenamed', 'fileDeleted']),
    );
  });

  it('are told to have changed at once when it was us', async () => {
    await documents.createFile(at('a'), never);
    await documents.rename(at('a'), { to: at('b').path, mayReplace: false }, never);
    await documents.setMode(at('b'), 0o640, never);
    await documents.remove(at('b'), { isRecursive: false }, never);
    assert.deepEqual(
      changes.map((change) => [change.kind, documentKey(change.at)]),
      [
        ['created', documentKey(at('a'))],
        ['deleted', documentKey(at('a'))],
        ['created', documentKey(at('b'))],
        ['changed', documentKey(at('b'))],
        ['deleted', documentKey(at('b'))],
      ],
    );
    assert.deepEqual(notes.at(-2), {
      what: 'fileModeChanged',
      facts: { target: `${folder}/b`, mode: '0640' },
      host: { id: bench.host, label: 'lab', user: 'me', address: '192.0.2.1:22', tier: '' },
    });
  });

  it('do not replace another file by their new name unless that is wanted', async () => {
    fs.writeFileSync(local('a'), 'a');
    fs.writeFileSync(local('b'), 'b');
    const to = at('b').path;
    assert.equal((await faultOf(documents.rename(at('a'), { to, mayReplace: false }, never))).code, 'exists');
    await documents.rename(at('a'), { to, mayReplace: true }, never);
    assert.equal(fs.readFileSync(local('b'), 'utf8'), 'a');
  });

  it('go with their folder, and links in it go without what they lead to', async () => {
    fs.writeFileSync(local('kept'), 'kept');
    await documents.createFolder(at('tree'), never);
    await documents.createFolder(at('tree/deep'), never);
    await documents.createFile(at('tree/deep/file'), never);
    await documents.look(
      at(),
      (files) => files.symlink({ at: at('tree/link').path, to: at().path }, never),
      never,
    );
    const refused = await faultOf(documents.remove(at('tree'), { isRecursive: false }, never));
    assert.equal(refused.code, 'not-empty');
    await documents.remove(at('tree'), { isRecursive: true }, never);
    assert.deepEqual(fs.readdirSync(folder), ['kept']);
  });

  it('go to the trash of the one who signed in, also under equal names, and not twice', async function () {
    if (!server.account.isDedicated) skipBecause(this, 'it empties the trash of its account');
    const home = server.account.home;
    const trash = { path: pathOfText(`${home}/.termind-trash`), isMade: false };
    fs.rmSync(path.join(home, '.termind-trash'), { recursive: true, force: true });
    await documents.createFolder(at('sub'), never);
    for (const name of ['a', 'sub/a']) await documents.createFile(at(name), never);
    assert.deepEqual(await documents.trashFor(at('a'), never), trash);
    notes.length = 0;
    assert.deepEqual(await documents.moveToTrash([at('a'), at('sub/a')], never), []);
    assert.deepEqual(fs.readdirSync(folder, { recursive: true }), ['sub']);
    const [time = ''] = fs.readdirSync(path.join(home, '.termind-trash'));
    const kept = path.join(home, '.termind-trash', time);
    assert.deepEqual(fs.readdirSync(kept, { recursive: true }).sort(), ['1', '1/a', '2', '2/a']);
    assert.deepEqual(
      notes.map(({ what, facts }) => [what, facts['to']]),
      [
        ['fileTrashed', kept],
        ['fileTrashed', kept],
      ],
    );
    const inside = { host: bench.host, path: pathOfText(`${kept}/1/a`) };
    assert.equal(await documents.trashFor(inside, never), undefined);
    assert.deepEqual(await documents.trashFor(at('sub'), never), { ...trash, isMade: true });
    const proc = { host: bench.host, path: pathOfText('/proc/version') };
    assert.equal(await documents.trashFor(proc, never), undefined, 'another file system');
  });

  it('are refused above 50 MiB before anything of them is read', async () => {
    fs.writeFileSync(local('large'), '');
    fs.truncateSync(local('large'), 50 * 1024 * 1024 + 1);
    const fault = await faultOf(documents.read(at('large'), never));
    assert.deepEqual([fault.code, fault.facts['path']], ['too-large', `${folder}/large`]);
  });

  it('are listed as many as are asked for', async () => {
    for (const name of ['a', 'b', 'c']) fs.writeFileSync(local(name), '');
    const { entries, isCut } = await documents.listUpTo(at(), 2, never);
    assert.deepEqual([entries.length, isCut], [2, true]);
  });

  it('that a person sees are looked at again, and another content of them is told with a later time', async () => {
    fs.writeFileSync(local('a'), 'one');
    await documents.read(at('a'), never);
    const before = (await documents.stat(at('a'), never)).mtime;
    documents.show([at('a')]);
    fs.writeFileSync(local('a'), 'three');
    const told = new Promise<readonly DocumentChange[]>((resolve) => documents.onDidChange(resolve));
    await clock.advance(3_000);
    assert.deepEqual(
      (await told).map(({ kind }) => kind),
      ['changed'],
    );
    assert.ok((await documents.stat(at('a'), never)).mtime > before);
    const gone = new Promise<readonly DocumentChange[]>((resolve) => documents.onDidChange(resolve));
    fs.rmSync(local('a'));
    await clock.advance(3_000);
    assert.deepEqual(
      (await gone).map(({ kind }) => kind),
      ['deleted'],
    );
  });

  const save = (name: string, text: string): Promise<SaveOutcome> =>
    documents.write(at(name), { content: Buffer.from(text), mayCreate: true, mayReplace: true }, never);
  const write = (name: string, text: string): Promise<SaveOutcome> => {
    fs.rmSync(local(name), { force: true });
    return save(name, text);
  };

  it('are saved again and again, and told with a later time each', async () => {
    assert.equal((await save('a', 'one')).k, 'saved');
    const times = [(await documents.stat(at('a'), never)).mtime];
    for (const text of ['two', 'six']) {
      assert.equal((await save('a', text)).k, 'saved');
      assert.equal(fs.readFileSync(local('a'), 'utf8'), text);
      times.push((await documents.stat(at('a'), never)).mtime);
    }
    assert.deepEqual([...new Set(times)].sort(), times);
    assert.deepEqual(
      changes.map(({ kind }) => kind),
      ['created', 'changed', 'changed'],
    );
    assert.deepEqual(
      notes.map(({ what }) => what),
      ['fileSaved', 'fileSaved', 'fileSaved'],
    );
  });

  it('that hold another content of the same size and second are not replaced, until the person has seen it', async () => {
    await write('a', 'one');
    await documents.read(at('a'), never);
    const { atime, mtime } = fs.statSync(local('a'));
    fs.writeFileSync(local('a'), 'two');
    fs.utimesSync(local('a'), atime, mtime);
    const conflict = await save('a', 'six');
    assert.equal(conflict.k, 'conflict');
    assert.equal(fs.readFileSync(local('a'), 'utf8'), 'two');
    assert.ok(conflict.theirs !== undefined);
    assert.equal((await saver.kept()).length, 1);
    documents.acceptTheirs(at('a'), conflict.theirs);
    assert.equal((await save('a', 'six')).k, 'saved');
    assert.deepEqual([fs.readFileSync(local('a'), 'utf8'), await saver.kept()], ['six', []]);
  });

  it('with changes keep what they were made from, whoever reads the file meanwhile', async () => {
    await write('a', 'one');
    let isDirty = false;
    documents.follow({
      isOpen: () => true,
      isDirty: () => isDirty,
      keptBase: () => undefined,
      keepBase() {},
    });
    await documents.read(at('a'), never);
    isDirty = true;
    documents.dirtied(at('a'), true);
    fs.writeFileSync(local('a'), 'two');
    await documents.read(at('a'), never);
    assert.equal((await save('a', 'six')).k, 'conflict');
  });

  it('with changes that the editor kept over a restart are compared with what they were made from', async () => {
    await write('a', 'one');
    const base = stampOf(Buffer.from('zero'));
    documents.follow({ isOpen: () => true, isDirty: () => true, keptBase: () => base, keepBase() {} });
    assert.equal((await save('b', 'new')).k, 'saved');
    const other = new RemoteDocuments({
      files: bench.service,
      elevated: elevated(),
      connections: { acquireUnasked: async () => bench.lease() },
      ...{ saving: saver, clock, random: () => 0.5, notes: { note() {} } },
      hosts: { get: async () => listing() },
      opened: opened(),
    });
    other.follow({ isOpen: () => true, isDirty: () => true, keptBase: () => base, keepBase() {} });
    const order = { content: Buffer.from('six'), mayCreate: true, mayReplace: true };
    assert.equal((await other.write(at('a'), order, never)).k, 'conflict');
    other.dispose();
  });

  it('with changes know the content that they were made from, also after a restart', async () => {
    await write('a', 'one');
    let keptBase: ContentStamp | undefined;
    const editor = { isOpen: () => true, isDirty: () => true, keptBase: () => keptBase };
    documents.follow({ ...editor, keepBase: (_key, base) => void (keptBase = base) });
    await documents.read(at('a'), never);
    documents.dirtied(at('a'), true);
    fs.writeFileSync(local('a'), 'two');
    await documents.read(at('a'), never);
    const made = async (by: RemoteDocuments): Promise<string | undefined> => {
      const content = await by.openedContent(at('a'));
      return content === undefined ? undefined : Buffer.from(content).toString();
    };
    assert.equal(await made(documents), 'one');
    const later = new RemoteDocuments({
      files: bench.service,
      elevated: elevated(),
      connections: { acquireUnasked: async () => bench.lease() },
      ...{ saving: saver, clock, random: () => 0.5, notes: { note() {} }, opened: opened() },
      hosts: { get: async () => listing() },
    });
    later.follow({ ...editor, keepBase() {} });
    assert.equal(await made(later), 'one');
    later.dispose();
    documents.dirtied(at('a'), false);
    documents.closed(at('a'));
    assert.equal(await made(documents), undefined);
  });

  it('that were merged are saved over what they were merged with, and over nothing else', async () => {
    await write('a', 'one');
    documents.follow({ isOpen: () => true, isDirty: () => true, keptBase: () => undefined, keepBase() {} });
    await documents.read(at('a'), never);
    documents.dirtied(at('a'), true);
    fs.writeFileSync(local('a'), 'two');
    const conflict = await save('a', 'mine');
    assert.ok(conflict.k === 'conflict' && conflict.theirs !== undefined);
    const merged = { content: Buffer.from('two and mine'), over: conflict.theirs.stamp };
    fs.writeFileSync(local('a'), 'three');
    const again = await documents.writeMerged(at('a'), merged, never);
    assert.deepEqual([again.k, fs.readFileSync(local('a'), 'utf8')], ['conflict', 'three']);
    fs.writeFileSync(local('a'), 'two');
    assert.equal((await documents.writeMerged(at('a'), merged, never)).k, 'saved');
    assert.deepEqual([fs.readFileSync(local('a'), 'utf8'), await saver.kept()], ['two and mine', []]);
    // What the document itself holds was not merged further: it is not saved over the merge.
    assert.equal((await save('a', 'mine')).k, 'conflict');
  });

  it('that are changed further while they are saved are compared with what was saved, also after a restart', async () => {
    let keptBase: ContentStamp | undefined;
    documents.follow({
      isOpen: () => true,
      isDirty: () => true,
      keptBase: () => keptBase,
      keepBase: (_key, base) => void (keptBase = base),
    });
    await write('a', 'one');
    await documents.read(at('a'), never);
    const saved = await save('a', 'two');
    assert.deepEqual([saved.k, keptBase?.sha256], ['saved', stampOf(Buffer.from('two')).sha256]);
    documents.dirtied(at('a'), false);
    assert.equal(keptBase, undefined);
  });

  it('that are open and whose beginnings are not known any more are not replaced without a question', async () => {
    fs.writeFileSync(local('a'), 'theirs');
    documents.follow({
      isOpen: () => true,
      isDirty: () => true,
      keptBase: () => undefined,
      keepBase() {},
    });
    assert.equal((await save('a', 'mine')).k, 'conflict');
    assert.equal(fs.readFileSync(local('a'), 'utf8'), 'theirs');
  });

  it('that get back what they held before leave what they hold now beside them', async () => {
    await write('a', 'newer');
    const order = {
      content: Buffer.from('older'),
      mayCreate: true,
      mayReplace: true,
      keepsOld: true,
    } as const;
    assert.equal((await documents.write(at('a'), order, never)).k, 'saved');
    const held = fs.readdirSync(folder).map((name) => fs.readFileSync(local(name), 'utf8'));
    assert.deepEqual(held.sort(), ['newer', 'older']);
  });

  it('that are gone are written anew', async () => {
    await write('a', 'one');
    await documents.read(at('a'), never);
    fs.rmSync(local('a'));
    const saved = await save('a', 'two');
    assert.deepEqual([saved.k, fs.readFileSync(local('a'), 'utf8')], ['saved', 'two']);
    assert.deepEqual(await saver.kept(), []);
  });

  it('are neither made nor replaced where that is not wanted', async () => {
    await write('a', 'one');
    const content = Buffer.from('two');
    const missing = documents.write(at('b'), { content, mayCreate: false, mayReplace: true }, never);
    assert.equal((await faultOf(missing)).code, 'not-found');
    const there = documents.write(at('a'), { content, mayCreate: true, mayReplace: false }, never);
    assert.equal((await faultOf(there)).code, 'exists');
    assert.deepEqual([fs.readFileSync(local('a'), 'utf8'), await saver.kept()], ['one', []]);
    assert.equal(fs.existsSync(local('b')), false);
  });

  it('connect without a question, and not again while their channel is open', async () => {
    await documents.start(bench.host, never);
    bench.service.browse(bench.host).close();
    unasked = 0;
    assert.equal(showPath(await documents.start(bench.host, never)), server.account.home);
    await documents.start(bench.host, never);
    assert.equal(unasked, 1);
    bench.service.browse(bench.host).close();
    mayConnect = false;
    assert.equal((await faultOf(documents.start(bench.host, never))).code, 'answer-needed');
  });
});
