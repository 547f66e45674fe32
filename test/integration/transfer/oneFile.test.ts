import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type {
  ExistingPolicy,
  FileOutcome,
  Place,
} from '../../../src/application/transfer/engine/transfer.ts';
import { pathOfText } from '../../../src/domain/files/remotePath.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { sftpType, withoutAttributes, withoutExtensions } from '../../lab/scriptedSftp.ts';
import { digest, never, TransferBench } from './transferBench.ts';

const modified = 1_700_000_000;
const mib = 2 ** 20;

const clean = { resumedBytes: 0, sha256: undefined, changedDuringTransfer: false, warnings: [] } as const;

describe('one file between this machine and a host', () => {
  let bench: TransferBench;
  beforeEach(() => (bench = new TransferBench()));
  afterEach(() => bench.dispose());

  /** A file at the source's end of a direction, and both of its places and paths. */
  function prepare(
    direction: 'down' | 'up',
    name: string,
    bytes: Uint8Array,
  ): { readonly from: Place; readonly to: Place; readonly source: string; readonly target: string } {
    const [here, there] = [path.join(bench.local, name), path.join(bench.remote, name)];
    const [source, target] = direction === 'down' ? [there, here] : [here, there];
    const [from, to] =
      direction === 'down' ? [bench.there(name), bench.here(name)] : [bench.here(name), bench.there(name)];
    writeFileSync(source, bytes, { mode: 0o640 });
    chmodSync(source, 0o640);
    utimesSync(source, modified, modified);
    return { from, to, source, target };
  }

  const codeOf = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'nothing was thrown',
      (error: unknown) => (isTermindError(error) ? error.fault.code : String(error)),
    );

  for (const direction of ['down', 'up'] as const) {
    for (const size of [0, 1, 261_120, 261_121, 4 * mib, 9 * mib + 17])
      it(`${direction}: ${String(size)} bytes arrive as they are, with time and permissions`, async () => {
        const bytes = patterned(size);
        const { from, to, target } = prepare(direction, 'file', bytes);
        const outcome = await bench.engine.file({ from, to, existing: 'skip' }, never);
        assert.deepEqual(outcome, { k: 'done', to, bytes: size, ...clean } satisfies FileOutcome);
        const { mode, mtimeMs } = statSync(target);
        assert.deepEqual(
          [digest(readFileSync(target)), mode & 0o7777, mtimeMs],
          [digest(bytes), 0o640, modified * 1_000],
        );
        assert.deepEqual(readdirSync(path.dirname(target)), ['file']);
      });

    const policies: readonly (readonly [ExistingPolicy, string, readonly string[]])[] = [
      ['skip', 'old', ['file']],
      ['overwrite', 'new content', ['file']],
      ['resume', 'new content', ['file']],
      ['rename', 'old', ['file', 'file (2)']],
    ];
    for (const [existing, left, names] of policies)
      it(`${direction}: a target that is there is treated as "${existing}" says`, async () => {
        const { from, to, target } = prepare(direction, 'file', Buffer.from('new content'));
        writeFileSync(target, 'old');
        chmodSync(target, 0o604);
        const outcome = await bench.engine.file({ from, to, existing }, never);
        assert.equal(outcome.k, existing === 'skip' ? 'skipped' : 'done');
        assert.deepEqual(readdirSync(path.dirname(target)).sort(), names);
        assert.deepEqual([readFileSync(target, 'utf8'), statSync(target).mode & 0o777], [left, 0o604]);
        if (existing === 'rename') assert.equal(readFileSync(`${target} (2)`, 'utf8'), 'new content');
      });

    it(`${direction}: a complete target is skipped when a transfer is resumed`, async () => {
      const { from, to, target } = prepare(direction, 'file', Buffer.from('content'));
      writeFileSync(target, 'CONTENT');
      utimesSync(target, modified, modified);
      const outcome = await bench.engine.file({ from, to, existing: 'resume' }, never);
      assert.deepEqual(outcome, { k: 'skipped', to, bytes: 7, ...clean } satisfies FileOutcome);
    });

    it(`${direction}: the one who decides sees both files`, async () => {
      const { from, to, target } = prepare(direction, 'file', Buffer.from('content'));
      writeFileSync(target, 'old');
      utimesSync(target, modified - 10, modified - 10);
      const seen: unknown[] = [];
      const existing = async (asked: { source: unknown; target: unknown }): Promise<ExistingPolicy> => {
        seen.push(asked.source, asked.target);
        return 'overwrite';
      };
      await bench.engine.file({ from, to, existing }, never);
      assert.deepEqual(seen, [
        { size: 7, modified },
        { size: 3, modified: modified - 10 },
      ]);
    });

    it(`${direction}: a target that changes after the one who decides has seen it stays`, async () => {
      const { from, to, target } = prepare(direction, 'file', Buffer.from('content'));
      writeFileSync(target, 'old');
      const existing = async (): Promise<ExistingPolicy> => {
        writeFileSync(target, 'somebody has gone on with it');
        return 'overwrite';
      };
      assert.equal(await codeOf(bench.engine.file({ from, to, existing }, never)), 'conflict');
      assert.equal(readFileSync(target, 'utf8'), 'somebody has gone on with it');
      assert.deepEqual(readdirSync(path.dirname(target)), ['file']);
    });

    for (const [expectTarget, is, why] of [
      ['missing', 'old', 'there is one'],
      [{ size: 3, modified: 5 }, 'old', 'it has another time'],
      [{ size: 3, modified }, undefined, 'there is none'],
    ] as const)
      it(`${direction}: a target that is not the expected one is a conflict: ${why}`, async () => {
        const { from, to, target } = prepare(direction, 'file', Buffer.from('content'));
        if (is !== undefined) writeFileSync(target, is);
        const work = bench.engine.file({ from, to, existing: 'overwrite', expectTarget }, never);
        assert.equal(await codeOf(work), 'conflict');
        assert.deepEqual(readdirSync(path.dirname(target)), is === undefined ? [] : ['file']);
      });

    for (const [expectSource, outcome] of [
      [{ size: 7, modified }, 'nothing was thrown'],
      [{ size: 7, modified: modified + 1 }, 'conflict'],
      [{ size: 8, modified }, 'conflict'],
    ] as const)
      it(`${direction}: a source like ${JSON.stringify(expectSource)} is expected: ${outcome}`, async () => {
        const { from, to, source, target } = prepare(direction, 'file', Buffer.from('content'));
        utimesSync(source, modified, modified);
        const work = bench.engine.file({ from, to, existing: 'overwrite', expectSource }, never);
        assert.equal(await codeOf(work), outcome);
        assert.equal(existsSync(target), outcome !== 'conflict');
      });

    it(`${direction}: bytes of another digest do not move`, async () => {
      const { from, to, target } = prepare(direction, 'file', patterned(5 * mib));
      const request = { from, to, existing: 'overwrite', expectSourceSha256: digest(patterned(4)) } as const;
      assert.equal(await codeOf(bench.engine.file(request, never)), 'conflict');
      assert.deepEqual(readdirSync(path.dirname(target)), []);
    });

    it(`${direction}: bytes of the expected digest move and are verified`, async () => {
      const bytes = patterned(9 * mib + 3);
      const { from, to, target } = prepare(direction, 'file', bytes);
      const request = {
        from,
        to,
        existing: 'overwrite',
        expectSourceSha256: digest(bytes),
        verify: true,
      } as const;
      const outcome = await bench.engine.file(request, never);
      assert.deepEqual([outcome.sha256, digest(readFileSync(target))], [digest(bytes), digest(bytes)]);
    });

    it(`${direction}: a directory is no file`, async () => {
      const { from, to, source, target } = prepare(direction, 'file', Buffer.from('content'));
      mkdirSync(target);
      assert.equal(
        await codeOf(bench.engine.file({ from, to, existing: 'overwrite' }, never)),
        'is-directory',
      );
      mkdirSync(`${source}.d`);
      const folder = direction === 'down' ? bench.there('file.d') : bench.here('file.d');
      assert.equal(
        await codeOf(bench.engine.file({ from: folder, to, existing: 'overwrite' }, never)),
        'is-directory',
      );
    });

    it(`${direction}: a source that is not there leaves nothing`, async () => {
      const { to, target } = prepare(direction, 'file', Buffer.from('content'));
      const from = direction === 'down' ? bench.there('none') : bench.here('none');
      assert.equal(await codeOf(bench.engine.file({ from, to, existing: 'skip' }, never)), 'not-found');
      assert.deepEqual(readdirSync(path.dirname(target)), []);
    });
  }

  it('a directory that takes the place of a target stays where it is', async () => {
    const { from, target } = prepare('up', 'file', patterned(700_000));
    writeFileSync(target, 'old');
    const to = bench.there('file', {
      onRequest: (request) => {
        if (request.type === sftpType.write && statSync(target).isFile()) {
          unlinkSync(target);
          mkdirSync(target);
          writeFileSync(path.join(target, 'theirs'), 'x');
        }
        return request;
      },
      onReply: (reply) => [withoutExtensions(reply)],
    });
    assert.equal(await codeOf(bench.engine.file({ from, to, existing: 'overwrite' }, never)), 'is-directory');
    assert.deepEqual([readdirSync(bench.remote), readdirSync(target)], [['file'], ['theirs']]);
  });

  it('others do not read what is on its way to a server that pays no heed to the mode of a new file', async () => {
    const { from, target } = prepare('up', 'file', patterned(700_000));
    chmodSync(path.join(bench.local, 'file'), 0o600);
    const seen: number[] = [];
    const to = bench.there('file', {
      onRequest: (request) => {
        if (request.type === sftpType.write)
          for (const name of readdirSync(bench.remote))
            seen.push(statSync(path.join(bench.remote, name)).mode & 0o077);
        return request.type === sftpType.open ? withoutAttributes(request) : request;
      },
    });
    await bench.engine.file({ from, to, existing: 'skip' }, never);
    assert.deepEqual([new Set(seen), statSync(target).mode & 0o777], [new Set([0]), 0o600]);
  });

  it('what says that it is empty is read to its end', async () => {
    const from = { ...bench.there(''), path: pathOfText('/proc/self/status') };
    const to = bench.here('status');
    const outcome = await bench.engine.file({ from, to, existing: 'skip' }, never);
    assert.match(readFileSync(path.join(bench.local, 'status'), 'utf8'), /^Name:\tsftp-server\n[^]*\n$/);
    assert.equal(outcome.changedDuringTransfer, false);
  });

  it('on the host, a link at the target stays and what it leads to is replaced', async () => {
    writeFileSync(path.join(bench.remote, 'real'), 'old');
    symlinkSync('real', path.join(bench.remote, 'link'));
    writeFileSync(path.join(bench.local, 'file'), 'new');
    await bench.engine.file(
      { from: bench.here('file'), to: bench.there('link'), existing: 'overwrite' },
      never,
    );
    assert.deepEqual(readdirSync(bench.remote).sort(), ['link', 'real']);
    assert.equal(readFileSync(path.join(bench.remote, 'real'), 'utf8'), 'new');
  });

  it('on this machine, a link at the target is replaced and what it leads to stays', async () => {
    writeFileSync(path.join(bench.folder, 'outside'), 'old');
    symlinkSync('../outside', path.join(bench.local, 'link'));
    writeFileSync(path.join(bench.remote, 'file'), 'new', { mode: 0o600 });
    await bench.engine.file(
      { from: bench.there('file'), to: bench.here('link'), existing: 'overwrite' },
      never,
    );
    assert.equal(readFileSync(path.join(bench.folder, 'outside'), 'utf8'), 'old');
    assert.equal(readFileSync(path.join(bench.local, 'link'), 'utf8'), 'new');
    assert.equal(statSync(path.join(bench.local, 'link')).mode & 0o777, 0o600);
  });

  it('two transfers of one file at the same time do not write into one part', async () => {
    const bytes = patterned(9 * mib);
    writeFileSync(path.join(bench.local, 'file'), bytes);
    writeFileSync(path.join(bench.remote, 'file'), 'old');
    const again = (): Promise<FileOutcome> =>
      bench.engine.file({ from: bench.here('file'), to: bench.there('file'), existing: 'overwrite' }, never);
    const outcomes = await Promise.all([again(), again()]);
    assert.deepEqual(
      outcomes.map(({ k, resumedBytes, warnings }) => ({ k, resumedBytes, warnings })),
      [1, 2].map(() => ({ k: 'done', resumedBytes: 0, warnings: [] })),
    );
    assert.deepEqual([readdirSync(bench.remote), readdirSync(bench.journals)], [['file'], []]);
    assert.equal(digest(readFileSync(path.join(bench.remote, 'file'))), digest(bytes));
  });

  it('one host copies by itself', async () => {
    const bytes = patterned(5 * mib + 1);
    writeFileSync(path.join(bench.remote, 'file'), bytes);
    const outcome = await bench.engine.file(
      { from: bench.there('file'), to: bench.there('copy'), existing: 'skip' },
      never,
    );
    assert.equal(outcome.bytes, bytes.length);
    assert.equal(digest(readFileSync(path.join(bench.remote, 'copy'))), digest(bytes));
    const reads = bench.servers.flatMap(({ requests }) => requests).filter(({ type }) => type === 5);
    assert.equal(reads.length, 0);
  });
});
