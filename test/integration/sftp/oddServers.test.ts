import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, describe, it } from 'mocha';
import { readDocument } from '../../../src/application/files/documents/readDocument.ts';
import { readContent } from '../../../src/application/files/save/remoteContent.ts';
import type { OptionalOperation } from '../../../src/application/ports/remoteFiles.ts';
import type { Fault } from '../../../src/domain/fault.ts';
import { showPath } from '../../../src/domain/files/remotePath.ts';
import {
  names,
  sftpType,
  status,
  string,
  wire,
  withoutExtensions,
  type SftpScript,
} from '../../lab/scriptedSftp.ts';
import { reordered, shortReads } from '../../lab/sftpScripts.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { faultOf, never, within } from '../ssh/sshBench.ts';
import { listAll, patterned, readAll, SftpFolder, writeAll } from './sftpBench.ts';

const size = 2_500_001;

describe('SFTP servers that behave differently', () => {
  const folder = new SftpFolder();
  after(() => folder.dispose());

  for (const [what, script] of [
    ['gives fewer bytes than were asked for', shortReads],
    ['answers in another order', reordered(7)],
    ['answers everything twice', { onReply: (reply) => [reply, reply] }],
    ['announces nothing', { onReply: (reply) => [withoutExtensions(reply)] }],
  ] satisfies [string, SftpScript][])
    it(`that ${what} gives and takes the right bytes`, async () => {
      const { files } = await folder.client(script);
      const at = folder.at('bytes');
      await writeAll(files, at.remote, patterned(size));
      assert.ok(fs.readFileSync(at.local).equals(patterned(size)));
      assert.ok((await readAll(files, at.remote)).equals(patterned(size)));
      assert.ok((await readAll(files, at.remote, size)).equals(patterned(size)));
    });

  it('that tells no limits gets 32 KiB at a time in packets of at most 34,000 bytes', async () => {
    const { files, server } = await folder.client({ onReply: (reply) => [withoutExtensions(reply)] });
    await writeAll(files, folder.at('small').remote, patterned(100_000));
    await readAll(files, folder.at('small').remote);
    assert.deepEqual([files.capabilities.maxRead, files.capabilities.maxWrite], [32_768, 32_768]);
    assert.ok(server.requests.every(({ body }) => body.length + 9 <= 34_000));
  });

  it('that lacks every extension refuses them unsent, and a rename is a plain one', async () => {
    const { files, server } = await folder.client({ onReply: (reply) => [withoutExtensions(reply)] });
    const at = folder.at('plain');
    fs.writeFileSync(at.local, 'x');
    const refusals = await Promise.all(
      [
        files.statvfs(at.remote, never),
        files.hardlink({ at: folder.at('second').remote, to: at.remote }, never),
        files.expandPath(at.remote, never),
        files.lsetstat(at.remote, { mode: 0o600 }, never),
        files.homeDirectory(undefined, never),
      ].map(faultOf),
    );
    assert.deepEqual(
      [...new Set(refusals.map(({ code, outcome }) => `${code} ${outcome}`))],
      ['unsupported not-sent'],
    );
    assert.equal(
      server.requests.some(({ type }) => type === sftpType.extended),
      false,
    );
    const moved = folder.at('moved').remote;
    assert.equal(await files.rename({ from: at.remote, to: moved, replace: true }, never), 'rename');
  });

  it('that refuses what it announced is not asked for it again', async () => {
    const refused: OptionalOperation[] = [];
    const { files, server } = await folder.client(
      {
        onRequest: (request, answer) => {
          if (!request.body.includes('posix-rename')) return request;
          answer(status(request.id, 8, 'no'));
          return undefined;
        },
      },
      { onRefused: (operation) => refused.push(operation) },
    );
    const [a, b] = [folder.at('a'), folder.at('b')];
    fs.writeFileSync(a.local, 'x');
    assert.equal(await files.rename({ from: a.remote, to: b.remote, replace: true }, never), 'rename');
    assert.equal(await files.rename({ from: b.remote, to: a.remote, replace: true }, never), 'rename');
    assert.deepEqual(refused, ['posixRename']);
    assert.equal(server.requests.filter(({ body }) => body.includes('posix-rename')).length, 1);
  });

  it('that answers code 4 to everything gives a clear fault for each request', async () => {
    const { files } = await folder.client({
      onRequest: (request, answer) => {
        if (request.type === sftpType.init) return request;
        answer(status(request.id, 4, 'Failure'));
        return undefined;
      },
    });
    const at = folder.at('anything').remote;
    const faults = await Promise.all(
      [
        files.stat(at, never),
        files.open(at, { access: 'write', create: 'ifMissing' }, never),
        files.mkdir(at, undefined, never),
        files.remove(at, never),
        files.rename({ from: at, to: folder.at('other').remote, replace: true }, never),
        files.realpath(at, never),
        listAll(files, at),
        files.setstat(at, { mode: 0o600 }, never),
      ].map(faultOf),
    );
    assert.deepEqual([...new Set(faults.map(({ code }) => code))], ['file-failed']);
    assert.equal((await faultOf(files.rmdir(at, never))).code, 'busy');
    assert.equal(files.isEnded, false);
  });

  it("that says why in words or in another version's codes is believed", async () => {
    const answers: [number, string, string][] = [
      [4, 'No space left on device', 'no-space'],
      [4, 'Disk quota exceeded', 'quota'],
      [4, 'open: Text file busy', 'busy'],
      [14, '', 'no-space'],
      [15, '', 'quota'],
      [11, '', 'exists'],
      [12, '', 'read-only'],
      [18, '', 'not-empty'],
    ];
    let next = 0;
    const { files } = await folder.client({
      onRequest: (request, answer) => {
        if (request.type !== sftpType.open) return request;
        const [code = 4, text = ''] = answers[next++] ?? [];
        answer(status(request.id, code, text));
        return undefined;
      },
    });
    const told: string[] = [];
    for (let n = 0; n < answers.length; n++)
      told.push((await faultOf(files.open(folder.at('said').remote, { access: 'write' }, never))).code);
    assert.deepEqual(
      told,
      answers.map(([, , code]) => code),
    );
  });

  for (const [what, available, expected] of [
    ['SFTP-7: no space left on its file system', 0n, 'no-space'],
    ['SFTP-7: a share that is used up while the file system has space', 1_000_000n, 'quota'],
  ] as const)
    it(`that refuses to write without a word is asked about it: ${what}`, async () => {
      const { files } = await folder.client({
        onRequest: (request, answer) => {
          if (request.type !== sftpType.write) return request;
          answer(status(request.id, 4));
          return undefined;
        },
        onReply: (reply, request) => {
          if (!request.body.includes('statvfs')) return [reply];
          const body = Buffer.from(reply.body);
          body.writeBigUInt64BE(available, 4 * 8);
          return [{ ...reply, body }];
        },
      });
      const fault = await faultOf(writeAll(files, folder.at('written').remote, Buffer.from('x')));
      assert.equal(fault.code, expected);
      if (expected === 'no-space')
        assert.ok(folder.folder.startsWith(fault.facts['path'] ?? '?'), fault.facts['path']);
    });

  const broken = (script: SftpScript, clock?: FakeClock): Promise<Fault> =>
    (async () => {
      const { files } = await folder.client(script, clock === undefined ? {} : { clock });
      fs.writeFileSync(folder.at('broken').local, patterned(50_000));
      const fault = await faultOf(readAll(files, folder.at('broken').remote));
      assert.deepEqual([(await files.ended).code, files.isEnded], ['sftp-broken', true]);
      return fault;
    })();

  for (const [what, script] of [
    [
      'TRAP-21: announces a packet above 256 KiB',
      {
        onReply: (reply, { type }, send) =>
          type === sftpType.read ? (send(Buffer.from([0, 4, 0, 1])), []) : [reply],
      },
    ],
    [
      'gives more bytes than were asked for',
      {
        onReply: (reply) => [
          reply.type === sftpType.data ? { ...reply, body: string(Buffer.alloc(261_121)) } : reply,
        ],
      },
    ],
    [
      'answers a request that was never made',
      { onReply: (reply) => [{ ...reply, id: reply.type === sftpType.data ? 77_777 : reply.id }] },
    ],
    [
      'answers with another kind of answer',
      { onReply: (reply) => [reply.type === sftpType.data ? names(reply.id, []) : reply] },
    ],
    [
      'answers a packet that is cut off',
      {
        onReply: (reply) => [
          reply.type === sftpType.data ? { ...reply, body: Buffer.from([0, 0, 0, 9]) } : reply,
        ],
      },
    ],
  ] satisfies [string, SftpScript][])
    it(`that ${what} is left with a clear fault`, async () => {
      const fault = await broken(script);
      assert.deepEqual([fault.code, fault.outcome], ['sftp-broken', 'failed']);
    });

  it('that lists names which lead out of the directory, or for ever, is not followed', async () => {
    let pages = 0;
    const { files } = await folder.client({
      onRequest: (request, answer) => {
        if (request.type !== sftpType.readdir) return request;
        pages += 1;
        const entries = pages === 1 ? ['../x', '/etc/passwd', 'a/b', '', 'good'] : [];
        answer(
          names(
            request.id,
            entries.map((name) => Buffer.from(name)),
          ),
        );
        return undefined;
      },
    });
    const refused: string[] = [];
    const kept: string[] = [];
    for await (const page of files.list(folder.at().remote, never)) {
      refused.push(...page.refused);
      kept.push(...page.entries.map(({ name }) => showPath(name)));
    }
    assert.deepEqual([kept, refused], [['good'], ['../x', '/etc/passwd', 'a/b', '']]);
  });

  for (const [what, read] of [
    ['a document', readDocument],
    ['the content that a save compares', readContent],
  ] as const)
    it(`that does not answer keeps no file open of which reading was given up: ${what}`, async () => {
      let tellRead = (): void => {};
      let tellClosed = (): void => {};
      const [isRead, isClosed] = [
        new Promise<void>((resolve) => (tellRead = resolve)),
        new Promise<void>((resolve) => (tellClosed = resolve)),
      ];
      const { files } = await folder.client({
        onRequest: (request) => {
          if (request.type === sftpType.close) tellClosed();
          if (request.type !== sftpType.read) return request;
          tellRead();
          return undefined;
        },
      });
      const { local, remote } = folder.at('given-up');
      fs.writeFileSync(local, 'some text');
      const stop = new AbortController();
      const reading = faultOf(read(files, remote, stop.signal));
      await within(isRead, 'the first request');
      stop.abort();
      assert.equal((await reading).code, 'cancelled');
      await within(isClosed, 'the file to be closed');
    });

  it('that falls silent is stalled after 30 seconds, and what would have changed something is unknown', async () => {
    const clock = new FakeClock();
    const { files } = await folder.client(
      {
        onRequest: (request) =>
          [sftpType.init, sftpType.extended].includes(request.type as 1) ? request : undefined,
      },
      { clock },
    );
    await files.statvfs(folder.at().remote, never); // answered behind the limits, so nothing is on its way
    const at = folder.at('silent').remote;
    const [reading, removing] = [faultOf(files.stat(at, never)), faultOf(files.remove(at, never))];
    await clock.advance(29_999);
    assert.equal(files.isEnded, false);
    await clock.advance(1);
    const [read, removed] = await Promise.all([reading, removing]);
    assert.deepEqual([read.code, read.outcome], ['stalled', 'failed']);
    assert.deepEqual(
      [removed.code, removed.outcome, removed.facts['cause']],
      ['outcome-unknown', 'unknown', 'stalled'],
    );
    assert.deepEqual([(await files.ended).code, clock.pending], ['stalled', 0]);
  });

  it('that is asked for nothing may be silent as long as it likes', async () => {
    const clock = new FakeClock();
    const { files } = await folder.client({}, { clock });
    await files.stat(folder.at().remote, never);
    await clock.advance(3_600_000);
    assert.deepEqual([files.isEnded, clock.pending], [false, 0]);
    await files.stat(folder.at().remote, never);
  });

  it('that flushes or copies may be silent for five minutes', async () => {
    const clock = new FakeClock();
    const held: (() => void)[] = [];
    const { files } = await folder.client(
      {
        onReply: (reply, request, send) => {
          if (!request.body.includes('fsync')) return [reply];
          held.push(() => send(wire(reply)));
          return [];
        },
      },
      { clock },
    );
    const file = await files.open(
      folder.at('flushed').remote,
      { access: 'write', create: 'ifMissing' },
      never,
    );
    const flushing = file.fsync(never);
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(299_000);
    held[0]?.();
    await flushing;
    await file.close(never);
  });

  it('that tells its limits late answers other questions meanwhile, and opens files when they are known', async () => {
    const told: (() => void)[] = [];
    const { files, server } = await folder.client({
      onReply: (reply, request, send) => {
        if (!request.body.includes('limits')) return [reply];
        told.push(() => send(wire(reply)));
        return [];
      },
    });
    const at = folder.at('file');
    fs.writeFileSync(at.local, Buffer.alloc(300_000, 1));
    await files.stat(at.remote, never);
    assert.equal(files.capabilities.maxRead, 32 * 1024);
    const isClosed = (): boolean => server.requests.some(({ type }) => type === sftpType.close);
    const leaving = new AbortController();
    const left = faultOf(files.open(at.remote, { access: 'read' }, leaving.signal));
    const opening = files.open(at.remote, { access: 'read' }, never);
    await files.stat(at.remote, never); // behind the answers to both
    leaving.abort();
    assert.deepEqual([(await left).code, (await left).outcome], ['cancelled', 'failed']);
    while (!isClosed()) await new Promise((resolve) => setImmediate(resolve));
    while (told.length === 0) await new Promise((resolve) => setImmediate(resolve));
    told[0]?.();
    const file = await opening;
    assert.equal(files.capabilities.maxRead, 261_120);
    assert.equal((await file.read(0, 300_000, never)).length, 261_120);
  });

  it('that leaves one request unanswered while it serves others ends only that one', async () => {
    const clock = new FakeClock();
    const { files } = await folder.client(
      { onRequest: (request) => (request.body.includes('forgotten') ? undefined : request) },
      { clock },
    );
    const forgotten = faultOf(files.remove(folder.at('forgotten').remote, never));
    let isTold = false;
    void forgotten.then(() => (isTold = true));
    for (let n = 0; n < 100; n++) {
      await clock.advance(2_000);
      await files.stat(folder.at().remote, never);
    }
    await clock.advance(0);
    assert.equal(isTold, true);
    assert.deepEqual([(await forgotten).code, files.isEnded], ['outcome-unknown', false]);
    await files.stat(folder.at().remote, never);
  });

  it('that ends in the middle ends every request', async () => {
    const { files, server } = await folder.client({
      onRequest: (request) =>
        request.type === sftpType.init || request.body.includes('limits') ? request : undefined,
    });
    const at = folder.at('gone').remote;
    const [reading, removing] = [faultOf(files.stat(at, never)), faultOf(files.remove(at, never))];
    while (server.requests.length < 4) await new Promise((resolve) => setImmediate(resolve));
    server.stop();
    const [read, removed] = await Promise.all([reading, removing]);
    assert.deepEqual(
      [read.code, removed.code, (await files.ended).code],
      ['sftp-ended', 'outcome-unknown', 'sftp-ended'],
    );
  });

  it('SFTP-1: that begins with text is noise, and the text is told', async () => {
    const fault = await faultOf(folder.client({ noise: 'Welcome to \x1b[33mhost\x1b[0m\n' }));
    assert.deepEqual([fault.code, fault.facts['text']], ['sftp-noise', 'Welcome to \\x1b[33mhost\\x1b[0m']);
  });

  it('that speaks an older version is no use', async () => {
    const fault = await faultOf(
      folder.client({ onReply: (reply) => [reply.type === sftpType.version ? { ...reply, id: 2 } : reply] }),
    );
    assert.deepEqual(
      [fault.code, fault.facts['reason']],
      ['sftp-broken', 'it speaks only version 2 of SFTP'],
    );
  });
});
