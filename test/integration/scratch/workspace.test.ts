import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { FolderAccess, ScratchChange, ScratchWorkspace } from '../../../src/agentkit/index.ts';
import { bytes, says, scratchFolder, signal, type ScratchFolder } from './scratchFolder.ts';

const mebibyte = 1_048_576;
const accesses: readonly FolderAccess[] = process.platform === 'linux' ? ['descriptor', 'path'] : ['path'];

for (const folderAccess of accesses)
  describe(`scratch, folders held by ${folderAccess}`, () => {
    let place: ScratchFolder;
    let scratch: ScratchWorkspace;

    beforeEach(() => {
      place = scratchFolder();
      scratch = place.open({ folderAccess });
    });
    afterEach(() => {
      scratch.dispose();
      place.remove();
    });

    const write = (file: string, text: string) => scratch.write(file, { bytes: bytes(text) }, signal);
    const read = async (file: string): Promise<string> => (await scratch.read(file, signal)).toString('utf8');
    const usage = async (): Promise<readonly [number, number]> => {
      const { bytes: used, files } = await scratch.usage(signal);
      return [used, files];
    };

    it('writes whole files, creates folders and counts exactly', async () => {
      assert.deepEqual(await write('c/outputs/a.txt', 'one'), {
        path: 'c/outputs/a.txt',
        bytes: 3,
        created: true,
        totals: { bytes: 3, files: 1, byteQuota: 64 * mebibyte, fileQuota: 512 },
      });
      const again = await write('c//outputs/./a.txt', 'three');
      assert.deepEqual([again.created, again.totals.bytes, again.totals.files], [false, 5, 1]);
      assert.equal(await read('c/outputs/a.txt'), 'three');
    });

    it("files and folders are the owner's alone, and nothing is left beside them", async () => {
      await write('f/a', 'x');
      if (process.platform !== 'win32') {
        assert.equal(statSync(path.join(place.root, 'f/a')).mode & 0o777, 0o600);
        assert.equal(statSync(path.join(place.root, 'f')).mode & 0o777, 0o700);
        assert.equal(statSync(place.root).mode & 0o777, 0o700);
      }
      assert.deepEqual(readdirSync(`${place.root}.tmp`), []);
      assert.ok(!existsSync(`${place.root}.lock`));
    });

    it('lists in order of paths, with totals', async () => {
      await write('b/x', '22');
      await write('a', '1');
      await write('b/.hidden', '');
      const shallow = await scratch.list('', { recursive: false }, signal);
      assert.deepEqual(
        shallow.entries.map(({ path: at, kind, bytes: size }) => [at, kind, size]),
        [
          ['a', 'file', 1],
          ['b', 'directory', 0],
        ],
      );
      const deep = await scratch.list('.', { recursive: true }, signal);
      assert.deepEqual(
        deep.entries.map(({ path: at }) => at),
        ['a', 'b', 'b/.hidden', 'b/x'],
      );
      assert.deepEqual([deep.totals.bytes, deep.totals.files], [3, 3]);
      await assert.rejects(
        scratch.list('none', { recursive: false }, signal),
        says('Not found in scratch: none'),
      );
      await assert.rejects(scratch.list('a', { recursive: false }, signal), says('Not a directory: a'));
    });

    it('tells what is missing or of another kind', async () => {
      await write('f/a', 'x');
      await assert.rejects(scratch.read('f/b', signal), says('Not found in scratch: f/b'));
      await assert.rejects(scratch.read('no/b', signal), says('Not found in scratch: no/b'));
      await assert.rejects(scratch.read('f', signal), says('Is a directory: f'));
      await assert.rejects(write('f', 'x'), says('Is a directory: f'));
      await assert.rejects(write('f/a/b', 'x'), says('Not a directory: f/a/b'));
      await assert.rejects(scratch.delete('f', {}, signal), says('The directory is not empty: f'));
      await assert.rejects(
        scratch.delete('f', { kind: 'file' }, signal),
        says('f is a directory, not a file.'),
      );
      await assert.rejects(scratch.makeDirectory('f', signal), says('Already exists in scratch: f'));
      await assert.rejects(
        scratch.write('f/a', { bytes: bytes('y'), createOnly: true }, signal),
        says('Already exists in scratch: f/a'),
      );
      assert.equal(await read('f/a'), 'x');
    });

    it('deletes files, empty folders, trees and everything', async () => {
      await write('f/g/a', '123');
      await write('f/b', '4');
      await scratch.makeDirectory('empty/e', signal);
      assert.deepEqual((await scratch.delete('f/b', { kind: 'file' }, signal)).files, 1);
      await scratch.delete('empty/e', { kind: 'directory' }, signal);
      assert.deepEqual((await scratch.delete('f', { recursive: true }, signal)).bytes, 0);
      await write('z', '1');
      await scratch.clear(signal);
      assert.deepEqual(readdirSync(place.root), []);
      assert.deepEqual(await usage(), [0, 0]);
    });

    it('an update sees the present bytes, and nothing when it throws', async () => {
      await write('a', 'one');
      await scratch.update('a', (current) => bytes(`${current?.toString() ?? ''} two`), signal);
      await assert.rejects(
        scratch.update(
          'a',
          () => {
            throw new Error('refused');
          },
          signal,
        ),
        /refused/,
      );
      assert.equal(await read('a'), 'one two');
      await scratch.update('new', (current) => bytes(String(current === undefined)), signal);
      assert.equal(await read('new'), 'true');
    });

    it('an append adds to exactly the file it expects', async () => {
      await scratch.write('log', { bytes: bytes('ab'), createOnly: true }, signal);
      await scratch.append('log', { bytes: bytes('c'), expectedBytes: 2 }, signal);
      await assert.rejects(
        scratch.append('log', { bytes: bytes('d'), expectedBytes: 2 }, signal),
        says('Scratch could not be used: log was changed by someone else.'),
      );
      assert.equal(await read('log'), 'abc');
      assert.deepEqual(await usage(), [3, 1]);
    });

    it('copies files and trees at once', async () => {
      await write('f/a', '1');
      await write('f/g/b', '22');
      const copied = await scratch.copy({ from: 'f', to: 'x/f2', overwrite: false }, signal);
      assert.deepEqual(
        [copied.kind, copied.files, copied.bytes, copied.overwritten, copied.totals.files],
        ['directory', 2, 3, false, 4],
      );
      assert.equal(await read('x/f2/g/b'), '22');
      const over = await scratch.copy({ from: 'f/g/b', to: 'f/a', overwrite: true }, signal);
      assert.deepEqual([over.overwritten, over.totals.bytes, over.totals.files], [true, 7, 4]);
      assert.deepEqual(await usage(), [7, 4]);
    });

    for (const method of ['copy', 'move'] as const)
      it(`${method} refuses what it must before anything changes`, async () => {
        await write('f/a', '1');
        await write('b', '2');
        const attempt = (from: string, to: string, overwrite = false) =>
          scratch[method]({ from, to, overwrite }, signal);
        await assert.rejects(
          attempt('b', './b'),
          says('The scratch path is refused: source and target are the same.'),
        );
        await assert.rejects(
          attempt('f', 'f/g'),
          says('The scratch path is refused: the target lies inside the source.'),
        );
        await assert.rejects(attempt('b', 'f/a'), says('Already exists in scratch: f/a'));
        await assert.rejects(attempt('b', 'f', true), says('Already exists in scratch: f'));
        await assert.rejects(attempt('none', 'x'), says('Not found in scratch: none'));
        await assert.rejects(
          attempt('f', '1/2/3/4/5/6/7/8'),
          says('The scratch path is refused: it has more than 8 components.'),
        );
        assert.deepEqual(
          (await scratch.list('', { recursive: true }, signal)).entries.map((entry) => entry.path),
          ['b', 'f', 'f/a'],
        );
      });

    it('moves, also where every entry is taken', async () => {
      await write('f/a', '1');
      mkdirSync(path.join(place.root, 'many'));
      for (let index = 1; index < 512; index++) writeFileSync(path.join(place.root, `many/${index}`), '');
      scratch = place.open({ folderAccess });
      await assert.rejects(
        write('one more', ''),
        says('Scratch is full: 512 of 512 files exist. Delete files that are no longer needed.'),
      );
      const moved = await scratch.move({ from: 'f/a', to: 'g/h/a', overwrite: false }, signal);
      assert.deepEqual([moved.files, moved.totals.files], [1, 512]);
      await scratch.move({ from: 'many/1', to: 'many/2', overwrite: true }, signal);
      await write('one more', '');
      assert.deepEqual(await usage(), [1, 512]);
    });

    it('holds both byte limits to the byte', async () => {
      const block = Buffer.alloc(8 * mebibyte, 'x');
      await assert.rejects(
        scratch.write('big', { bytes: Buffer.alloc(8 * mebibyte + 1) }, signal),
        says('A scratch file holds at most 8388608 bytes; this one would have 8388609.'),
      );
      for (let index = 0; index < 7; index++) await scratch.write(`b${index}`, { bytes: block }, signal);
      await scratch.write('b7', { bytes: block.subarray(1) }, signal);
      await write('last', 'x');
      const full =
        'Scratch is full: 67108864 of 67108864 bytes are used and 1 more are needed. Delete files that are no longer needed.';
      await assert.rejects(write('more', 'x'), says(full));
      await assert.rejects(write('last', 'xx'), says(full));
      await assert.rejects(
        scratch.append('last', { bytes: bytes('x'), expectedBytes: 1 }, signal),
        says(full),
      );
      await assert.rejects(scratch.copy({ from: 'last', to: 'copy', overwrite: false }, signal), says(full));
      assert.equal((await write('last', 'y')).totals.bytes, 64 * mebibyte);
      assert.equal((await write('last', '')).totals.bytes, 64 * mebibyte - 1);
      assert.deepEqual(readdirSync(place.root).length, 9);
    });

    it('counts again before it refuses, so that room made by others is found', async () => {
      mkdirSync(place.root);
      for (let index = 0; index < 512; index++) writeFileSync(path.join(place.root, String(index)), '');
      await assert.rejects(write('a', 'x'));
      unlinkSync(path.join(place.root, '7'));
      await write('a', 'x');
    });

    it('tells what it changed', async () => {
      const changes: ScratchChange[] = [];
      scratch.onDidChange((fired) => changes.push(...fired));
      await write('a', '1');
      await write('a', '2');
      await scratch.move({ from: 'a', to: 'b', overwrite: false }, signal);
      await scratch.delete('b', {}, signal);
      await scratch.read('c', signal).catch(() => undefined);
      assert.deepEqual(
        changes.map(({ path: at, kind }) => `${kind} ${at}`),
        ['created a', 'changed a', 'deleted a', 'created b', 'deleted b'],
      );
    });

    it('an abort ends waiting and leaves the queue working', async () => {
      const stopped = new AbortController();
      const first = write('a', '1');
      const second = scratch.write('b', { bytes: bytes('2') }, stopped.signal);
      stopped.abort(new Error('stop'));
      await assert.rejects(second, /stop/);
      await first;
      assert.deepEqual(await usage(), [1, 1]);
    });

    if (process.platform !== 'win32') {
      const link = (target: string, name: string): void => symlinkSync(target, path.join(place.root, name));
      const refused = (name: string) =>
        says(`The scratch path is refused: ${name} is a link or no regular file.`);

      it('S5: refuses links, also those that point inside, on every component', async () => {
        await write('f/a', 'secret of the folder');
        writeFileSync(path.join(place.folder, 'outside'), 'outside');
        mkdirSync(path.join(place.folder, 'outer'));
        link('f', 'inside');
        link('f/a', 'file');
        link('../outside', 'out');
        link('../outer', 'outer');
        link('nowhere', 'dangling');
        await assert.rejects(scratch.read('inside/a', signal), refused('inside'));
        await assert.rejects(scratch.read('file', signal), refused('file'));
        await assert.rejects(scratch.read('out', signal), refused('out'));
        await assert.rejects(write('out', 'x'), refused('out'));
        await assert.rejects(write('dangling', 'x'), refused('dangling'));
        await assert.rejects(write('outer/x', 'x'), refused('outer'));
        await assert.rejects(scratch.delete('out', {}, signal), refused('out'));
        await assert.rejects(
          scratch.copy({ from: 'outer', to: 'x', overwrite: false }, signal),
          refused('outer'),
        );
        assert.deepEqual(
          (await scratch.list('', { recursive: true }, signal)).entries.map((entry) => entry.path),
          ['f', 'f/a'],
        );
        assert.equal(readFileSync(path.join(place.folder, 'outside'), 'utf8'), 'outside');
        assert.deepEqual(readdirSync(path.join(place.folder, 'outer')), []);
      });

      it('S5: a tree with a link or a pipe is neither copied nor moved', async () => {
        await write('f/a', '1');
        link('a', 'f/l');
        for (const method of ['copy', 'move'] as const)
          await assert.rejects(
            scratch[method]({ from: 'f', to: 'g', overwrite: false }, signal),
            refused('l'),
          );
        unlinkSync(path.join(place.root, 'f/l'));
        execFileSync('mkfifo', [path.join(place.root, 'f/p')]);
        await assert.rejects(scratch.copy({ from: 'f', to: 'g', overwrite: false }, signal), refused('p'));
        await assert.rejects(scratch.read('f/p', signal), refused('p'));
      });

      it('S5: a recursive delete removes links and never follows them', async () => {
        mkdirSync(path.join(place.folder, 'outer'));
        writeFileSync(path.join(place.folder, 'outer/kept'), 'kept');
        await write('f/a', '1');
        link('../../outer', 'f/l');
        await scratch.delete('f', { recursive: true }, signal);
        assert.equal(readFileSync(path.join(place.folder, 'outer/kept'), 'utf8'), 'kept');
        assert.deepEqual(readdirSync(place.root), []);
      });

      // Held by path, a folder can be swapped between the check and the act; that is found behind it and said.
      const proven = folderAccess === 'descriptor' ? it : undefined;
      proven?.('S5: a folder that becomes a link in the middle of things leads nowhere', async () => {
        const outer = path.join(place.folder, 'outer');
        mkdirSync(outer);
        writeFileSync(path.join(outer, 'a'), 'outside');
        await write('f/a', 'inside');
        const [inside, aside] = [path.join(place.root, 'f'), path.join(place.root, 'f2')];
        const swapped = new AbortController();
        const swap = (async () => {
          while (!swapped.signal.aborted) {
            renameSync(inside, aside);
            insteadOf(inside, () => symlinkSync(outer, inside));
            await new Promise(setImmediate);
            insteadOf(inside, () => renameSync(aside, inside));
            await new Promise(setImmediate);
          }
        })();
        for (let round = 0; round < 150; round++) {
          const seen = await read('f/a').catch(() => 'inside');
          assert.match(seen, /^inside/);
          await write('f/a', `inside ${round}`).catch(() => undefined);
        }
        swapped.abort();
        await swap;
        assert.deepEqual(readdirSync(outer), ['a']);
        assert.equal(readFileSync(path.join(outer, 'a'), 'utf8'), 'outside');
      });

      it('reads from a folder that may not be written, and says why it cannot write', async () => {
        await write('a', '1');
        await asOrdinaryUser(
          async () => {
            chmodSync(place.folder, 0o555);
            chmodSync(place.root, 0o555);
            chmodSync(path.join(place.root, 'a'), 0o444);
          },
          async () => {
            assert.equal(await read('a'), '1');
            await assert.rejects(
              write('b', '2'),
              says('Scratch could not be used: its folder may not be written or read.'),
            );
          },
        );
        chmodSync(place.folder, 0o700);
        chmodSync(place.root, 0o700);
      });
    }
  });

/** Puts something in the place of a folder that scratch may be creating again at the same moment. */
function insteadOf(folder: string, put: () => void): void {
  for (let attempt = 0; ; attempt++) {
    rmSync(folder, { recursive: true, force: true });
    try {
      return put();
    } catch (error) {
      if (attempt === 50) throw error;
    }
  }
}

/** Root may write everywhere, so a test that runs as root looks through the eyes of another user. */
async function asOrdinaryUser(prepare: () => Promise<void>, look: () => Promise<void>): Promise<void> {
  await prepare();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await look();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}
