import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import fc from 'fast-check';
import type { FolderAccess, ScratchWorkspace } from '../../../src/agentkit/index.ts';
import { bytes, scratchFolder, signal, type ScratchFolder } from './scratchFolder.ts';

const accesses: readonly FolderAccess[] = process.platform === 'linux' ? ['descriptor', 'path'] : ['path'];
/** What every file outside of scratch holds. Nothing may read or change it. */
const outside = 'outside of scratch';

/** Parts of which escapes are made on any system. */
const part = fc.constantFrom(
  ...['..', '.', '', 'a', 'b', 'deep', 'link', 'linkIn', 'file', 'outer', 'kept', '~', '~root'],
  ...['..\\', '\\', 'C:', 'C:\\', '\\\\host\\share', 'NUL', 'con.txt', 'a:stream', 'a.', 'a ', '...', '. .'],
  ...['\0', '\n', '%2e%2e', '．．', '\u2025', '\u2024\u2024', 'etc', 'passwd', 'x'.repeat(300)],
);
const file = fc
  .tuple(
    fc.constantFrom('', '/', './', '../', '//'),
    fc.array(part, { maxLength: 5 }),
    fc.constantFrom('/', '//', '\\'),
  )
  .map(([start, parts, slash]) => start + parts.join(slash));
/** Ways through the links that are there, and plain places that things are moved to and from. */
const likely = fc
  .tuple(
    fc.constantFrom('link', 'a/link', 'linkIn', 'file', 'a/deep/link', 'a', 'a/deep', 'b'),
    fc.constantFrom('', '/kept', '/a', '/new', '/new/x', '/link/kept'),
  )
  .map(([place, below]) => place + below);
const anyFile = fc.oneof(file, likely);
const step = fc.record({
  what: fc.constantFrom('write', 'update', 'read', 'copy', 'move', 'delete', 'list'),
  from: anyFile,
  to: anyFile,
  overwrite: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take({ what, from, to, overwrite }: Step, scratch: ScratchWorkspace): Promise<unknown> {
  switch (what) {
    case 'write':
      return scratch.write(to, { bytes: bytes('inside') }, signal);
    case 'update':
      return scratch.update(to, (now) => now ?? bytes('new'), signal);
    case 'read':
      return (await scratch.read(from, signal)).toString('utf8');
    case 'copy':
    case 'move':
      return scratch[what]({ from, to, overwrite }, signal);
    case 'delete':
      return scratch.delete(from, { recursive: true }, signal);
    case 'list':
      return scratch.list(from, { recursive: true }, signal);
  }
}

for (const folderAccess of accesses)
  describe(`S5: no path leads out of scratch, folders held by ${folderAccess}`, function () {
    this.timeout(120_000);
    let place: ScratchFolder;
    beforeEach(() => {
      place = scratchFolder();
    });
    afterEach(() => place.remove());

    /** Scratch with links in every place where they could lead astray, beside files that must stay as they are. */
    function prepare(): void {
      rmSync(place.folder, { recursive: true, force: true });
      mkdirSync(path.join(place.root, 'a/deep'), { recursive: true });
      mkdirSync(path.join(place.folder, 'outer'));
      for (const kept of ['kept', 'outer/kept', 'outer/a'])
        writeFileSync(path.join(place.folder, kept), outside);
      for (const [target, name] of [
        ['../outer', 'link'],
        ['../../outer', 'a/link'],
        ['../outer/kept', 'file'],
        ['a', 'linkIn'],
        ['../../..', 'a/deep/link'],
      ] as const)
        symlinkSync(target, path.join(place.root, name));
    }

    /** Everything beside the root, links and all. */
    function beside(): readonly string[] {
      const found: string[] = [];
      const look = (folder: string): void => {
        for (const name of readdirSync(path.join(place.folder, folder)).sort()) {
          const at = path.join(folder, name);
          const full = path.join(place.folder, at);
          if (full === place.root || full.startsWith(`${place.root}.`)) continue;
          const kind = lstatSync(full);
          if (kind.isDirectory()) look(at);
          else found.push(`${at}: ${kind.isFile() ? readFileSync(full, 'utf8') : 'no file'}`);
        }
      };
      look('');
      return found;
    }

    it('whatever it is made of, and whatever is done with it', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
          prepare();
          const before = beside();
          const scratch = place.open({ folderAccess });
          const seen: unknown[] = [];
          for (const step of steps) seen.push(await take(step, scratch).catch(() => undefined));
          scratch.dispose();
          assert.deepEqual(beside(), before, 'nothing beside scratch was made, changed or removed');
          assert.ok(!JSON.stringify(seen).includes(outside), 'and nothing of it was read');
        }),
        { numRuns: 150 },
      );
    });
  });
