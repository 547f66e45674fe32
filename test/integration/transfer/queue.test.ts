import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TransferOrder } from '../../../src/application/transfer/queue/transferQueue.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { blockBytes } from '../../../src/domain/transfer/transferJournal.ts';
import type { TransferId, TransferRecord } from '../../../src/domain/transfer/transferRecord.ts';
import { sftpType, type SftpScript } from '../../lab/scriptedSftp.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { withFault } from '../store/storeFolder.ts';
import { entryThat, QueueBench, settledEntry, type QueueWindow } from './queueBench.ts';

const large = patterned(6 * blockBytes + 77);

describe('the transfer queue', () => {
  let bench: QueueBench;
  let window: QueueWindow;
  beforeEach(() => {
    bench = new QueueBench();
    window = bench.window();
  });
  afterEach(() => bench.dispose());

  const local = (...names: string[]): string => path.join(bench.files.local, ...names);
  const remote = (...names: string[]): string => path.join(bench.files.remote, ...names);
  const upload = (name: string, parts: Partial<TransferOrder> = {}): TransferOrder => ({
    kind: 'file',
    from: bench.here(name),
    to: bench.there(name),
    policy: 'ask',
    by: 'person',
    ...parts,
  });
  const add = (order: TransferOrder): Promise<TransferId> => window.queue.add(order);

  /** Writes behind the first so many are never answered; `reached` when the first of them has come. */
  function stuckAfter(writes: number): { readonly script: SftpScript; readonly reached: Promise<void> } {
    let seen = 0;
    let tell = (): void => {};
    const reached = new Promise<void>((resolve) => (tell = resolve));
    return {
      reached,
      script: {
        onRequest: (request) => {
          if (request.type !== sftpType.write) return request;
          seen += 1;
          if (seen <= writes) return request;
          tell();
          return undefined;
        },
      },
    };
  }

  for (const [by, asked] of [
    ['person', [210]],
    ['tool', []],
  ] as const)
    it(`asks about archives for what a ${by} started: ${asked.length > 0 ? 'yes' : 'no'}`, async () => {
      mkdirSync(local('folder'));
      for (let n = 0; n < 210; n++) writeFileSync(local('folder', String(n)), String(n));
      const id = await add(upload('folder', { kind: 'folder', by, policy: 'skip' }));
      const { record } = await settledEntry(window.queue, id);
      assert.deepEqual([record.state, record.doneFiles, bench.archivesAsked], ['completed', 210, asked]);
    });

  it('moves a file and says so', async () => {
    writeFileSync(local('a'), large);
    const id = await add(upload('a', { verify: true }));
    const { record } = await settledEntry(window.queue, id);
    assert.deepEqual(
      [record.state, record.doneBytes, record.totalBytes, record.doneFiles, record.fault],
      ['completed', large.length, large.length, 1, undefined],
    );
    assert.match(record.sha256 ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual(readFileSync(remote('a')), large);
  });

  describe('compares what was moved', () => {
    async function moved(): Promise<TransferId> {
      mkdirSync(local('folder', 'in'), { recursive: true });
      for (const name of ['a', 'b', 'c', 'in/d']) writeFileSync(local('folder', name), `content of ${name}`);
      const id = await add(upload('folder', { kind: 'folder' }));
      await settledEntry(window.queue, id);
      return id;
    }

    async function compared(id: TransferId): Promise<TransferRecord> {
      const told = new Promise<TransferRecord>((resolve) => window.queue.onDidVerify(resolve));
      await window.queue.verify(id);
      return withinDeadline('it is compared', told);
    }

    it('and keeps that all of it is the same', async () => {
      const id = await moved();
      const { verification, state } = await compared(id);
      assert.deepEqual([state, verification?.files, verification?.different], ['completed', 4, 0]);
      const { record } = await settledEntry(window.queue, id);
      assert.deepEqual(record.verification, verification);
    });

    it('and names what has another content, and what is missing', async () => {
      const id = await moved();
      writeFileSync(remote('folder', 'a'), 'CONTENT of a');
      writeFileSync(remote('folder', 'b'), 'longer than it was');
      rmSync(remote('folder', 'in', 'd'));
      const { verification } = await compared(id);
      assert.ok(verification);
      assert.deepEqual([verification.files, verification.different], [4, 3]);
      const found = verification.failures.map(({ path: at, fault }) => [path.basename(at), fault.code]);
      assert.deepEqual(found.sort(), [
        ['a', 'content-differs'],
        ['b', 'content-differs'],
        ['d', 'not-found'],
      ]);
    });

    it('also one file', async () => {
      writeFileSync(local('one'), large);
      const id = await add(upload('one'));
      await settledEntry(window.queue, id);
      const changed = Buffer.from(large);
      changed.writeUInt8(changed.readUInt8(5) ^ 1, 5);
      writeFileSync(remote('one'), changed);
      const { verification } = await compared(id);
      assert.deepEqual(
        verification?.failures.map(({ fault }) => fault.code),
        ['content-differs'],
      );
    });

    it('and leaves the entry as it was when it is stopped', async () => {
      const id = await moved();
      bench.script = { onRequest: (request) => (request.type === sftpType.read ? undefined : request) };
      await window.queue.verify(id);
      await window.queue.cancel(id);
      const { record, holder } = await settledEntry(window.queue, id);
      assert.deepEqual([record.state, record.verification, holder], ['completed', undefined, undefined]);
    });
  });

  it('moves a folder as one entry, and one file that fails stops no other', async () => {
    mkdirSync(remote('site', 'a.html'), { recursive: true });
    mkdirSync(local('site'));
    for (const name of ['a.html', 'b.html', 'c.html']) writeFileSync(local('site', name), name);
    const id = await add(upload('site', { kind: 'folder', policy: 'overwrite' }));
    const { record } = await settledEntry(window.queue, id);
    assert.deepEqual([record.state, record.doneFiles, record.failedFiles], ['failed', 2, 1]);
    assert.deepEqual(
      record.failures.map(({ path: file, fault }) => [path.basename(file), fault.code]),
      [['a.html', 'is-directory']],
    );
    assert.deepEqual(readdirSync(remote('site')).sort(), ['a.html', 'b.html', 'c.html']);
  });

  it('tells of a folder which files are under way, how far, and which wait', async () => {
    mkdirSync(local('site'));
    const names = Array.from({ length: 300 }, (_, at) => `${String(at).padStart(3, '0')}.html`);
    for (const name of names) writeFileSync(local('site', name), 'page');
    writeFileSync(local('site', 'large'), large);
    mkdirSync(remote('site'));
    mkdirSync(remote('site', '000.html'));
    const { script, reached } = stuckAfter(70);
    bench.script = script;
    const id = await add(upload('site', { kind: 'folder' }));
    await withinDeadline('the write that is not answered', reached);
    const { files } = await entryThat(window.queue, id, (entry) => entry.files !== undefined);
    assert.ok(files);
    const { counts } = files;
    const all = Object.values(counts).reduce((sum, count) => sum + count);
    assert.deepEqual([all, counts.running > 0, counts.waiting > 0], [301, true, true]);
    assert.equal(files.running.length, counts.running);
    const waiting = files.list('waiting', 1_000).map((file) => file.path);
    assert.deepEqual([waiting.length, files.list('waiting', 2).length], [counts.waiting, 2]);
    const running = files.running.map((file) => file.path);
    assert.deepEqual(
      [...running, ...waiting].filter((name) => name !== 'large' && !names.includes(name)),
      [],
    );
    bench.script = {};
    await window.queue.pause(id);
    await window.queue.resume(id);
    const { record } = await settledEntry(window.queue, id);
    assert.deepEqual([record.doneFiles + record.skippedFiles, record.failedFiles], [300, 1]);
  });

  it('runs two at a time on a host, and the next when one has ended', async () => {
    let open = (): void => {};
    bench.gate = new Promise<void>((resolve) => (open = resolve));
    for (const name of ['a', 'b', 'c']) writeFileSync(local(name), name);
    const ids: TransferId[] = [];
    for (const name of ['a', 'b', 'c']) ids.push(await add(upload(name)));
    const states = await Promise.all(ids.map((id) => window.queue.entry(id)));
    assert.deepEqual(
      states.map((entry) => entry?.record.state),
      ['running', 'running', 'queued'],
    );
    open();
    for (const id of ids) assert.equal((await settledEntry(window.queue, id)).record.state, 'completed');
  });

  it('goes on after a pause with what had arrived', async () => {
    writeFileSync(local('a'), large);
    const { script, reached } = stuckAfter(70);
    bench.script = script;
    const id = await add(upload('a'));
    await withinDeadline('the write that is not answered', reached);
    await window.queue.pause(id);
    assert.equal((await settledEntry(window.queue, id)).record.state, 'paused');
    assert.equal(existsSync(remote('a')), false);
    assert.equal(readdirSync(bench.files.remote).filter((name) => name.endsWith('.part')).length, 1);
    bench.script = {};
    await window.queue.resume(id);
    assert.equal((await settledEntry(window.queue, id)).record.state, 'completed');
    assert.deepEqual(readFileSync(remote('a')), large);
    assert.deepEqual(readdirSync(bench.files.remote), ['a']);
  });

  it('leaves nothing of a cancelled file, and the old target as it was', async () => {
    writeFileSync(local('a'), large);
    writeFileSync(remote('a'), 'old');
    const { script, reached } = stuckAfter(70);
    bench.script = script;
    const id = await add(upload('a', { policy: 'overwrite' }));
    await withinDeadline('the write that is not answered', reached);
    bench.script = {};
    await window.queue.cancel(id);
    assert.equal((await settledEntry(window.queue, id)).record.state, 'cancelled');
    assert.equal(readFileSync(remote('a'), 'utf8'), 'old');
    assert.deepEqual(readdirSync(bench.files.remote), ['a']);
  });

  for (const [what, parts, old, folder] of [
    ['that was to have another name', { policy: 'rename' }, 'a', '.'],
    ['behind a link', { policy: 'overwrite' }, 'in/real', 'in'],
  ] as const)
    it(`leaves nothing of a cancelled file ${what}`, async () => {
      writeFileSync(local('a'), large);
      mkdirSync(remote('in'));
      writeFileSync(remote(old), 'old');
      if (old !== 'a') symlinkSync(old, remote('a'));
      const { script, reached } = stuckAfter(70);
      bench.script = script;
      const id = await add(upload('a', parts));
      await withinDeadline('the write that is not answered', reached);
      bench.script = {};
      await window.queue.cancel(id);
      assert.equal(readFileSync(remote(old), 'utf8'), 'old');
      const left = readdirSync(remote(folder)).filter((name) => name.endsWith('.part'));
      assert.deepEqual([left, readdirSync(bench.files.journals)], [[], []]);
    });

  const partsOf = (folder: string): readonly string[] =>
    readdirSync(remote(folder), { encoding: 'utf8', recursive: true }).filter((name) =>
      name.endsWith('.part'),
    );

  /** A folder with two large files, one of which is under way. */
  async function stuckFolder(): Promise<TransferId> {
    mkdirSync(local('site', 'in'), { recursive: true });
    for (const name of ['a', 'in/b']) writeFileSync(local('site', name), large);
    const { script, reached } = stuckAfter(70);
    bench.script = script;
    const id = await add(upload('site', { kind: 'folder' }));
    await withinDeadline('the write that is not answered', reached);
    bench.script = {};
    return id;
  }

  it('leaves no half file of a cancelled folder', async () => {
    const id = await stuckFolder();
    await window.queue.cancel(id);
    assert.deepEqual([partsOf('site'), readdirSync(bench.files.journals)], [[], []]);
  });

  it('leaves no half file of a cancelled folder on this machine', async () => {
    mkdirSync(remote('site', 'in'), { recursive: true });
    writeFileSync(remote('site', 'in', 'b'), large);
    let reads = 0;
    let tell = (): void => {};
    const reached = new Promise<void>((resolve) => (tell = resolve));
    bench.script = {
      onRequest: (request) => {
        if (request.type !== sftpType.read || ++reads <= 70) return request;
        tell();
        return undefined;
      },
    };
    const id = await add({
      ...{ kind: 'folder', policy: 'ask', by: 'person' },
      ...{ from: bench.there('site'), to: bench.here('site') },
    });
    await withinDeadline('the read that is not answered', reached);
    await window.queue.pause(id);
    assert.match(readdirSync(local('site', 'in')).join(' '), /^\.b\.[0-9a-f]{12}\.part$/);
    await window.queue.cancel(id);
    assert.deepEqual([readdirSync(local('site', 'in')), readdirSync(bench.files.journals)], [[], []]);
  });

  it('leaves no half file of a folder that was paused and is given up', async () => {
    const id = await stuckFolder();
    await window.queue.pause(id);
    assert.equal(partsOf('site').length, 1);
    await window.queue.remove(id);
    assert.deepEqual([partsOf('site'), readdirSync(bench.files.journals)], [[], []]);
  });

  it('removes what a cancelled folder has left when its host is connected again', async () => {
    const id = await stuckFolder();
    bench.isConnected = false;
    await window.queue.cancel(id);
    assert.equal(partsOf('site').length, 1);
    bench.isConnected = true;
    const released = new Promise<void>((resolve) => bench.released.event(resolve));
    bench.connected.fire(newHostId());
    bench.connected.fire(bench.files.host);
    await withinDeadline('its channel is given back', released);
    assert.deepEqual([partsOf('site'), readdirSync(bench.files.journals)], [[], []]);
    assert.equal((await settledEntry(window.queue, id)).record.state, 'cancelled');
  });

  it('leaves nothing of failed transfers of one file that are taken off the list together', async () => {
    writeFileSync(local('a'), large);
    for (const writes of [70, 5]) {
      const { script, reached } = stuckAfter(writes);
      bench.script = script;
      const id = await add(upload('a'));
      await withinDeadline('the write that is not answered', reached);
      bench.files.servers.at(-1)?.stop();
      assert.equal((await settledEntry(window.queue, id)).record.state, 'failed');
    }
    bench.script = {};
    assert.equal(partsOf('.').length, 1);
    await window.queue.clearFinished();
    const entries = await window.queue.entries();
    assert.deepEqual([entries, partsOf('.'), readdirSync(bench.files.journals)], [[], [], []]);
  });

  it('leaves what another entry for the same file goes on with', async () => {
    writeFileSync(local('a'), large);
    const { script, reached } = stuckAfter(70);
    bench.script = script;
    const first = await add(upload('a'));
    await withinDeadline('the write that is not answered', reached);
    await window.queue.pause(first);
    bench.script = {};
    let open = (): void => {};
    bench.gate = new Promise<void>((resolve) => (open = resolve));
    const second = await add(upload('a'));
    await window.queue.remove(first);
    assert.equal(partsOf('.').length, 1);
    open();
    assert.equal((await settledEntry(window.queue, second)).record.state, 'completed');
    assert.deepEqual(readFileSync(remote('a')), large);
    assert.deepEqual(readdirSync(bench.files.remote), ['a']);
  });

  it('fails with the reason when the connection goes, and goes on when it is asked to', async () => {
    writeFileSync(local('a'), large);
    let writes = 0;
    bench.script = {
      onRequest: (request) => {
        if (request.type === sftpType.write) writes += 1;
        if (writes <= 70) return request;
        bench.files.servers.at(-1)?.stop();
        return undefined;
      },
    };
    const id = await add(upload('a'));
    const { record } = await settledEntry(window.queue, id);
    assert.equal(record.state, 'failed');
    assert.notEqual(record.fault, undefined);
    bench.script = {};
    await window.queue.resume(id);
    const again = (await settledEntry(window.queue, id)).record;
    assert.deepEqual([again.state, again.fault, again.starts], ['completed', undefined, 2]);
    assert.deepEqual(readFileSync(remote('a')), large);
  });

  describe('asks what is to become of a target that is there', () => {
    const names = ['a', 'b', 'c'];
    beforeEach(() => {
      for (const folder of [local('site'), remote('site')]) mkdirSync(folder);
      for (const name of names) {
        writeFileSync(local('site', name), `new ${name}`);
        writeFileSync(remote('site', name), 'old');
      }
    });
    const contents = (): readonly string[] =>
      readdirSync(remote('site'))
        .sort()
        .map((name) => `${name}: ${readFileSync(remote('site', name), 'utf8')}`);

    it('once for each, one after the other', async () => {
      const id = await add(upload('site', { kind: 'folder' }));
      const asked = new Set<string>();
      for (const policy of ['overwrite', 'skip', 'rename'] as const) {
        const { question } = await entryThat(
          window.queue,
          id,
          (entry) => entry.question !== undefined && !asked.has(entry.question.to),
        );
        assert.ok(question);
        asked.add(question.to);
        assert.deepEqual([question.source.size, question.target.size], [5, 3]);
        window.queue.answer(id, question, { policy, isForAll: false });
      }
      const { record } = await settledEntry(window.queue, id);
      assert.deepEqual([record.state, record.doneFiles, record.skippedFiles], ['completed', 2, 1]);
      assert.deepEqual(
        contents()
          .map((line) => line.slice(line.indexOf(':') + 2))
          .filter((text) => text === 'old').length,
        2,
      );
      assert.equal(contents().length, 4);
    });

    it('and takes one answer for all', async () => {
      const id = await add(upload('site', { kind: 'folder' }));
      const { question } = await entryThat(window.queue, id, (entry) => entry.question !== undefined);
      assert.ok(question);
      window.queue.answer(id, question, { policy: 'overwrite', isForAll: true });
      const { record } = await settledEntry(window.queue, id);
      assert.deepEqual([record.state, record.policy], ['completed', 'overwrite']);
      assert.deepEqual(
        contents(),
        names.map((name) => `${name}: new ${name}`),
      );
    });

    it('and a pause ends the question', async () => {
      const id = await add(upload('site', { kind: 'folder' }));
      await entryThat(window.queue, id, (entry) => entry.question !== undefined);
      await window.queue.pause(id);
      const entry = await settledEntry(window.queue, id);
      assert.deepEqual([entry.record.state, entry.question], ['paused', undefined]);
    });
  });

  it('does not copy again under another name what it has copied before', async () => {
    for (const folder of [local('site'), remote('site')]) mkdirSync(folder);
    writeFileSync(local('site', 'a'), 'new');
    writeFileSync(remote('site', 'a'), 'old');
    mkdirSync(remote('site', 'b'));
    writeFileSync(local('site', 'b'), 'fails');
    utimesSync(local('site', 'a'), 1_700_000_000, 1_700_000_000);
    const id = await add(upload('site', { kind: 'folder', policy: 'rename' }));
    assert.equal((await settledEntry(window.queue, id)).record.state, 'failed');
    await window.queue.resume(id);
    const { record } = await settledEntry(window.queue, id);
    assert.deepEqual([record.state, record.starts], ['failed', 2]);
    assert.deepEqual(readdirSync(remote('site')).sort(), ['a', 'a (2)', 'b']);
  });

  it('pauses what a closing window was at, and no other window goes on by itself', async () => {
    writeFileSync(local('a'), large);
    const { script, reached } = stuckAfter(70);
    bench.script = script;
    const id = await add(upload('a'));
    await withinDeadline('the write that is not answered', reached);
    const other = bench.window();
    assert.equal((await other.queue.entry(id))?.holder, 'elsewhere');
    for (const act of ['pause', 'resume', 'cancel', 'remove'] as const)
      await assert.rejects(other.queue[act](id), withFault('transfer-elsewhere'), act);
    assert.equal((await window.queue.entry(id))?.record.state, 'running');
    await window.queue.close();
    bench.script = {};
    const { record } = await settledEntry(other.queue, id);
    assert.equal(record.state, 'paused');
    assert.equal(existsSync(remote('a')), false);
    await other.queue.resume(id);
    assert.equal((await settledEntry(other.queue, id)).record.state, 'completed');
    assert.deepEqual(readFileSync(remote('a')), large);
  });

  it('shows as paused what a window that is gone has left', async () => {
    const clock = new FakeClock();
    const gone = bench.window({ clock });
    bench.gate = new Promise<void>(() => {});
    writeFileSync(local('a'), 'a');
    const id = await gone.queue.add(upload('a'));
    gone.queue.dispose();
    const late = new FakeClock(clock.now() + 60_000);
    const other = bench.window({ clock: late });
    const entries = await other.queue.entries();
    assert.deepEqual(
      entries.map(({ record, holder }) => [record.id, record.state, holder]),
      [[id, 'paused', undefined]],
    );
    bench.gate = Promise.resolve();
  });

  it('looks again at what another window holds, until that window is gone', async () => {
    const clock = new FakeClock();
    const busy = bench.window({ clock });
    bench.gate = new Promise<void>(() => {});
    writeFileSync(local('a'), 'a');
    const id = await busy.queue.add(upload('a'));
    const late = new FakeClock(clock.now() + 40_000);
    const other = bench.window({ clock: late });
    assert.equal((await other.queue.entries())[0]?.holder, 'elsewhere');
    const told = new Promise<void>((resolve) => other.queue.onDidChange(() => resolve()));
    await late.advance(10_000);
    await withinDeadline('the notice to look again', told);
    const [entry] = await other.queue.entries();
    assert.deepEqual([entry?.record.id, entry?.record.state, entry?.holder], [id, 'paused', undefined]);
    bench.gate = Promise.resolve();
  });

  it('takes finished entries off the list, and those of tools not before a day', async () => {
    for (const name of ['a', 'b']) writeFileSync(local(name), name);
    const mine = await add(upload('a'));
    const asked = await add(upload('b', { by: 'tool' }));
    for (const id of [mine, asked]) await settledEntry(window.queue, id);
    await window.queue.clearFinished();
    assert.deepEqual(
      (await window.queue.entries()).map(({ record }) => record.id),
      [asked],
    );
  });

  it('keeps no secret that a server puts into its words', async () => {
    writeFileSync(local('a'), 'a');
    const canary = 'api_key=sk-ant-api03-canarycanarycanarycanarycanary';
    bench.script = {
      onRequest: (request, answer) => {
        if (request.type !== sftpType.open) return request;
        const status = Buffer.alloc(4);
        status.writeUInt32BE(4);
        const text = Buffer.from(canary);
        const length = Buffer.alloc(4);
        length.writeUInt32BE(text.length);
        answer({
          ...request,
          type: sftpType.status,
          body: Buffer.concat([status, length, text, Buffer.alloc(4)]),
        });
        return undefined;
      },
    };
    const id = await add(upload('a'));
    const { record } = await settledEntry(window.queue, id);
    assert.equal(record.state, 'failed');
    assert.equal(JSON.stringify(record).includes('canarycanary'), false);
  });
});
