import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { LocalEntry, LocalFolder } from '../../../src/application/ports/localFiles.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import type { DirectoryAccess } from '../../../src/infrastructure/files/heldDirectory.ts';
import { LocalFiles } from '../../../src/infrastructure/files/localFiles.ts';

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => (isTermindError(error) ? error.fault.code : String(error)),
  );

/** What this process has open below a folder though it has no name there any more, as far as the system tells. */
const openButGone = (folder: string): readonly string[] =>
  (existsSync(descriptors) ? readdirSync(descriptors) : [])
    .map((descriptor) => {
      try {
        return readlinkSync(path.join(descriptors, descriptor));
      } catch {
        return ''; // of the listing itself
      }
    })
    .filter((target) => target.startsWith(folder) && target.endsWith(' (deleted)'));
const descriptors = '/proc/self/fd';

for (const access of ['descriptor', 'path'] as const satisfies readonly DirectoryAccess[])
  describe(`a chosen folder, held by ${access}`, () => {
    let base: string;
    let root: string;
    let outside: string;
    let folder: LocalFolder;

    beforeEach(async () => {
      base = mkdtempSync(path.join(os.tmpdir(), 'termind-local-'));
      root = path.join(base, 'chosen');
      outside = path.join(base, 'outside');
      for (const one of [root, outside]) mkdirSync(one);
      folder = await new LocalFiles({ access, rules: 'bytes' }).openFolder(root);
    });
    afterEach(async () => {
      await folder.close();
      rmSync(base, { recursive: true, force: true });
    });

    it('writes, reads, cuts, dresses and renames a file', async () => {
      await folder.mkdir(['d'], 0o700);
      const file = await folder.create(['d', 'part']);
      await file.write(3, Buffer.from('defgh'));
      await file.write(0, Buffer.from('abc'));
      await file.truncate(6);
      assert.equal(await file.flush(), true);
      assert.equal(Buffer.from(await file.read(2, 10)).toString(), 'cdef');
      assert.equal((await file.read(6, 1)).length, 0);
      await file.change({ mode: 0o640, times: { accessed: 1, modified: 1_700_000_000 } });
      await file.close();
      await folder.rename({ from: ['d', 'part'], name: 'whole', replace: false });
      assert.deepEqual(await folder.stat(['d', 'whole']), {
        kind: 'file',
        size: 6,
        mode: 0o640,
        accessed: 1,
        modified: 1_700_000_000,
      });
      assert.equal(statSync(path.join(root, 'd')).mode & 0o777, 0o700);
    });

    it('lists what is in a directory without following links', async () => {
      writeFileSync(path.join(root, 'file'), 'four');
      mkdirSync(path.join(root, 'directory'));
      symlinkSync('/etc', path.join(root, 'link'));
      const entries: LocalEntry[] = [];
      for await (const entry of folder.list([])) entries.push(entry);
      const kinds = entries.map(({ name, kind }) => `${name} ${kind}`).sort();
      assert.deepEqual(kinds, ['directory directory', 'file file', 'link symlink']);
    });

    it('keeps names that are no UTF-8', async () => {
      const name = '\u{10fee9}t\u{10fee9}';
      await (await folder.create([name])).close();
      assert.deepEqual(
        readdirSync(root, { encoding: 'buffer' }).map((bytes) => bytes.toString('latin1')),
        ['\xe9t\xe9'],
      );
      assert.equal((await folder.stat([name]))?.kind, 'file');
    });

    for (const name of ['..', '.', '', '../x', '/etc/passwd', 'a/b', 'a\0b', 'x'.repeat(256)])
      it(`refuses the name ${JSON.stringify(name).slice(0, 20)}`, async () => {
        for (const at of [[name], [name, 'below']]) {
          assert.equal(await codeOf(folder.create(at)), 'bad-name');
          assert.equal(await codeOf(folder.mkdir(at, 0o755)), 'bad-name');
          assert.equal(await codeOf(folder.remove(at)), 'bad-name');
        }
      });

    for (const to of ['../outside', '.', 'nowhere'])
      it(`does not go over a link to ${to}`, async () => {
        writeFileSync(path.join(outside, 'secret'), 'secret');
        symlinkSync(to, path.join(root, 'link'));
        for (const work of [
          () => folder.create(['link', 'new']),
          () => folder.openRead(['link', 'secret']),
          () => folder.openWrite(['link', 'secret']),
          () => folder.mkdir(['link', 'new'], 0o755),
          () => folder.remove(['link', 'secret']),
          () => folder.rename({ from: ['link', 'secret'], name: 'x', replace: true }),
          () => folder.change(['link', 'secret'], { mode: 0 }),
          () => folder.stat(['link', 'secret']),
          () => folder.openRead(['link']),
          () => folder.openWrite(['link']),
          () => folder.change(['link'], { mode: 0 }),
        ])
          assert.equal(await codeOf(work()), 'outside-folder');
        assert.deepEqual(readdirSync(outside), ['secret']);
        assert.equal(readFileSync(path.join(outside, 'secret'), 'utf8'), 'secret');
      });

    it('does not create through a link that has the name of the file', async () => {
      symlinkSync('../outside/new', path.join(root, 'link'));
      assert.equal(await codeOf(folder.create(['link'])), 'exists');
      assert.deepEqual(readdirSync(outside), []);
    });

    it('renames onto nothing only, unless it may replace', async () => {
      for (const name of ['a', 'b']) writeFileSync(path.join(root, name), name);
      assert.equal(await codeOf(folder.rename({ from: ['a'], name: 'b', replace: false })), 'exists');
      await folder.rename({ from: ['a'], name: 'b', replace: true });
      assert.deepEqual(readdirSync(root), ['b']);
      assert.equal(readFileSync(path.join(root, 'b'), 'utf8'), 'a');
    });

    it('lets go of a large file that was replaced', async () => {
      writeFileSync(path.join(root, 'old'), 'old');
      truncateSync(path.join(root, 'old'), 32 * 1024 * 1024);
      writeFileSync(path.join(root, 'part'), 'new');
      await folder.rename({ from: ['part'], name: 'old', replace: true });
      assert.equal(readFileSync(path.join(root, 'old'), 'utf8'), 'new');
      while (openButGone(root).length > 0) await nextTurn();
    });

    it('opens no pipe', async () => {
      execFileSync('mkfifo', [path.join(root, 'pipe')]);
      assert.equal(await codeOf(folder.openRead(['pipe'])), 'file-failed');
    });

    it('says what is missing', async () => {
      assert.equal(await folder.stat(['none']), undefined);
      assert.equal(await codeOf(folder.openRead(['none'])), 'not-found');
      assert.equal(await codeOf(folder.create(['none', 'file'])), 'not-found');
      writeFileSync(path.join(root, 'file'), '');
      assert.equal(await codeOf(folder.create(['file', 'file'])), 'not-directory');
      assert.equal(await codeOf(folder.openRead([])), 'is-directory');
    });
  });

it('a folder that is held by descriptor stays the one it was', async () => {
  const base = mkdtempSync(path.join(os.tmpdir(), 'termind-local-'));
  for (const one of ['chosen', 'outside']) mkdirSync(path.join(base, one));
  const folder = await new LocalFiles({ access: 'descriptor' }).openFolder(path.join(base, 'chosen'));
  try {
    renameSync(path.join(base, 'chosen'), path.join(base, 'moved'));
    symlinkSync('outside', path.join(base, 'chosen'));
    await (await folder.create(['file'])).close();
    assert.deepEqual(
      [readdirSync(path.join(base, 'moved')), readdirSync(path.join(base, 'outside'))],
      [['file'], []],
    );
  } finally {
    await folder.close();
    rmSync(base, { recursive: true, force: true });
  }
});
