import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/agentkit/index.ts';
import type { SavedFile, SaveOutcome } from '../../../src/application/files/save/fileSaving.ts';
import type { HostCommands } from '../../../src/application/ports/hostCommands.ts';
import { sha256Of, stampOf } from '../../../src/domain/files/contentStamp.ts';
import type { ShellFamily } from '../../../src/domain/host/host.ts';
import { hostCommands } from '../../../src/infrastructure/sftp/hostCommands.ts';
import { canCreateAccounts, currentAccount } from '../../lab/account.ts';
import { sftpType, status, wire, type SftpPacket } from '../../lab/scriptedSftp.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { skipBecause } from '../../skip.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { never, startServer, targetOf } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';
import { SaveBench, savingWindow } from './saveBench.ts';
import { patterned } from './sftpBench.ts';

describe('saving a file', function () {
  this.timeout(60_000);
  let server: Sshd;
  let connection: FilesBench;
  let bench: SaveBench;
  before(async () => {
    server = await startServer({ account: currentAccount() });
    connection = await FilesBench.open(targetOf(server));
  });
  after(async () => {
    await connection.dispose();
    await server.stop();
  });
  beforeEach(() => {
    bench = SaveBench.over(connection.transport);
  });
  afterEach(() => bench.dispose());

  const text = (name: string): string | undefined => bench.read(name)?.toString();

  it('puts a new file into the place of a plain one, with its mode', async () => {
    fs.writeFileSync(bench.at('plain'), 'old');
    fs.chmodSync(bench.at('plain'), 0o640);
    const { ino } = fs.statSync(bench.at('plain'));
    const saved = saidSaved(await bench.window().save(bench.request('plain', patterned(700_000)), never));
    const { mode, mtime } = fs.statSync(bench.at('plain'));
    assert.deepEqual(bench.read('plain'), patterned(700_000));
    assert.deepEqual(saved, {
      k: 'saved',
      stamp: { ...stampOf(patterned(700_000)), mtime: Math.floor(mtime.getTime() / 1_000) },
      way: 'replaced',
      because: undefined,
      backup: undefined,
      warnings: [],
      isSuperseded: false,
    });
    assert.notEqual(fs.statSync(bench.at('plain')).ino, ino);
    assert.equal(mode & 0o7777, 0o640);
    assert.deepEqual([bench.names(), await bench.window().kept()], [['plain'], []]);
  });

  it('makes a file with the mode that the server gives, or with the one that was asked for', async () => {
    fs.writeFileSync(bench.at('by another program'), 'x');
    saidSaved(await bench.window().save(bench.request('usual', 'x'), never));
    assert.equal(fs.statSync(bench.at('usual')).mode, fs.statSync(bench.at('by another program')).mode);
    saidSaved(await bench.window().save(bench.request('chosen', 'x', { mode: 0o751 }), never));
    assert.equal(fs.statSync(bench.at('chosen')).mode & 0o7777, 0o751);
  });

  it('finds a change of the same size in the same second, and writes over it when it is told so', async () => {
    fs.writeFileSync(bench.at('file'), 'one');
    const times = fs.statSync(bench.at('file'));
    const request = bench.request('file', 'mine');
    fs.writeFileSync(bench.at('file'), 'two');
    fs.utimesSync(bench.at('file'), times.atime, times.mtime);
    const saver = bench.window();
    const conflict = await saver.save(request, never);
    if (conflict.k !== 'conflict') assert.fail(conflict.k);
    assert.deepEqual([text('file'), Buffer.from(conflict.theirs?.content ?? '').toString()], ['two', 'two']);
    assert.deepEqual(
      (await saver.kept()).map(({ id }) => id),
      [conflict.kept],
    );
    const base = conflict.theirs?.stamp ?? 'missing';
    assert.equal(saidSaved(await saver.save({ ...request, base }, never)).way, 'replaced');
    assert.deepEqual([text('file'), await saver.kept()], ['mine', []]);
  });

  it('does not bring back a file that somebody has removed, unless it is told so', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    const request = bench.request('file', 'mine');
    fs.rmSync(bench.at('file'));
    const saver = bench.window();
    const conflict = await saver.save(request, never);
    assert.deepEqual(conflict, {
      k: 'conflict',
      theirs: undefined,
      kept: 'kept' in conflict ? conflict.kept : '',
    });
    assert.equal(saidSaved(await saver.save({ ...request, base: 'missing' }, never)).way, 'created');
  });

  it('does not write over a file that somebody has made', async () => {
    const request = bench.request('file', 'mine');
    fs.writeFileSync(bench.at('file'), 'theirs');
    assert.equal((await bench.window().save(request, never)).k, 'conflict');
    assert.equal(text('file'), 'theirs');
    const anyway = saidSaved(await bench.window().save({ ...request, base: 'anything' }, never));
    assert.deepEqual([anyway.way, text('file')], ['replaced', 'mine']);
  });

  it('does not write what is there already', async () => {
    const request = bench.request('file', 'same');
    fs.writeFileSync(bench.at('file'), 'same');
    const { ino } = fs.statSync(bench.at('file'));
    const saved = saidSaved(await bench.window().save(request, never));
    assert.deepEqual([saved.way, fs.statSync(bench.at('file')).ino], ['unchanged', ino]);
  });

  it('keeps a file with two names the same file', async () => {
    fs.writeFileSync(bench.at('file'), 'a longer old content');
    fs.linkSync(bench.at('file'), bench.at('other'));
    const saved = saidSaved(await bench.window().save(bench.request('file', 'short'), never));
    assert.deepEqual([saved.way, saved.because], ['inPlace', 'links']);
    assert.deepEqual([text('file'), text('other'), bench.names()], ['short', 'short', ['file', 'other']]);
  });

  it('writes behind a link, which stays', async () => {
    fs.mkdirSync(bench.at('real'));
    fs.writeFileSync(bench.at('real/file'), 'old');
    fs.symlinkSync('real/file', bench.at('link'));
    saidSaved(await bench.window().save(bench.request('link', 'new'), never));
    assert.deepEqual(
      [fs.readlinkSync(bench.at('link')), fs.readFileSync(bench.at('real/file'), 'utf8')],
      ['real/file', 'new'],
    );
    assert.deepEqual(fs.readdirSync(bench.at('real')), ['file']);
  });

  for (const [what, owner, expected] of [
    ['owner', { uid: 12_345, gid: 0 }, { way: 'inPlace', because: 'owner' }],
    ['group', { uid: 0, gid: 12_345 }, { way: 'replaced', because: undefined }],
  ] as const)
    it(`keeps the ${what} of a file`, async function () {
      if (!canCreateAccounts()) skipBecause(this, 'only root gives files to others');
      fs.writeFileSync(bench.at('file'), 'old');
      fs.chownSync(bench.at('file'), owner.uid, owner.gid);
      const { way, because } = saidSaved(await bench.window().save(bench.request('file', 'new'), never));
      const { uid, gid } = fs.statSync(bench.at('file'));
      assert.deepEqual([{ way, because }, { uid, gid }, text('file')], [expected, owner, 'new']);
    });

  it('writes in place where nothing can be made beside, with the backup where the server starts', async () => {
    fs.mkdirSync(bench.at('closed'));
    fs.writeFileSync(bench.at('closed/file'), 'old');
    const refused = `${bench.at('closed')}/.`;
    const files = bench.files([
      {
        onRequest: (request, answer) => {
          if (request.type !== sftpType.open || !pathIn(request).startsWith(refused)) return request;
          answer(status(request.id, 3));
          return undefined;
        },
      },
    ]);
    const request = { ...bench.request('closed/file', 'new', { files }), base: stampOf(Buffer.from('old')) };
    const saved = saidSaved(await bench.window().save(request, never));
    assert.deepEqual([saved.way, saved.because, saved.warnings], ['inPlace', 'directory', []]);
    assert.equal(fs.readFileSync(bench.at('closed/file'), 'utf8'), 'new');
    assert.deepEqual(fs.readdirSync(bench.at('closed')), ['file']);
  });

  it('lets the newest of several saves stand for those in between, each after the other', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    const saver = bench.window();
    let tellBegun: () => void = () => {};
    const begun = new Promise<void>((resolve) => (tellBegun = resolve));
    const files = bench.files([
      {
        onRequest: (request) => {
          if (request.type === sftpType.write) tellBegun();
          return request;
        },
      },
    ]);
    const saves = [saver.save(bench.request('file', 'first', { files }), never)];
    const others = ['second', 'third'].map((content) => bench.request('file', content));
    await begun;
    saves.push(...others.map((request) => saver.save(request, never)));
    const outcomes = (await Promise.all(saves)).map(saidSaved);
    assert.deepEqual(
      outcomes.map(({ way, isSuperseded, stamp }) => [way, isSuperseded, stamp.sha256]),
      [
        ['replaced', false, sha256Of(Buffer.from('first'))],
        ['replaced', true, sha256Of(Buffer.from('third'))],
        ['replaced', false, sha256Of(Buffer.from('third'))],
      ],
    );
    assert.deepEqual([text('file'), bench.names(), await saver.kept()], ['third', ['file'], []]);
  });

  it('compares the save of another writer with what the first one leaves', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    const saver = bench.window();
    const [mine, theirs] = await Promise.all([
      saver.save(bench.request('file', 'of the editor'), never),
      saver.save(bench.request('file', 'of a run', { writer: 'run' }), never),
    ]);
    assert.deepEqual([mine.k, theirs.k, text('file')], ['saved', 'conflict', 'of the editor']);
  });

  it('writes one save at a time into a file that has two paths', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    fs.symlinkSync('file', bench.at('link'));
    const saver = bench.window();
    const outcomes = await Promise.all([
      saver.save(bench.request('file', 'by its name'), never),
      saver.save(bench.request('link', 'by its link', { writer: 'run' }), never),
    ]);
    assert.deepEqual(outcomes.map(({ k }) => k).sort(), ['conflict', 'saved']);
    assert.deepEqual(bench.names(), ['file', 'link']);
  });

  it('leaves the file alone when the person stops while it is sent', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    const stop = new AbortController();
    const files = bench.files([
      {
        onRequest: (request) => {
          if (request.type === sftpType.write) stop.abort();
          return request;
        },
      },
    ]);
    const saver = bench.window();
    const outcome = await saver.save(bench.request('file', patterned(600_000), { files }), stop.signal);
    if (outcome.k !== 'failed') assert.fail(outcome.k);
    assert.deepEqual([outcome.fault.code, text('file'), bench.names()], ['cancelled', 'old', ['file']]);
    assert.deepEqual(
      (await saver.kept()).map(({ id }) => id),
      [outcome.kept],
    );
  });

  it('goes on when the person stops while the file is replaced', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    const stop = new AbortController();
    const files = bench.files([
      {
        onRequest: (request) => {
          if (request.body.includes('posix-rename')) stop.abort();
          return request;
        },
      },
    ]);
    saidSaved(await bench.window().save(bench.request('file', 'new', { files }), stop.signal));
    assert.deepEqual([text('file'), bench.names()], ['new', ['file']]);
  });

  it('keeps the content on this machine when the host cannot be reached', async () => {
    const saver = bench.window();
    const outcome = await saver.save(bench.request('file', 'not sent', { files: bench.files([]) }), never);
    if (outcome.k !== 'failed') assert.fail(outcome.k);
    const [kept] = await bench.window().kept();
    assert.deepEqual([kept?.id, kept?.path, kept?.base], [outcome.kept, bench.at('file'), 'missing']);
    assert.equal(Buffer.from(await saver.keptContent(kept?.id ?? '')).toString(), 'not sent');
    await saver.discard(kept?.id ?? '');
    assert.deepEqual(await bench.window().kept(), []);
    assert.deepEqual(bench.names(), []);
  });

  it('forgets what was done again, and keeps what was kept later', async () => {
    const unreachable = bench.files([]);
    const first = await bench.window().save(bench.request('file', 'first', { files: unreachable }), never);
    const later = await bench.window().save(bench.request('file', 'later', { files: unreachable }), never);
    if (first.k !== 'failed' || later.k !== 'failed') assert.fail('nobody was reached');
    const behind = savingWindow(bench.kept, { now: () => 0 });
    assert.equal((await behind.retry({ id: first.kept ?? '', files: bench.files() }, never)).k, 'saved');
    assert.deepEqual(
      (await behind.kept()).map(({ id }) => id),
      [later.kept],
    );
  });

  it('sends nothing when the content cannot be kept', async () => {
    fs.writeFileSync(bench.kept, 'a file where the folder should be');
    const files = bench.files();
    const outcome = await bench.window().save(bench.request('file', 'x', { files }), never);
    if (outcome.k !== 'failed') assert.fail(outcome.k);
    assert.deepEqual([outcome.fault.stage, outcome.kept, files.sessions], ['local', undefined, []]);
  });

  it('keeps the five newest backups, and brings one back', async () => {
    fs.writeFileSync(bench.at('file'), 'content 0');
    const saver = bench.window();
    let saved: SavedFile | undefined;
    for (let n = 1; n <= 7; n++)
      saved = saidSaved(
        await saver.save(bench.request('file', `content ${String(n)}`, { keepBackup: true }), never),
      );
    const backups = bench.names().filter((name) => name !== 'file');
    assert.equal(backups.length, 5);
    assert.deepEqual(backups.map(text).includes('content 6'), true);
    if (saved?.backup === undefined) assert.fail('there is a backup');
    fs.symlinkSync('file', bench.at('link'));
    const listed = await saver.backups(bench.request('link', ''), never);
    assert.deepEqual(listed[0]?.path, saved.backup);
    assert.deepEqual(
      listed.map((one) => fs.readFileSync(Buffer.from(one.path), 'utf8')),
      [6, 5, 4, 3, 2].map((n) => `content ${String(n)}`),
    );
    const { content: _none, ...request } = bench.request('file', '');
    const undone = await saver.undo({ ...request, base: saved.stamp, backup: saved.backup }, never);
    assert.deepEqual([undone.k, text('file')], ['saved', 'content 6']);
    const again = await saver.undo({ ...request, base: saved.stamp, backup: saved.backup }, never);
    assert.equal(again.k, 'saved', 'the file holds it already');
    fs.writeFileSync(bench.at('file'), 'of somebody else');
    const late = await saver.undo({ ...request, base: saved.stamp, backup: saved.backup }, never);
    assert.deepEqual([late.k, text('file')], ['conflict', 'of somebody else']);
  });

  it('keeps a backup of a file that is written in place', async () => {
    fs.writeFileSync(bench.at('file'), 'old');
    fs.linkSync(bench.at('file'), bench.at('other'));
    const saved = saidSaved(
      await bench.window().save(bench.request('file', 'new', { keepBackup: true }), never),
    );
    const [backup] = bench.names().filter((name) => name.endsWith('.old'));
    assert.deepEqual([saved.way, text(backup ?? '')], ['inPlace', 'old']);
    assert.equal(fs.statSync(bench.at(backup ?? '')).mode & 0o7777, 0o600);
  });

  it('says that a file is damaged when the server neither takes the new content nor the old one back', async () => {
    fs.writeFileSync(bench.at('file'), patterned(600_000));
    fs.linkSync(bench.at('file'), bench.at('other'));
    const target = watchTarget(bench.at('file'));
    let writes = 0;
    const files = bench.files([
      {
        onRequest: (request, answer) => {
          const isRefused = target.writes(request) ? ++writes > 1 : target.opens(request) && writes > 0;
          if (!isRefused) return request;
          answer(status(request.id, 3));
          return undefined;
        },
        onReply: (reply, request) => {
          target.opened(reply, request);
          return [reply];
        },
      },
    ]);
    const saver = bench.window();
    const content = Buffer.alloc(600_000, 'n');
    const outcome = await saver.save(bench.request('file', content, { files }), never);
    if (outcome.k !== 'damaged') assert.fail(outcome.k);
    assert.equal(outcome.fault.code, 'denied');
    assert.deepEqual(fs.readFileSync(Buffer.from(outcome.backup)), patterned(600_000));
    assert.equal((await saver.retry({ id: outcome.kept, files: bench.files() }, never)).k, 'saved');
    assert.deepEqual([bench.read('other'), bench.names()], [content, ['file', 'other']]);
  });

  describe('that is half written', () => {
    /** The link is cut behind the first byte of the new content, and does not come back. */
    async function damage(name = 'file'): Promise<string> {
      fs.writeFileSync(bench.at('file'), patterned(600_000));
      fs.linkSync(bench.at('file'), bench.at('other'));
      const isOfTarget = watchTarget(bench.at('file'));
      let writes = 0;
      const files = bench.files([
        {
          onRequest: (request) => {
            if (isOfTarget.writes(request) && ++writes === 2) files.stop();
            return request;
          },
          onReply: (reply, request) => {
            isOfTarget.opened(reply, request);
            return [reply];
          },
        },
      ]);
      const content = Buffer.alloc(600_000, 'n');
      if (name !== 'file') fs.symlinkSync('file', bench.at(name));
      const outcome = await bench.window().save(bench.request(name, content, { files }), never);
      if (outcome.k !== 'unknown') assert.fail(outcome.k);
      return outcome.kept;
    }

    it('is found to be so, gets its old content back, and can be saved again', async () => {
      const id = await damage();
      const saver = bench.window();
      const request = { id, files: bench.files() };
      const found = await saver.examine(request, never);
      assert.equal(found.k, 'damaged');
      assert.deepEqual(await saver.restore(request, never), { k: 'retry' });
      assert.deepEqual([bench.read('other'), bench.names()], [patterned(600_000), ['file', 'other']]);
      assert.equal((await saver.retry(request, never)).k, 'saved');
      assert.deepEqual([bench.read('other'), bench.names()], [Buffer.alloc(600_000, 'n'), ['file', 'other']]);
      assert.deepEqual(await saver.kept(), []);
    });

    it('is whole again before the same writer saves something else', async () => {
      await damage();
      const request = bench.request('file', 'the next one');
      const outcome = await bench.window().save({ ...request, base: stampOf(patterned(600_000)) }, never);
      assert.equal(outcome.k, 'saved');
      assert.deepEqual([text('other'), bench.names()], ['the next one', ['file', 'other']]);
      assert.deepEqual(await bench.window().kept(), []);
    });

    it('by a link is whole again before it is saved by its name', async () => {
      await damage('link');
      const request = bench.request('file', 'the next one', { base: stampOf(patterned(600_000)) });
      const outcome = await bench.window().save(request, never);
      assert.deepEqual([outcome.k, text('other')?.slice(0, 20)], ['saved', 'the next one']);
    });

    it('by a link is not looked at while it is saved by its name', async () => {
      const id = await damage('link');
      const saver = bench.window();
      const order: string[] = [];
      let goOn: (() => void) | undefined;
      let tellHeld: () => void = () => {};
      const isHeld = new Promise<void>((resolve) => (tellHeld = resolve));
      const files = bench.files([
        {
          onReply: (reply, request, send) => {
            if (request.type !== sftpType.write || goOn !== undefined) return [reply];
            goOn = () => send(wire(reply));
            tellHeld();
            return [];
          },
        },
      ]);
      const request = bench.request('file', 'the next one', { files, base: stampOf(patterned(600_000)) });
      const saving = saver.save(request, never).then(({ k }) => order.push(k));
      await withinDeadline('the first write', isHeld);
      const others = bench.files();
      const looking = saver.examine(
        {
          id,
          files: {
            use: (work) => {
              order.push('looked at');
              return others.use(work);
            },
          },
        },
        never,
      );
      for (let read = 0; read < 5; read++) await saver.kept(); // as the other one reads it
      goOn?.();
      await Promise.all([saving, looking]);
      assert.equal(order[0], 'saved');
    });

    it('is left to the person when somebody has written into it since', async () => {
      const id = await damage();
      fs.writeFileSync(bench.at('file'), 'by hand');
      const saver = bench.window();
      const found = await saver.examine({ id, files: bench.files() }, never);
      assert.equal(found.k, 'conflict');
      assert.equal((await saver.retry({ id, files: bench.files() }, never)).k, 'conflict');
      assert.equal(text('file'), 'by hand');
    });
  });

  describe('with commands', () => {
    const commands = (shellFamily?: ShellFamily): HostCommands =>
      hostCommands(connection.host, {
        connections: connection.connections,
        facts: {
          get: async () => undefined,
          facts: async () => (shellFamily === undefined ? {} : { shellFamily }),
        },
        clock: systemClock,
      });

    it('asks the host for the digest of a large file, and reads none of it', async () => {
      fs.writeFileSync(bench.at('large'), patterned(5_000_000));
      const files = bench.files();
      const request = bench.request('large', patterned(5_000_001), { files });
      assert.equal(saidSaved(await bench.window(commands('posix')).save(request, never)).way, 'replaced');
      assert.equal(files.sessions[0]?.filter(({ type }) => type === sftpType.read).length, 0);
      assert.deepEqual([bench.read('large'), connection.held], [patterned(5_000_001), []]);
    });

    it('asks how many names a file has', async () => {
      fs.writeFileSync(bench.at('file'), 'old');
      fs.linkSync(bench.at('file'), bench.at("it's $(other)"));
      const files = bench.files();
      const request = bench.request('file', 'new', { files });
      assert.equal(saidSaved(await bench.window(commands('posix')).save(request, never)).because, 'links');
      assert.equal(files.sessions[0]?.filter(({ type }) => type === sftpType.opendir).length, 0);
    });

    it('writes a file with an access list in place', async () => {
      fs.writeFileSync(bench.at('file'), 'old');
      const ls: HostCommands = {
        run: async () => ({ stdout: Buffer.from('-rw-r-----+ 1 op staff 3 Dec  1 02:00 file\n'), code: 0 }),
      };
      const saved = saidSaved(await bench.window(ls).save(bench.request('file', 'new'), never));
      assert.deepEqual([saved.way, saved.because, text('file')], ['inPlace', 'accessList', 'new']);
    });

    it('says when the label of the old file could not be put on the new one', async () => {
      fs.writeFileSync(bench.at('file'), 'old');
      const asked: string[] = [];
      const labelled: HostCommands = {
        run: async ({ script }) => {
          asked.push(script.split(' ', 1)[0] ?? '');
          return script.startsWith('ls')
            ? { stdout: Buffer.from('-rw-r-----. 1 op staff 3 Dec  1 02:00 file\n'), code: 0 }
            : { stdout: Buffer.from(''), code: 1 };
        },
      };
      const saved = saidSaved(await bench.window(labelled).save(bench.request('file', 'new'), never));
      assert.deepEqual([saved.way, saved.warnings, asked], ['replaced', ['label'], ['ls', 'chcon']]);
    });

    for (const [what, help] of [
      ['fail', () => ({ run: async () => ({ stdout: Buffer.from('busy'), code: 1 }) })],
      ['are not run, because the shell of the host is not known', () => commands()],
    ] as const)
      it(`does without them where they ${what}`, async () => {
        fs.writeFileSync(bench.at('file'), 'old');
        const saved = saidSaved(await bench.window(help()).save(bench.request('file', 'new'), never));
        assert.deepEqual([saved.way, text('file'), connection.held], ['replaced', 'new', []]);
      });
  });
});

/** The path or handle that a request begins with. */
function pathIn({ body }: SftpPacket): string {
  return body.subarray(4, 4 + body.readUInt32BE(0)).toString('latin1');
}

/** Knows which requests write to one path. Source: draft-ietf-secsh-filexfer-02 section 6.3. */
function watchTarget(path: string): {
  opened(reply: SftpPacket, request: SftpPacket): void;
  opens(request: SftpPacket): boolean;
  writes(request: SftpPacket): boolean;
} {
  const handles = new Set<string>();
  return {
    opened: (reply, request) => {
      if (reply.type !== sftpType.handle || request.type !== sftpType.open) return;
      if (pathIn(request) === path) handles.add(pathIn(reply));
      else handles.delete(pathIn(reply));
    },
    opens: (request) => {
      const flags =
        request.type === sftpType.open ? request.body.readUInt32BE(4 + request.body.readUInt32BE(0)) : 0;
      return (flags & 0x02) !== 0 && pathIn(request) === path;
    },
    writes: (request) => request.type === sftpType.write && handles.has(pathIn(request)),
  };
}

function saidSaved(outcome: SaveOutcome): SavedFile {
  if (outcome.k !== 'saved')
    assert.fail('fault' in outcome ? JSON.stringify(outcome.fault) : `it ended as ${outcome.k}`);
  return outcome;
}
