import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { listFolder } from '../../../src/application/files/documents/listFolder.ts';
import type { FolderOutcome, RemotePlace } from '../../../src/application/transfer/engine/transfer.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import {
  names,
  sftpType,
  status,
  string,
  withoutExtensions,
  type SftpPacket,
  type SftpScript,
} from '../../lab/scriptedSftp.ts';
import { reordered, shortReads } from '../../lab/sftpScripts.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { never, TransferBench, treeOf } from './transferBench.ts';

/** What a server can hold and a person should not have to think about, as bytes. */
const oddNames = [
  Buffer.from('two\nlines'),
  Buffer.from('\x1b[31mred\x07'),
  Buffer.from('-rf'),
  Buffer.from(' $(id)`"\'\\'),
  Buffer.from('caf\xe9', 'latin1'),
  Buffer.from('n'.repeat(255)),
  Buffer.from('.hidden'),
];
const sizes = [0, 1, 32_768, 70_001, 600_017];

/** Fills a folder with files of odd names and of several sizes, and folders of odd names. */
function fill(folder: string): void {
  const at = (...parts: readonly Buffer[]): Buffer =>
    Buffer.concat([Buffer.from(folder), ...parts.flatMap((part) => [Buffer.from('/'), part])]);
  for (const [index, name] of oddNames.entries()) writeFileSync(at(name), patterned(1_000 + index));
  for (const size of sizes) writeFileSync(at(Buffer.from(`size ${String(size)}`)), patterned(size));
  const inside = Buffer.from('d\xe9 \x1b[2J', 'latin1');
  mkdirSync(at(inside));
  writeFileSync(at(inside, Buffer.from('inside')), patterned(5_000));
}

describe('a whole folder and a server that behaves differently', () => {
  let bench: TransferBench;
  const prepare = (made: TransferBench): void => {
    bench = made;
    mkdirSync(path.join(bench.remote, 'from'));
    fill(path.join(bench.remote, 'from'));
  };
  beforeEach(() => prepare(new TransferBench()));
  afterEach(() => bench.dispose());

  const remoteTree = (name: string): Readonly<Record<string, string>> =>
    treeOf(path.join(bench.remote, name));
  const localTree = (name: string): Readonly<Record<string, string>> => treeOf(path.join(bench.local, name));

  function download(from: RemotePlace): Promise<FolderOutcome> {
    return bench.engine.folder({ from, to: bench.here('to'), existing: 'skip' }, never);
  }

  /** Names and refused names as a listing for people gets them. */
  async function list(place: RemotePlace): Promise<readonly string[]> {
    const held = await place.open(never);
    try {
      const listing = await listFolder(held.files, { path: place.path, maxEntries: 1_000 }, never);
      return listing.entries.map(({ name }) => Buffer.from(name).toString('latin1')).sort();
    } finally {
      held.release();
    }
  }

  for (const [what, script] of [
    ['gives fewer bytes than were asked for', () => shortReads],
    ['answers in another order', () => reordered(7)],
    ['answers everything twice', () => ({ onReply: (reply) => [reply, reply] })],
    ['announces nothing', () => ({ onReply: (reply) => [withoutExtensions(reply)] })],
    ['sends its answers byte by byte', () => ({ byteByByte: true })],
  ] satisfies [string, () => SftpScript][])
    describe(`that ${what}`, () => {
      it('is listed, and downloaded as it is', async () => {
        const top = readdirSync(path.join(bench.remote, 'from'), { encoding: 'latin1' }).sort();
        assert.deepEqual(await list(bench.there('from', script())), top);
        const outcome = await download(bench.there('from', script()));
        assert.deepEqual([outcome.failed, outcome.failures], [0, []]);
        assert.deepEqual(localTree('to'), remoteTree('from'));
      });

      it('gets what is uploaded as it is', async () => {
        mkdirSync(path.join(bench.local, 'site'));
        fill(path.join(bench.local, 'site'));
        const outcome = await bench.engine.folder(
          { from: bench.here('site'), to: bench.there('site', script()), existing: 'skip' },
          never,
        );
        assert.deepEqual([outcome.failed, outcome.failures], [0, []]);
        assert.deepEqual(remoteTree('site'), localTree('site'));
      });
    });

  it('that lists names which lead out of the folder shows them as refused, fit to be read', async () => {
    const hostile = ['../x', '/etc/passwd', 'a/b', '\x1b[2J/\n'];
    let isFirst = true;
    const place = bench.there('from', {
      onReply: (reply, request) => {
        if (request.type !== sftpType.readdir || !isFirst) return [reply];
        isFirst = false;
        return [
          names(
            reply.id,
            ['good', ...hostile].map((name) => Buffer.from(name)),
          ),
        ];
      },
    });
    const held = await place.open(never);
    const listing = await listFolder(held.files, { path: place.path, maxEntries: 1 }, never);
    held.release();
    assert.deepEqual(
      [listing.entries.map(({ name }) => Buffer.from(name).toString()), listing.refused],
      [['good'], ['../x', '/etc/passwd', 'a/b', '\\x1b[2J/\\x0a']],
    );
  });

  it('that grants one channel, which others use too, is downloaded over that one', async () => {
    const place = bench.there('from');
    const shared: RemotePlace = {
      ...place,
      open: async (signal) => ({ ...(await place.open(signal)), isShared: true }),
    };
    const outcome = await download(shared);
    assert.deepEqual([outcome.failed, bench.servers.length], [0, 1]);
    assert.deepEqual(localTree('to'), remoteTree('from'));
  });

  for (const [what, script] of [
    [
      'gives more bytes than were asked for',
      dataAs((reply) => ({ ...reply, body: string(Buffer.alloc(261_121)) })),
    ],
    ['answers a request that was never made', dataAs((reply) => ({ ...reply, id: 77_777 }))],
    ['answers with another kind of answer', dataAs((reply) => names(reply.id, []))],
    ['answers a packet that is cut off', dataAs((reply) => ({ ...reply, body: Buffer.from([0, 0, 0, 9]) }))],
  ] satisfies [string, SftpScript][])
    it(`that ${what} ends with a clear fault, and nothing here is what it is not`, async () => {
      await refusedDownload(script);
    });

  it('that ends in the middle ends with a clear fault, and nothing here is what it is not', async () => {
    await refusedDownload({
      onReply: (reply) => {
        if (reply.type !== sftpType.data) return [reply];
        bench.servers.at(-1)?.stop();
        return [];
      },
    });
  });

  it('that answers code 4 to everything is neither listed nor downloaded, with a clear fault', async () => {
    const script: SftpScript = {
      onRequest: (request, answer) => {
        if (request.type === sftpType.init) return request;
        answer(status(request.id, 4));
        return undefined;
      },
    };
    await assert.rejects(list(bench.there('from', script)), isTermindError);
    await assert.rejects(download(bench.there('from', script)), isTermindError);
    assert.equal(existsSync(path.join(bench.local, 'to')), false);
  });

  it('that answers code 4 to each opening fails file by file, and each is named', async () => {
    const script: SftpScript = {
      onRequest: (request, answer) => {
        if (request.type !== sftpType.open) return request;
        answer(status(request.id, 4));
        return undefined;
      },
    };
    const outcome = await download(bench.there('from', script));
    const files = Object.entries(remoteTree('from')).filter(([name]) => !name.endsWith('/'));
    assert.deepEqual([outcome.failed, outcome.doneFiles], [files.length, 0]);
    assert.ok(outcome.failures.every(({ fault }) => fault.code === 'file-failed'));
    assert.ok(Object.keys(localTree('to')).every((name) => name.endsWith('/')));
  });

  it('that leaves a request unanswered is not waited for for ever', async () => {
    bench.dispose();
    const clock = new FakeClock();
    prepare(new TransferBench(clock));
    let tellForgotten: (() => void) | undefined;
    const forgotten = new Promise<void>((resolve) => (tellForgotten = resolve));
    const script: SftpScript = {
      onReply: (reply) => {
        if (tellForgotten === undefined || reply.type !== sftpType.data) return [reply];
        tellForgotten();
        tellForgotten = undefined;
        return [];
      },
    };
    let isOver = false;
    const over = refusedDownload(script, () => (isOver = true));
    await withinDeadline('the answer that is kept back', forgotten);
    while (!isOver) {
      await clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await over;
  });

  /** A download that comes to a fault. What has arrived is whole, and the next download over a better server brings the rest. */
  async function refusedDownload(script: SftpScript, onEnd: () => void = () => {}): Promise<void> {
    const end = await download(bench.there('from', script)).catch((error: unknown) => error);
    onEnd();
    if (end instanceof Error) assert.ok(isTermindError(end), String(end));
    else assert.ok((end as FolderOutcome).failed > 0);
    const wanted = remoteTree('from');
    for (const [name, digest] of Object.entries(localTree('to')))
      if (!name.endsWith('.part')) assert.equal(digest, wanted[name], name);
    assert.deepEqual(readdirSync(bench.local), ['to']);
    await bench.engine.folder({ from: bench.there('from'), to: bench.here('to'), existing: 'resume' }, never);
    assert.deepEqual(localTree('to'), wanted);
  }
});

/** Each answer with data is another one. */
function dataAs(change: (reply: SftpPacket) => SftpPacket): SftpScript {
  return { onReply: (reply) => [reply.type === sftpType.data ? change(reply) : reply] };
}
