import assert from 'node:assert/strict';
import {
  appendFileSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type {
  ExistingPolicy,
  FileOutcome,
  RemotePlace,
} from '../../../src/application/transfer/engine/transfer.ts';
import type { HostCommands } from '../../../src/application/ports/hostCommands.ts';
import { isTermindError, type Fault } from '../../../src/domain/fault.ts';
import { blockBytes } from '../../../src/domain/transfer/transferJournal.ts';
import { sftpType, type SftpScript } from '../../lab/scriptedSftp.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { localCommands, seesInstead } from './localCommands.ts';
import { digest, never, TransferBench } from './transferBench.ts';

const size = 6 * blockBytes + 12_345;
const content = patterned(size);

describe('a transfer that was interrupted', () => {
  let bench: TransferBench;
  /** Of the host; absent: none may be run. */
  let commands: HostCommands | undefined;
  beforeEach(() => {
    bench = new TransferBench();
    commands = undefined;
  });
  afterEach(() => bench.dispose());

  const there = (script?: SftpScript): RemotePlace => ({
    ...bench.there('file', script),
    ...(commands === undefined ? {} : { commands }),
  });

  /** The server goes when it has been asked for so many pieces of the file. */
  const dyingAfter = (type: number, requests: number): SftpScript => {
    let seen = 0;
    return {
      onRequest: (request) => {
        if (request.type === type) seen += 1;
        if (seen <= requests) return request;
        bench.servers.at(-1)?.stop();
        return undefined;
      },
    };
  };

  const directions = {
    down: {
      type: sftpType.read,
      source: () => path.join(bench.remote, 'file'),
      target: () => path.join(bench.local, 'file'),
      ends: (script?: SftpScript) => [there(script), bench.here('file')] as const,
    },
    up: {
      type: sftpType.write,
      source: () => path.join(bench.local, 'file'),
      target: () => path.join(bench.remote, 'file'),
      ends: (script?: SftpScript) => [bench.here('file'), there(script)] as const,
    },
  };

  for (const [direction, { type, source, target, ends }] of Object.entries(directions)) {
    const run = async (
      existing: ExistingPolicy,
      script?: SftpScript,
    ): Promise<{ readonly outcome?: FileOutcome; readonly fault?: Fault }> => {
      const [from, to] = ends(script);
      try {
        return { outcome: await bench.engine.file({ from, to, existing }, never) };
      } catch (error) {
        if (isTermindError(error)) return { fault: error.fault };
        throw error;
      }
    };
    const interrupt = async (): Promise<string> => {
      writeFileSync(source(), content);
      const { fault } = await run('skip', dyingAfter(type, 70));
      assert.notEqual(fault, undefined);
      const [part, ...more] = readdirSync(path.dirname(target())).filter((name) => name.endsWith('.part'));
      assert.ok(part !== undefined && more.length === 0);
      return path.join(path.dirname(target()), part);
    };
    const arrived = (): readonly unknown[] => [
      readdirSync(path.dirname(target())),
      digest(readFileSync(target())) === digest(content),
      readdirSync(bench.journals),
    ];

    it(`${direction}: goes on from the whole blocks that are there`, async () => {
      await interrupt();
      const { outcome } = await run('skip');
      assert.ok((outcome?.resumedBytes ?? 0) >= blockBytes);
      assert.deepEqual(outcome?.warnings, []);
      assert.deepEqual(arrived(), [['file'], true, []]);
    });

    it(`${direction}: a part that was changed is not trusted`, async () => {
      const part = await interrupt();
      const file = openSync(part, 'r+');
      for (let block = 0; block < 6; block++)
        writeSync(file, Buffer.from('damage'), 0, 6, block * blockBytes + 99);
      closeSync(file);
      const { outcome } = await run('skip');
      assert.deepEqual(
        [outcome?.resumedBytes, outcome?.warnings.map(({ code }) => code)],
        [0, ['part-unusable']],
      );
      assert.deepEqual(arrived(), [['file'], true, []]);
    });

    it(`${direction}: a part that is too short is not trusted`, async () => {
      truncateSync(await interrupt(), 1_000);
      const { outcome } = await run('skip');
      assert.deepEqual(
        [outcome?.resumedBytes, outcome?.warnings.map(({ code }) => code)],
        [0, ['part-unusable']],
      );
      assert.deepEqual(arrived(), [['file'], true, []]);
    });

    it(`${direction}: what lies behind the verified blocks is written again, and what lies behind the end goes`, async () => {
      const part = await interrupt();
      const { length } = patterned(size * 2);
      truncateSync(part, length);
      const { outcome } = await run('skip');
      assert.equal(outcome?.bytes, size);
      assert.deepEqual(arrived(), [['file'], true, []]);
      assert.equal(statSync(target()).size, size);
    });

    it(`${direction}: a source that has changed is refused where going on was asked for`, async () => {
      await interrupt();
      appendFileSync(source(), 'more');
      const { fault } = await run('resume');
      assert.equal(fault?.code, 'changed-during-transfer');
      assert.equal(readdirSync(path.dirname(target())).includes('file'), false);
    });

    it(`${direction}: a source that has changed is told, and everything is moved anew`, async () => {
      await interrupt();
      appendFileSync(source(), 'more');
      const { outcome } = await run('overwrite');
      assert.deepEqual(
        [outcome?.resumedBytes, outcome?.warnings.map(({ code }) => code)],
        [0, ['source-changed']],
      );
      assert.equal(digest(readFileSync(target())), digest(Buffer.concat([content, Buffer.from('more')])));
    });

    it(`${direction}: a source that has changed and hides it is found out`, async () => {
      await interrupt();
      const { mtime, atime } = statSync(source());
      const file = openSync(source(), 'r+');
      for (let block = 0; block < 6; block++)
        writeSync(file, Buffer.from('changed'), 0, 7, block * blockBytes);
      closeSync(file);
      utimesSync(source(), atime, mtime);
      const { outcome } = await run('overwrite');
      assert.equal(outcome?.resumedBytes, 0);
      assert.equal(digest(readFileSync(target())), digest(readFileSync(source())));
    });

    /** Changes one byte of the first block at the host's side, and nothing that a listing tells. */
    const changeFirstBlock = (part: string): void => {
      const file = direction === 'up' ? part : source();
      const { mtime, atime } = statSync(file);
      const handle = openSync(file, 'r+');
      writeSync(handle, Buffer.from([(content[blockBytes - 1] ?? 0) ^ 1]), 0, 1, blockBytes - 1);
      closeSync(handle);
      utimesSync(file, atime, mtime);
    };

    it(`${direction}: one byte that changed on the host anywhere is found out where commands may be run`, async () => {
      changeFirstBlock(await interrupt());
      commands = localCommands;
      const { outcome } = await run('overwrite');
      assert.deepEqual(
        [outcome?.resumedBytes, outcome?.warnings.map(({ code }) => code)],
        [0, [direction === 'up' ? 'part-unusable' : 'source-changed']],
      );
      assert.equal(digest(readFileSync(target())), digest(readFileSync(source())));
    });

    it(`${direction}: what is as it was is not read again over the line where commands may be run`, async () => {
      await interrupt();
      commands = localCommands;
      const reads: number[] = [];
      const { outcome } = await run('skip', {
        onRequest: (request) => {
          if (request.type === sftpType.read) reads.push(request.type);
          return request;
        },
      });
      assert.ok((outcome?.resumedBytes ?? 0) >= blockBytes);
      assert.deepEqual(arrived(), [['file'], true, []]);
      if (direction === 'up') assert.deepEqual(reads, []);
    });

    for (const [what, answer] of [
      ['fails', () => Promise.reject(new Error('refused'))],
      ['has another status', () => Promise.resolve({ stdout: Buffer.from(''), code: 127 })],
      ['tells less', () => Promise.resolve({ stdout: Buffer.from(`${'0'.repeat(64)}  -\n`), code: 0 })],
      ['tells something else', () => Promise.resolve({ stdout: Buffer.from('x\n'.repeat(4)), code: 0 })],
    ] as const)
      it(`${direction}: the last blocks are read where a command ${what}`, async () => {
        await interrupt();
        commands = { run: answer };
        const { outcome } = await run('skip');
        assert.ok((outcome?.resumedBytes ?? 0) >= blockBytes);
        assert.deepEqual(arrived(), [['file'], true, []]);
      });

    for (const [what, other] of [
      ['nothing', 'none'],
      ['another file', 'other'],
    ] as const)
      it(`${direction}: goes on where commands see ${what} in its place`, async () => {
        await interrupt();
        writeFileSync(path.join(bench.folder, 'other'), content.toReversed());
        commands = seesInstead(path.join(bench.folder, other));
        const { outcome } = await run('resume');
        assert.ok((outcome?.resumedBytes ?? 0) >= blockBytes);
        assert.deepEqual(arrived(), [['file'], true, []]);
      });

    it(`${direction}: what it left is removed when it is given up`, async () => {
      await interrupt();
      const [from, to] = ends();
      await bench.engine.discard({ kind: 'file', from, to }, never);
      assert.deepEqual([readdirSync(path.dirname(target())), readdirSync(bench.journals)], [[], []]);
    });

    it(`${direction}: a source that changes meanwhile is told`, async () => {
      writeFileSync(source(), content);
      let requests = 0;
      const { outcome } = await run('skip', {
        onRequest: (request) => {
          if (request.type === type) requests += 1;
          if (request.type === type && requests === 30) appendFileSync(source(), 'grown');
          return request;
        },
      });
      assert.equal(outcome?.changedDuringTransfer, true);
      assert.equal(digest(readFileSync(target())), digest(Buffer.concat([content, Buffer.from('grown')])));
    });

    it(`${direction}: a source that shrinks meanwhile ends where it ends`, async () => {
      writeFileSync(source(), content);
      let requests = 0;
      const { outcome } = await run('skip', {
        onRequest: (request) => {
          if (request.type === type) requests += 1;
          if (request.type === type && requests === 3) truncateSync(source(), blockBytes * 5);
          return request;
        },
      });
      assert.equal(outcome?.changedDuringTransfer, true);
      const arrivedBytes = readFileSync(target());
      assert.equal(digest(arrivedBytes), digest(content.subarray(0, outcome.bytes)));
      assert.ok(outcome.bytes >= blockBytes * 5);
    });
  }

  it('what a small file left on a host that went is gone after the next transfer of it', async () => {
    writeFileSync(path.join(bench.local, 'small'), 'content');
    const ends = { from: bench.here('small'), existing: 'skip' } as const;
    const dying = bench.there('small', dyingAfter(sftpType.write, 0));
    await assert.rejects(bench.engine.file({ ...ends, to: dying }, never), isTermindError);
    assert.equal(readdirSync(bench.remote).length, 1);
    const outcome = await bench.engine.file({ ...ends, to: bench.there('small') }, never);
    assert.deepEqual([outcome.resumedBytes, outcome.warnings], [0, []]);
    assert.deepEqual([readdirSync(bench.remote), readdirSync(bench.journals)], [['small'], []]);
    assert.equal(readFileSync(path.join(bench.remote, 'small'), 'utf8'), 'content');
  });
});
