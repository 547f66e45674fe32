import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { isTermindError } from '../../../src/domain/fault.ts';
import { names, sftpType, status, withoutExtensions, type SftpScript } from '../../lab/scriptedSftp.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { digest, never, TransferBench, treeOf } from './transferBench.ts';

/** Runs `work` before the first request of a kind is served whose content holds `mark`. */
function before(type: number, mark: string, work: () => void): SftpScript {
  let isDone = false;
  return {
    onRequest: (request) => {
      if (!isDone && request.type === type && request.body.includes(mark)) {
        isDone = true;
        work();
      }
      return request;
    },
  };
}

describe('a server or a folder that is not as it should be', () => {
  let bench: TransferBench;
  let outside: string;
  beforeEach(() => {
    bench = new TransferBench();
    outside = path.join(bench.folder, 'outside');
    for (const one of [outside, path.join(bench.remote, 'from')]) mkdirSync(one);
  });
  afterEach(() => bench.dispose());

  it('names that leave the folder are told and used for nothing', async () => {
    const hostile = ['../x', '..', '/etc/passwd', 'a/../../x', '', 'nul\0byte'];
    let isFirst = true;
    const script: SftpScript = {
      onReply: (reply, request) => {
        if (request.type !== sftpType.readdir || reply.type !== sftpType.name || !isFirst) return [reply];
        isFirst = false;
        return [
          names(
            reply.id,
            ['inside', ...hostile].map((name) => Buffer.from(name)),
          ),
        ];
      },
    };
    writeFileSync(path.join(bench.remote, 'from', 'inside'), 'content');
    const outcome = await bench.engine.folder(
      { from: bench.there('from', script), to: bench.here('to'), existing: 'skip' },
      never,
    );
    assert.deepEqual(Object.keys(treeOf(bench.local)), ['to/', 'to/inside']);
    assert.deepEqual(
      outcome.warnings.map(({ code }) => code),
      Array.from({ length: hostile.length - 1 }, () => 'name-refused'), // `..` is in every directory
    );
    assert.deepEqual([readdirSync(outside), outcome.doneFiles, outcome.failed], [[], 1, 0]);
  });

  it('a directory here that becomes a link meanwhile receives nothing behind it', async () => {
    mkdirSync(path.join(bench.remote, 'from', 'd'));
    for (let n = 0; n < 200; n++)
      writeFileSync(path.join(bench.remote, 'from', 'd', `file ${String(n)}`), patterned(5_000));
    const swap = before(sftpType.open, 'file 150', () => {
      renameSync(path.join(bench.local, 'to', 'd'), path.join(bench.local, 'moved'));
      symlinkSync(outside, path.join(bench.local, 'to', 'd'));
    });
    const outcome = await bench.engine.folder(
      { from: bench.there('from', swap), to: bench.here('to'), existing: 'overwrite' },
      never,
    );
    assert.deepEqual(readdirSync(outside), []);
    assert.ok(outcome.failed > 0);
    // for a moment there is neither of the two
    for (const { fault } of outcome.failures) assert.match(fault.code, /^(?:outside-folder|not-found)$/);
    assert.equal(outcome.failed + outcome.doneFiles, 200);
  });

  it('a directory there that becomes a link meanwhile is read into its place here', async () => {
    mkdirSync(path.join(bench.remote, 'from', 'd'));
    writeFileSync(path.join(bench.remote, 'from', 'd', 'mine'), 'mine');
    writeFileSync(path.join(outside, 'theirs'), 'theirs');
    const swap = before(11, '/from/d', () => {
      renameSync(path.join(bench.remote, 'from', 'd'), path.join(bench.remote, 'moved'));
      symlinkSync(outside, path.join(bench.remote, 'from', 'd'));
    });
    await bench.engine.folder(
      { from: bench.there('from', swap), to: bench.here('to'), existing: 'skip' },
      never,
    );
    const tree = Object.keys(treeOf(bench.local)).sort();
    assert.ok(tree.every((name) => name.startsWith('to/')));
    assert.deepEqual(readdirSync(outside), ['theirs']);
  });

  it('a server that answers in small pieces and gives no extensions loses no byte', async () => {
    const content = patterned(3_000_017);
    writeFileSync(path.join(bench.remote, 'file'), content);
    const script: SftpScript = {
      onReply: (reply) => [withoutExtensions(reply)],
      onRequest: (request) => {
        if (request.type !== sftpType.read) return request;
        const body = Buffer.from(request.body);
        body.writeUInt32BE(Math.min(body.readUInt32BE(body.length - 4), 4_999), body.length - 4);
        return { ...request, body };
      },
    };
    const outcome = await bench.engine.file(
      { from: bench.there('file', script), to: bench.here('file'), existing: 'skip' },
      never,
    );
    assert.equal(outcome.bytes, content.length);
    assert.equal(digest(readFileSync(path.join(bench.local, 'file'))), digest(content));
  });

  it('a server that refuses under load gets fewer requests and every byte', async () => {
    const content = patterned(9_000_017);
    writeFileSync(path.join(bench.local, 'file'), content);
    let writes = 0;
    const script: SftpScript = {
      onRequest: (request, answer) => {
        if (request.type !== sftpType.write) return request;
        writes += 1;
        if (writes % 11 !== 7) return request;
        answer(status(request.id, 4, 'try again'));
        return undefined;
      },
    };
    await bench.engine.file(
      { from: bench.here('file'), to: bench.there('file', script), existing: 'skip' },
      never,
    );
    assert.equal(digest(readFileSync(path.join(bench.remote, 'file'))), digest(content));
  });

  it('a server that refuses every byte is not asked for ever, and nothing is left there', async () => {
    writeFileSync(path.join(bench.local, 'file'), patterned(3_000_000));
    const script: SftpScript = {
      onRequest: (request, answer) => {
        if (request.type !== sftpType.write) return request;
        answer(status(request.id, 4, 'no'));
        return undefined;
      },
    };
    const work = bench.engine.file(
      { from: bench.here('file'), to: bench.there('file', script), existing: 'skip' },
      never,
    );
    await assert.rejects(work, (error) => isTermindError(error) && error.fault.code === 'quota');
    assert.deepEqual(readdirSync(bench.remote), ['from']);
  });

  it('a server that cannot replace in one step keeps the old one until the new one is in place', async () => {
    writeFileSync(path.join(bench.local, 'file'), 'new');
    writeFileSync(path.join(bench.remote, 'file'), 'old');
    const script: SftpScript = { onReply: (reply) => [withoutExtensions(reply)] };
    const outcome = await bench.engine.file(
      { from: bench.here('file'), to: bench.there('file', script), existing: 'overwrite' },
      never,
    );
    assert.deepEqual(
      outcome.warnings.map(({ code }) => code),
      ['not-replaced-in-one-step'],
    );
    assert.deepEqual(readdirSync(bench.remote).sort(), ['file', 'from']);
    assert.equal(readFileSync(path.join(bench.remote, 'file'), 'utf8'), 'new');
  });

  it('a transfer that is cancelled keeps what it has, leaves the target alone and goes on later', async () => {
    const content = patterned(20_000_000);
    writeFileSync(path.join(bench.remote, 'file'), content);
    writeFileSync(path.join(bench.local, 'file'), 'old');
    const stop = new AbortController();
    let reads = 0;
    const script: SftpScript = {
      onRequest: (request) => {
        if (request.type === sftpType.read) reads += 1;
        if (reads === 60) stop.abort();
        return request;
      },
    };
    const ends = { to: bench.here('file'), existing: 'overwrite' } as const;
    await assert.rejects(
      bench.engine.file({ from: bench.there('file', script), ...ends }, stop.signal),
      (error) => isTermindError(error) && error.fault.code === 'cancelled',
    );
    assert.equal(readFileSync(path.join(bench.local, 'file'), 'utf8'), 'old');
    const outcome = await bench.engine.file({ from: bench.there('file'), ...ends }, never);
    assert.ok(outcome.resumedBytes > 0);
    assert.equal(digest(readFileSync(path.join(bench.local, 'file'))), digest(content));
    assert.deepEqual(readdirSync(bench.local), ['file']);
  });

  it('a transfer that is cancelled before it begins opens nothing', async () => {
    const stop = AbortSignal.abort();
    const work = bench.engine.folder(
      { from: bench.there('from'), to: bench.here('to'), existing: 'skip' },
      stop,
    );
    await assert.rejects(work, (error) => isTermindError(error) && error.fault.code === 'cancelled');
    assert.equal(existsSync(path.join(bench.local, 'to')), false);
  });
});
