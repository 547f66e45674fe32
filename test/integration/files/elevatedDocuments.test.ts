import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, before, beforeEach, describe, it } from 'mocha';
import { Emitter } from '../../../src/agentkit/index.ts';
import type {
  DocumentAt,
  OpenDocumentsPort,
} from '../../../src/application/files/documents/documentFiles.ts';
import { RemoteDocuments } from '../../../src/application/files/documents/remoteDocuments.ts';
import { ElevatedPlaces } from '../../../src/application/files/elevatedPlaces.ts';
import { FileSaver } from '../../../src/application/files/save/fileSaver.ts';
import type { ActNote } from '../../../src/application/operations/operationsLog.ts';
import type { ElevationQuestion } from '../../../src/application/ports/elevationPrompts.ts';
import { pathOfText, showPath } from '../../../src/domain/files/remotePath.ts';
import type { HostListing, Tier } from '../../../src/domain/host/host.ts';
import { OpenedContentFiles } from '../../../src/infrastructure/files/openedContentFiles.ts';
import { KeptSaveFiles } from '../../../src/infrastructure/files/keptSaveFiles.ts';
import { thisProcess } from '../../../src/infrastructure/store/leases.ts';
import { until } from '../../e2e/harness/until.ts';
import type { LabAccount } from '../../lab/account.ts';
import { startSshd, type Sshd } from '../../lab/sshd.ts';
import { createSudoer, sudoObstacle } from '../../lab/sudoer.ts';
import { skipBecause } from '../../skip.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { silentLog } from '../../support/silentLog.ts';
import { faultOf, never, targetOf } from '../ssh/sshBench.ts';
import { FilesBench } from '../sftp/filesBench.ts';

/** The documents of a window, its person and the real sudo. */
describe('documents with the rights of another user', function () {
  this.timeout(60_000);
  let account: LabAccount;
  let server: Sshd;
  let bench: FilesBench;
  let clock: FakeClock;
  let saver: FileSaver;
  let elevated: ElevatedPlaces;
  let documents: RemoteDocuments;
  let notes: ActNote[];
  let tier: Tier | undefined;
  /** What the person types; undefined cancels. Behind the last one everything is cancelled. */
  let answers: (string | undefined)[];
  let asked: (ElevationQuestion & { readonly isRepeated?: boolean })[];
  let isMeant: boolean;
  /** Done while the person has the question; whether it is then left open. */
  let onAsked: () => 'waits' | undefined;
  let known: string[];
  let address: string;
  let hostsChanged: Emitter<void>;
  let file: string;

  before(async function () {
    const obstacle = sudoObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
  });
  beforeEach(async () => {
    account = await createSudoer();
    server = await startSshd({ account });
    clock = new FakeClock();
    bench = await FilesBench.open(targetOf(server), clock);
    [notes, asked, known, tier, isMeant, address] = [[], [], [], undefined, true, '192.0.2.1'];
    answers = [account.password, account.password];
    onAsked = () => undefined;
    fs.mkdirSync(path.join(account.home, 'conf'));
    file = path.join(account.home, 'conf', 'for-root');
    fs.writeFileSync(file, 'old', { mode: 0o640 });
    saver = new FileSaver({
      store: new KeptSaveFiles({
        ...{ folder: path.join(account.home, 'kept'), clock },
        owner: thisProcess('elevated'),
      }),
      clock,
      log: silentLog,
    });
    hostsChanged = new Emitter();
    const hosts = { get: async () => listing(), onDidChange: hostsChanged.event };
    elevated = new ElevatedPlaces({
      ...{ files: bench.service, hosts },
      known: { add: (value) => (known.push(Buffer.from(value).toString()), { dispose() {} }) },
      prompts: {
        mayElevate: async (question) => (asked.push(question), isMeant),
        password: async (question, signal) => {
          asked.push(question);
          const closed = new Promise<undefined>((resolve) =>
            signal.addEventListener('abort', () => resolve(undefined), { once: true }),
          );
          return onAsked() === 'waits' ? closed : answers.shift();
        },
      },
    });
    documents = new RemoteDocuments({
      ...{ files: bench.service, elevated, saving: saver, hosts, clock, random: () => 0.5 },
      connections: { acquireUnasked: async () => bench.lease() },
      notes: { note: (note) => void notes.push(note) },
      opened: new OpenedContentFiles({
        ...{ folder: path.join(account.home, 'opened'), clock },
        owner: thisProcess('elevated'),
      }),
    });
  });
  afterEach(async () => {
    documents.dispose();
    elevated.dispose();
    saver.dispose();
    await bench.dispose();
    await server.stop();
    account.dispose();
  });

  const listing = (): HostListing => ({
    ...{ id: bench.host, label: 'lab', source: 'vault', address, port: 22, user: 'me' },
    ...{ group: undefined, tags: [], tier, alias: undefined },
  });
  const at = (as?: string): DocumentAt => ({
    ...{ host: bench.host, path: pathOfText(file) },
    ...(as === undefined ? {} : { as }),
  });
  const order = (text: string): { content: Buffer; mayCreate: true; mayReplace: true } => ({
    ...{ content: Buffer.from(text), mayCreate: true, mayReplace: true },
  });
  const open = (as = 'root'): Promise<void> =>
    elevated.use({ host: bench.host, as }, async () => {}, { mayAsk: true, signal: never });
  const textOf = async (place: DocumentAt): Promise<string> =>
    Buffer.from(await documents.read(place, never)).toString();
  const onDisk = (): readonly unknown[] => {
    const { uid, gid, mode } = fs.statSync(file);
    return [fs.readFileSync(file, 'utf8'), uid, gid, mode & 0o7777];
  };
  /** The editor holds the document with changes. */
  const dirty: OpenDocumentsPort = {
    ...{ isOpen: () => true, isDirty: () => true, keptBase: () => undefined, keepBase: () => {} },
  };

  it('are read and saved after one question, and keep their owner and mode', async () => {
    await open();
    assert.equal(await textOf(at('root')), 'old');
    const saved = await documents.write(at('root'), order('new'), never);
    assert.deepEqual([saved.k, onDisk()], ['saved', ['new', 0, 0, 0o640]]);
    assert.deepEqual(fs.readdirSync(path.dirname(file)), ['for-root']);
    assert.deepEqual(asked, [{ host: 'lab', user: 'root', isRepeated: false }]);
    assert.deepEqual(known, [account.password]);
    assert.deepEqual(
      notes.map(({ what, facts }) => [what, facts]),
      [['fileSaved', { target: showPath(pathOfText(file)), as: 'root' }]],
    );
    assert.equal((await faultOf(documents.read(at(), never))).code, 'denied');
  });

  it('ask nobody when the editor reads them by itself', async () => {
    assert.equal((await faultOf(documents.read(at('root'), never))).code, 'answer-needed');
    assert.equal((await faultOf(documents.stat(at('root'), never))).code, 'answer-needed');
    assert.deepEqual([asked, bench.held], [[], []]);
  });

  it('ask again after 15 idle minutes, at the save of what has changed meanwhile', async () => {
    await open();
    await documents.read(at('root'), never);
    documents.follow(dirty);
    documents.dirtied(at('root'), true);
    await clock.advance(15 * 60_000);
    assert.deepEqual(bench.held, []);
    await documents.stat(at('root'), never);
    assert.equal((await documents.write(at('root'), order('later'), never)).k, 'saved');
    assert.deepEqual([asked.length, onDisk()[0]], [2, 'later']);
  });

  it('are left as they were, and hold nothing, when the person cancels the question', async () => {
    answers = [undefined];
    assert.equal((await faultOf(open())).code, 'cancelled');
    assert.deepEqual([onDisk(), bench.held, asked.length], [['old', 0, 0, 0o640], [], 1]);
  });

  it('are opened on a production host only when that is meant', async () => {
    [tier, isMeant] = ['prod', false];
    assert.equal((await faultOf(open())).code, 'cancelled');
    assert.deepEqual([asked, bench.held], [[{ host: 'lab', user: 'root' }], []]);
    isMeant = true;
    await open();
    assert.deepEqual(
      asked.map(({ isRepeated }) => isRepeated),
      [undefined, undefined, false],
    );
  });

  it('say that a password was wrong when they ask for another', async () => {
    answers = ['not this one', account.password];
    await open();
    assert.deepEqual(
      asked.map(({ isRepeated }) => isRepeated),
      [false, true],
    );
  });

  it('have a channel for each user whose rights are used', async () => {
    await open('root');
    await open('nobody');
    assert.equal(asked.length, 2);
    assert.equal(await textOf(at('root')), 'old');
    assert.equal((await faultOf(documents.read(at('nobody'), never))).code, 'denied');
  });

  it('are not reachable once the rights are given up', async () => {
    await open();
    elevated.close({ host: bench.host, as: 'root' });
    assert.deepEqual(bench.held, []);
    assert.equal((await faultOf(documents.read(at('root'), never))).code, 'answer-needed');
  });

  it('lose their channel when the host is edited to lead elsewhere, and keep it otherwise', async () => {
    await open();
    const place = { host: bench.host, as: 'root' };
    tier = 'dev';
    hostsChanged.fire();
    await documents.read(at('root'), never);
    assert.notEqual(elevated.current(place), undefined);
    address = '192.0.2.2';
    hostsChanged.fire();
    await until({ what: 'the closed channel', probe: () => elevated.current(place) === undefined });
    assert.equal((await faultOf(documents.read(at('root'), never))).code, 'answer-needed');
  });

  it('are not opened where the host led before it was edited in front of the question', async () => {
    const held = bench.held.length;
    onAsked = () => {
      address = '192.0.2.2';
      hostsChanged.fire();
      return 'waits';
    };
    assert.deepEqual([(await faultOf(open())).code, asked.length], ['cancelled', 1]);
    assert.deepEqual(
      [elevated.current({ host: bench.host, as: 'root' }), bench.held.length],
      [undefined, held],
    );
    onAsked = () => undefined;
    await open();
    assert.equal(asked.length, 2);
  });

  it('save with the rights of root what was opened without, compared with what was opened', async () => {
    fs.chmodSync(file, 0o644);
    assert.equal(await textOf(at()), 'old');
    const refused = await documents.write(at(), order('mine'), never);
    assert.deepEqual([refused.k, refused.k === 'failed' && refused.fault.code], ['failed', 'denied']);
    const saved = await documents.write(at(), { ...order('mine'), as: 'root' }, never);
    assert.deepEqual([saved.k, onDisk()], ['saved', ['mine', 0, 0, 0o644]]);
    assert.deepEqual(await saver.kept(), []);
    fs.writeFileSync(file, 'theirs');
    assert.equal((await documents.write(at(), { ...order('again'), as: 'root' }, never)).k, 'conflict');
  });

  it('that were not confirmed are saved again over the channel of their rights', async () => {
    await open();
    await documents.read(at('root'), never);
    elevated.close({ host: bench.host, as: 'root' });
    answers = [undefined];
    const failed = await documents.write(at('root'), order('kept'), never);
    assert.deepEqual([failed.k, onDisk()[0]], ['failed', 'old']);
    const [kept] = await saver.kept();
    assert.deepEqual([kept?.as, kept?.path], ['root', showPath(pathOfText(file))]);
    answers = [account.password];
    const again = await saver.retry(
      { id: kept?.id ?? '', files: documents.saveFiles({ host: bench.host, as: 'root' }) },
      never,
    );
    assert.deepEqual([again.k, onDisk()], ['saved', ['kept', 0, 0, 0o640]]);
  });

  it('have no trash, which would be in the home of somebody else', async () => {
    await open();
    assert.equal(await documents.trashFor(at('root'), never), undefined);
    assert.notEqual(await documents.trashFor({ ...at(), path: pathOfText(account.home) }, never), undefined);
  });

  it('open nothing to the tools of the assistant, which have the rights of the one who is signed in', async () => {
    await open();
    const lease = bench.lease('agent-sftp');
    const run = await bench.service.openOver(bench.host, lease, never);
    try {
      const reading = run.files.open(pathOfText(file), { access: 'read' }, never);
      assert.equal((await faultOf(reading)).code, 'denied');
    } finally {
      run.release();
    }
  });
});
