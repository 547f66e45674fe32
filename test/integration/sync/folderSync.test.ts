import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { CompareProgress } from '../../../src/application/sync/folderSync.ts';
import { keyOfPath } from '../../../src/domain/sync/syncEntry.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { faultOf, startServer } from '../ssh/sshBench.ts';
import { treeOf } from '../transfer/transferBench.ts';
import { planText, resultText, rsyncChanges, SyncBench } from './syncBench.ts';

const then = 1_700_000_000;

/** Writes a file with its directories, as it was at some time. */
async function put(
  [folder, name]: readonly [string, string],
  content: string | Buffer,
  time = then,
): Promise<void> {
  const file = path.join(folder, name);
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(file, content);
  await fs.utimes(file, time, time);
}

describe('two folders, one of them on a host', function () {
  this.timeout(120_000);
  let server: Sshd;
  let bench: SyncBench;

  before(async () => (server = await startServer({})));
  after(() => server.stop());
  beforeEach(async () => (bench = await SyncBench.make(server)));
  afterEach(() => bench.dispose());

  /** Names that are unusual but allowed, in directories. */
  async function fill(folder: string): Promise<void> {
    for (const name of [
      'a',
      '-rf',
      'two\nlines',
      'häuser',
      'd/e/f',
      'd/g',
      '$(x)',
      'back\\slash',
      'x'.repeat(255),
    ])
      await put([folder, name], `content of ${name}`);
    await fs.mkdir(path.join(folder, 'empty'));
    await fs.writeFile(
      Buffer.concat([Buffer.from(`${folder}/`), Buffer.from('latin1 \xe9', 'latin1')]),
      'latin1',
    );
    await put([folder, 'large'], Buffer.alloc(3_000_001, 'large'));
  }

  it('are equal after what was planned, in either direction, and nothing is planned then', async () => {
    await fill(bench.left);
    await put([bench.right, 'a'], 'older');
    await bench.own();
    const up = await bench.run(await bench.compare());
    assert.deepEqual(
      [up.stoppedBy, new Set(up.steps.map(({ outcome }) => outcome.k))],
      [undefined, new Set(['done'])],
    );
    assert.deepEqual(treeOf(bench.right), treeOf(bench.left));
    assert.deepEqual(await rsyncChanges(bench.left, bench.right), []);
    assert.deepEqual(planText(await bench.compare({ deletes: true })), []);
    await fs.rm(bench.left, { recursive: true });
    await fs.mkdir(bench.left);
    await bench.run(await bench.compare({ direction: 'toLeft' }));
    assert.deepEqual(treeOf(bench.left), treeOf(bench.right));
  });

  it('are planned as rsync plans them, by content', async () => {
    await put([bench.left, 'same'], 'same');
    await put([bench.left, 'other time'], 'same', then + 9);
    await put([bench.left, 'd/same size'], 'one');
    await put([bench.left, 'd/longer'], 'longer');
    await put([bench.left, 'new/deep/file'], 'new');
    await fs.symlink('same', path.join(bench.left, 'link'));
    await put([bench.right, 'same'], 'same');
    await put([bench.right, 'other time'], 'same');
    await put([bench.right, 'd/same size'], 'two');
    await put([bench.right, 'd/longer'], 'long');
    await put([bench.right, 'old/deep/file'], 'old');
    await put([bench.right, 'old/file'], 'old');
    await bench.own();
    const told: CompareProgress[] = [];
    const comparison = await bench.compare(
      { compare: 'content', deletes: true },
      { onProgress: (progress) => told.push(progress) },
    );
    const changes = comparison.plan.steps.filter(({ changes: side }) => side !== undefined);
    assert.deepEqual(
      changes.map(({ path: at }) => keyOfPath(at)).sort(),
      await rsyncChanges(bench.left, bench.right),
    );
    assert.deepEqual(told.at(-1), { k: 'content', doneFiles: 3, totalFiles: 3 });
    const result = await bench.run(comparison);
    assert.deepEqual(new Set(result.steps.map(({ outcome }) => outcome.k)), new Set(['done']));
    assert.deepEqual(await rsyncChanges(bench.left, bench.right), []);
    assert.deepEqual(planText(await bench.compare({ compare: 'content', deletes: true })), [
      'link: skip link',
    ]);
  });

  for (const [answers, refusal] of [
    ['answers', undefined],
    ['refuses', new Error('no shell')],
  ] as const)
    it(`have their large files digested by a command of the host, which ${answers}`, async () => {
      const large = Buffer.alloc(5 * 2 ** 20, 'large');
      for (const side of [bench.left, bench.right]) {
        await put([side, 'same'], large);
        await put([side, "it's $(differ)ent"], large);
        await put([side, 'small'], 'small');
      }
      await put([bench.right, "it's $(differ)ent"], Buffer.concat([large.subarray(1), Buffer.from('!')]));
      await bench.own();
      bench.refusal = refusal;
      const comparison = await bench.compare({ compare: 'content' });
      assert.deepEqual(planText(comparison), ["it's $(differ)ent: update content"]);
      assert.deepEqual(bench.commands.map((file) => path.basename(file)).sort(), [
        "it's $(differ)ent",
        'same',
      ]);
    });

  it('are filled from each other where both are to be made equal, without a guess about what differs', async () => {
    await put([bench.left, 'a'], 'a');
    await put([bench.left, 'c'], 'left');
    await put([bench.right, 'b/b'], 'b');
    await put([bench.right, 'c'], 'right');
    await bench.own();
    const comparison = await bench.compare({ direction: 'both' });
    assert.deepEqual(resultText(await bench.run(comparison)), ['a: done', 'b: done', 'b/b: done']);
    assert.deepEqual(planText(await bench.compare({ direction: 'both' })), ['c: conflict size']);
    assert.equal(await fs.readFile(path.join(bench.left, 'b/b'), 'utf8'), 'b');
  });

  it('stay as they are where one changed after it was shown', async () => {
    for (const name of ['source', 'target', 'appeared', 'fine']) await put([bench.left, name], name);
    for (const name of ['source', 'target']) await put([bench.right, name], `an older ${name}`);
    await put([bench.right, 'goes'], 'as shown');
    await bench.own();
    const comparison = await bench.compare({ deletes: true });
    await put([bench.left, 'source'], 'changed after', then + 5);
    await put([bench.right, 'target'], 'changed after');
    await put([bench.right, 'appeared'], 'not seen');
    await put([bench.right, 'goes'], 'changed after');
    await bench.own();
    assert.deepEqual(resultText(await bench.run(comparison)), [
      'appeared: conflict conflict',
      'fine: done',
      'goes: conflict conflict',
      'source: conflict conflict',
      'target: conflict conflict',
    ]);
    const read = (name: string): Promise<string> => fs.readFile(path.join(bench.right, name), 'utf8');
    assert.deepEqual(await Promise.all(['appeared', 'goes', 'source', 'target'].map(read)), [
      'not seen',
      'changed after',
      'an older source',
      'changed after',
    ]);
  });

  for (const side of ['left', 'right'] as const)
    it(`a folder on the ${side} that became a link after it was shown is not followed`, async () => {
      const [to, from] = side === 'right' ? (['right', 'left'] as const) : (['left', 'right'] as const);
      await put([bench[from], 'd/file'], 'file');
      await put([bench[from], 'e'], 'e');
      await put([bench[to], 'd/old'], 'old');
      const outside = path.join(path.dirname(bench[to]), 'outside');
      await put([outside, 'old'], 'outside');
      await bench.own();
      const comparison = await bench.compare({
        direction: side === 'right' ? 'toRight' : 'toLeft',
        deletes: true,
      });
      await fs.rm(path.join(bench[to], 'd'), { recursive: true });
      await fs.symlink(outside, path.join(bench[to], 'd'));
      await bench.own();
      try {
        const result = await bench.run(comparison);
        assert.deepEqual(resultText(result), [
          'd/file: conflict conflict',
          'd/old: conflict conflict',
          'e: done',
        ]);
        assert.deepEqual(await fs.readdir(outside), ['old']);
      } finally {
        await fs.rm(outside, { recursive: true });
      }
    });

  it('links are neither followed nor deleted', async () => {
    await fs.symlink('/etc', path.join(bench.left, 'etc'));
    await fs.symlink('/etc', path.join(bench.right, 'other'));
    await put([bench.right, 'd/file'], 'file');
    await fs.symlink('/etc/passwd', path.join(bench.right, 'd/link'));
    await bench.own();
    const comparison = await bench.compare({ deletes: true });
    assert.deepEqual(planText(comparison), [
      'd: skip onlyThere',
      'd/file: delete onlyThere',
      'd/link: skip link',
      'etc: skip link',
      'other: skip link',
    ]);
    assert.deepEqual(resultText(await bench.run(comparison)), ['d/file: done']);
  });

  it('what is deleted on a host is in its trash, below the time', async () => {
    for (const name of ['old', 'd/old', 'd/e/old']) await put([bench.right, name], name);
    await bench.own();
    assert.equal(await bench.syncing.deletionWay(bench.there, new AbortController().signal), 'trash');
    const result = await bench.run(await bench.compare({ deletes: true }));
    assert.deepEqual(resultText(result), [
      'd: done',
      'd/e: done',
      'd/e/old: done',
      'd/old: done',
      'old: done',
    ]);
    assert.ok(result.trash?.startsWith(path.join(server.account.home, '.termind-trash/2')), result.trash);
    assert.deepEqual(Object.keys(treeOf(result.trash ?? '')).sort(), [
      'd/',
      'd/e/',
      'd/e/old',
      'd/old',
      'old',
    ]);
    assert.deepEqual(await fs.readdir(bench.right), []);
  });

  it('what is deleted for good is in no trash', async () => {
    await put([bench.right, 'd/old'], 'old');
    await bench.own();
    const comparison = await bench.compare({ deletes: true });
    const result = await bench.run(comparison, { deletion: 'permanent' });
    assert.deepEqual([resultText(result), result.trash], [['d: done', 'd/old: done'], undefined]);
    assert.deepEqual(await fs.readdir(bench.right), []);
  });

  it('what is deleted on this machine goes to its trash; where there is none it stays', async () => {
    for (const name of ['d/old', 'kept']) await put([bench.left, name], name);
    const comparison = await bench.compare({ direction: 'toLeft', deletes: true });
    await fs.mkdir(path.join(bench.trash, 'kept')); // nothing can be moved there under this name
    assert.deepEqual(resultText(await bench.run(comparison)), [
      'd: done',
      'd/old: done',
      'kept: failed no-trash',
    ]);
    assert.deepEqual(
      [await fs.readdir(bench.left), (await fs.readdir(bench.trash)).sort()],
      [['kept'], ['d', 'kept', 'old']],
    );
  });

  it('a folder is not deleted with what was not shown in it', async () => {
    await put([bench.right, 'd/old'], 'old');
    await bench.own();
    const comparison = await bench.compare({ deletes: true });
    await put([bench.right, 'd/appeared'], 'not seen');
    await bench.own();
    assert.deepEqual(resultText(await bench.run(comparison)), ['d: conflict conflict', 'd/old: done']);
    assert.deepEqual(await fs.readdir(path.join(bench.right, 'd')), ['appeared']);
  });

  it('a folder stays with what could not be deleted in it', async () => {
    await put([bench.right, 'd/e/changes'], 'as shown');
    await put([bench.right, 'd/goes'], 'goes');
    await bench.own();
    const comparison = await bench.compare({ deletes: true });
    await put([bench.right, 'd/e/changes'], 'changed after');
    await bench.own();
    assert.deepEqual(resultText(await bench.run(comparison)), [
      'd: notRun',
      'd/e: notRun',
      'd/e/changes: conflict conflict',
      'd/goes: done',
    ]);
  });

  it('one that fails does not stop the others, and fails what depends on it', async () => {
    for (const name of ['a', 'closed/b', 'closed/new/c', 'z']) await put([bench.left, name], name);
    await fs.mkdir(path.join(bench.right, 'closed'));
    await bench.own();
    await fs.chmod(path.join(bench.right, 'closed'), 0o555);
    assert.deepEqual(resultText(await bench.run(await bench.compare())), [
      'a: done',
      'closed/b: failed denied',
      'closed/new: failed denied',
      'closed/new/c: failed denied',
      'z: done',
    ]);
  });

  it('a folder that cannot be read is told, and nothing in it is decided', async () => {
    await put([bench.left, 'closed/a'], 'a');
    await fs.mkdir(path.join(bench.right, 'closed'));
    await bench.own();
    await fs.chmod(path.join(bench.right, 'closed'), 0);
    const comparison = await bench.compare({ deletes: true });
    assert.deepEqual(planText(comparison), ['closed: conflict unread', 'closed/a: skip above']);
    assert.deepEqual(
      comparison.unread.map(({ path: at, fault }) => `${path.basename(at)} ${fault.code}`),
      ['closed denied'],
    );
  });

  it('what a pattern excludes is not looked into and stays', async () => {
    await put([bench.left, 'node_modules/x'], 'x');
    await put([bench.left, 'a.log'], 'a');
    await put([bench.right, 'd/node_modules/y'], 'y');
    await bench.own();
    const comparison = await bench.compare({ deletes: true }, { excludes: ['node_modules/', '*.log'] });
    assert.deepEqual(planText(comparison), [
      'a.log: skip excluded',
      'd: skip onlyThere',
      'd/node_modules: skip excluded',
      'node_modules: skip excluded',
    ]);
  });

  it('permissions and times come along', async () => {
    await put([bench.left, 'd/script'], '#!/bin/sh');
    await fs.chmod(path.join(bench.left, 'd/script'), 0o750);
    await fs.chmod(path.join(bench.left, 'd'), 0o711);
    await fs.utimes(path.join(bench.left, 'd'), then, then);
    await bench.run(await bench.compare());
    const [script, folder] = await Promise.all(
      ['d/script', 'd'].map((name) => fs.stat(path.join(bench.right, name))),
    );
    assert.deepEqual(
      [script, folder].map((one) => [(one?.mode ?? 0) & 0o777, one?.mtimeMs]),
      [
        [0o750, then * 1_000],
        [0o711, then * 1_000],
      ],
    );
  });

  it('a plan is named by what it holds', async () => {
    await put([bench.left, 'a'], 'a');
    const first = await bench.compare();
    assert.equal((await bench.compare()).digest, first.digest);
    await put([bench.left, 'a'], 'b', then + 1);
    assert.notEqual((await bench.compare()).digest, first.digest);
  });

  it('one that lies in the other is refused, and so is a file', async () => {
    await put([bench.right, 'd/file'], 'x');
    await bench.own();
    for (const [name, code] of [
      ['', 'nested-folders'],
      ['d', 'nested-folders'],
      ['none', 'not-found'],
      ['d/file', 'not-directory'],
    ] as const) {
      const left = bench.line.place(path.join(bench.right, name));
      assert.equal((await faultOf(bench.compare({}, { left }))).code, code);
    }
  });

  it('cancelled, it says what was not begun, and the rest is done by running again', async () => {
    for (let n = 0; n < 20; n++) await put([bench.left, `file ${String(n)}`], Buffer.alloc(100_000, n));
    const comparison = await bench.compare();
    const stop = new AbortController();
    stop.abort(new Error('cancelled'));
    const result = await bench.run(comparison, {}, stop.signal);
    assert.deepEqual(
      [result.stoppedBy?.code, new Set(result.steps.map(({ outcome }) => outcome.k))],
      ['cancelled', new Set(['notRun'])],
    );
    await bench.run(comparison);
    assert.deepEqual(treeOf(bench.right), treeOf(bench.left));
  });
});
