import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type {
  FileResult,
  Place,
  TransferProgress,
} from '../../../src/application/transfer/engine/transfer.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { never, TransferBench, treeOf } from './transferBench.ts';

const modified = 1_700_000_000;

/** Files of many sizes in directories, with names that are unusual but allowed. */
function fill(folder: string): void {
  const files: Readonly<Record<string, Buffer>> = {
    empty: Buffer.alloc(0),
    'häuser und 数据': patterned(65_537),
    '-rf': Buffer.from('a name that looks like an option'),
    'two\nlines': patterned(300),
    'deep/deeper/deepest/large': patterned(9_000_001),
    'deep/two names.tar.gz': patterned(261_120),
    'read only/file': patterned(10),
    [`long/${'x'.repeat(255)}`]: patterned(20),
  };
  for (const directory of ['deep/deeper/deepest', 'nothing here', 'read only', 'long'])
    mkdirSync(path.join(folder, directory), { recursive: true });
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), bytes);
    chmodSync(path.join(folder, name), 0o640);
    utimesSync(path.join(folder, name), modified, modified);
  }
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from('latin1 \xe9', 'latin1')]), 'latin1');
  for (let n = 0; n < 150; n++)
    writeFileSync(path.join(folder, 'deep', `small ${String(n)}`), patterned(n * 50));
  for (const directory of ['deep', 'nothing here'])
    utimesSync(path.join(folder, directory), modified, modified);
  chmodSync(path.join(folder, 'read only'), 0o555);
}

describe('a folder between this machine and a host', () => {
  let bench: TransferBench;
  beforeEach(() => (bench = new TransferBench()));
  afterEach(() => {
    for (const one of [bench.local, bench.remote])
      for (const name of ['from', 'to'])
        if (existsSync(path.join(one, name, 'read only')))
          chmodSync(path.join(one, name, 'read only'), 0o755);
    bench.dispose();
  });

  const places = {
    down: () => ({ from: bench.there('from'), to: bench.here('to') }),
    up: () => ({ from: bench.here('from'), to: bench.there('to') }),
    'on one host': () => ({ from: bench.there('from'), to: bench.there('to') }),
  } satisfies Record<string, () => { from: Place; to: Place }>;

  for (const [direction, ends] of Object.entries(places)) {
    const [sourceSide, targetSide] = {
      down: ['remote', 'local'],
      up: ['local', 'remote'],
      'on one host': ['remote', 'remote'],
    }[direction] as ['local' | 'remote', 'local' | 'remote'];
    const source = (): string => path.join(bench[sourceSide], 'from');
    const target = (): string => path.join(bench[targetSide], 'to');

    it(`${direction}: arrives as it is, with times and permissions`, async () => {
      mkdirSync(source());
      fill(source());
      const told: TransferProgress[] = [];
      const results: FileResult[] = [];
      const outcome = await bench.engine.folder(
        {
          ...ends(),
          existing: 'skip',
          onProgress: (progress) => told.push(progress),
          onResult: (result) => results.push(result),
        },
        never,
      );
      const tree = treeOf(source());
      const files = Object.keys(tree).filter((name) => !name.endsWith('/'));
      assert.deepEqual(treeOf(target()), tree);
      assert.deepEqual(
        { ...outcome, bytes: 0 },
        {
          doneFiles: files.length,
          skippedFiles: 0,
          failed: 0,
          failures: [],
          bytes: 0,
          changedDuringTransfer: 0,
          warnings: [],
        },
      );
      assert.equal(results.length, files.length);
      const last = told.at(-1);
      assert.deepEqual(
        [last?.doneBytes, last?.totalBytes, last?.doneFiles, last?.totalFiles],
        [outcome.bytes, outcome.bytes, files.length, files.length],
      );
      for (const name of [
        'deep',
        'nothing here',
        'read only',
        'empty',
        'deep/two names.tar.gz',
        'read only/file',
      ]) {
        const [a, b] = [statSync(path.join(source(), name)), statSync(path.join(target(), name))];
        assert.deepEqual(
          [name, b.mode, Math.floor(b.mtimeMs / 1_000)],
          [name, a.mode, Math.floor(a.mtimeMs / 1_000)],
        );
      }
    });

    it(`${direction}: what is complete is skipped the second time, and the rest is repaired`, async () => {
      mkdirSync(source());
      fill(source());
      await bench.engine.folder({ ...ends(), existing: 'skip' }, never);
      writeFileSync(path.join(target(), 'deep', 'small 7'), 'damaged');
      const outcome = await bench.engine.folder({ ...ends(), existing: 'resume' }, never);
      assert.deepEqual([outcome.doneFiles, outcome.failed], [1, 0]);
      assert.deepEqual(treeOf(target()), treeOf(source()));
    });

    it(`${direction}: links and pipes are told and not followed`, async () => {
      mkdirSync(path.join(source(), 'd'), { recursive: true });
      writeFileSync(path.join(bench.folder, 'outside'), 'outside');
      symlinkSync('../../outside', path.join(source(), 'd', 'link'));
      symlinkSync('..', path.join(source(), 'd', 'loop'));
      writeFileSync(path.join(source(), 'd', 'file'), 'file');
      const outcome = await bench.engine.folder({ ...ends(), existing: 'skip' }, never);
      assert.deepEqual(outcome.warnings.map(({ code, path: at }) => `${code} ${path.basename(at)}`).sort(), [
        'link-skipped link',
        'link-skipped loop',
      ]);
      assert.deepEqual(Object.keys(treeOf(target())).sort(), ['d/', 'd/file']);
    });

    it(`${direction}: one that fails does not stop the others, and is named with its reason`, async () => {
      mkdirSync(path.join(source(), 'd', 'below'), { recursive: true });
      for (const name of ['a', 'b', 'd/c', 'd/below/e']) writeFileSync(path.join(source(), name), name);
      mkdirSync(path.join(target(), 'a'), { recursive: true });
      symlinkSync('/tmp', path.join(target(), 'd'));
      const outcome = await bench.engine.folder({ ...ends(), existing: 'overwrite' }, never);
      const failures = outcome.failures.map(
        ({ path: at, fault }) => `${path.relative(source(), at)} ${fault.code}`,
      );
      assert.deepEqual(failures.sort(), [
        'a is-directory',
        'd outside-folder',
        'd/below outside-folder',
        'd/below/e outside-folder',
        'd/c outside-folder',
      ]);
      assert.deepEqual([outcome.doneFiles, outcome.failed], [1, 5]);
      assert.equal(readFileSync(path.join(target(), 'b'), 'utf8'), 'b');
      assert.equal(existsSync('/tmp/c'), false);
    });
  }

  it('a folder that is not there is not made', async () => {
    const work = bench.engine.folder(
      { from: bench.there('none'), to: bench.here('to'), existing: 'skip' },
      never,
    );
    await assert.rejects(work, (error) => isTermindError(error) && error.fault.code === 'not-found');
    assert.deepEqual(readdirSync(bench.local), []);
  });

  for (const [name, to] of [
    ['into a folder of its own', 'from/inside/from'],
    ['over itself', 'from'],
  ] as const)
    it(`a folder is not copied ${name}`, async () => {
      mkdirSync(path.join(bench.remote, 'from/inside'), { recursive: true });
      writeFileSync(path.join(bench.remote, 'from/a'), 'a');
      const before = treeOf(bench.remote);
      const work = bench.engine.folder(
        { from: bench.there('from'), to: bench.there(to), existing: 'overwrite' },
        never,
      );
      await assert.rejects(work, (error) => isTermindError(error) && error.fault.code === 'nested-folders');
      assert.deepEqual(treeOf(bench.remote), before);
    });

  it('a folder is copied beside itself under a name that begins with its own', async () => {
    mkdirSync(path.join(bench.remote, 'from'));
    writeFileSync(path.join(bench.remote, 'from/a'), 'a');
    const ends = { from: bench.there('from'), to: bench.there('from-2') };
    await bench.engine.folder({ ...ends, existing: 'skip' }, never);
    assert.deepEqual(treeOf(path.join(bench.remote, 'from-2')), treeOf(path.join(bench.remote, 'from')));
  });

  it('files from many places have their results by number', async () => {
    for (const name of ['a', 'b']) writeFileSync(path.join(bench.local, name), name);
    const told: string[] = [];
    await bench.engine.files(
      ['a', 'none', 'b'].map((name) => ({ from: bench.here(name), to: bench.there(name), existing: 'skip' })),
      {
        onResult: (result, index) =>
          told.push(`${String(index)} ${'fault' in result ? result.fault.code : result.outcome.k}`),
      },
      never,
    );
    assert.deepEqual(told.sort(), ['0 done', '1 not-found', '2 done']);
    assert.deepEqual(readdirSync(bench.remote).sort(), ['a', 'b']);
  });
});
