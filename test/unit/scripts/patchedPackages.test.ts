import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { root as checkout } from '../../../scripts/checkout.ts';
import { checkPatchedPackages } from '../../../scripts/setup/patchedPackages.mjs';

describe('packages that are patched', () => {
  let root: string;
  const write = async (file: string, content: unknown): Promise<void> => {
    const target = path.join(root, file);
    await fs.mkdir(path.dirname(target), { recursive: true });
    await fs.writeFile(target, typeof content === 'string' ? content : JSON.stringify(content));
  };
  beforeEach(async () => {
    root = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-patched-'));
    const sum = createHash('sha256').update('patched').digest('hex');
    await write('patches/expected.json', {
      some: { version: '1.0.0', integrity: 'sha512-a', patched: { 'lib/a.js': sum } },
    });
    await write('package-lock.json', {
      packages: { 'node_modules/some': { version: '1.0.0', integrity: 'sha512-a' } },
    });
    await write('node_modules/some/lib/a.js', 'patched');
  });
  afterEach(() => fs.rm(root, { recursive: true }));

  it('pass when they are what the patches make of them', async () => {
    await checkPatchedPackages(root);
  });

  it('fail when a file is not patched, or in another way', async () => {
    await write('node_modules/some/lib/a.js', 'as published');
    await assert.rejects(checkPatchedPackages(root), /lib\/a\.js of some as its patches make it/);
  });

  for (const [what, locked] of [
    ['another version', { version: '1.0.1', integrity: 'sha512-a' }],
    ['other bytes under the same version', { version: '1.0.0', integrity: 'sha512-b' }],
    ['no such package', undefined],
  ] as const)
    it(`fail when the lock file has ${what}`, async () => {
      await write('package-lock.json', {
        packages: locked === undefined ? {} : { 'node_modules/some': locked },
      });
      await assert.rejects(
        checkPatchedPackages(root),
        /some 1\.0\.0 with the hash its patches were written for/,
      );
    });

  it('are in this checkout as they should be, and their versions are pinned exactly (TRAP-23)', async () => {
    await checkPatchedPackages(checkout);
    const manifest = JSON.parse(await fs.readFile(path.join(checkout, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const expected = JSON.parse(
      await fs.readFile(path.join(checkout, 'patches/expected.json'), 'utf8'),
    ) as Record<string, { version: string }>;
    for (const [name, { version }] of Object.entries(expected))
      assert.equal(manifest.dependencies[name], version);
  });

  it('have a patch file for each name in the table, and a row for each file', async () => {
    const files = (await fs.readdir(path.join(checkout, 'patches')))
      .filter((name) => name.endsWith('.patch'))
      .map((name) => name.replace(/^ssh2\+1\.17\.0\+|\.patch$/g, ''))
      .sort();
    const table = await fs.readFile(path.join(checkout, 'patches/README.md'), 'utf8');
    assert.deepEqual([...table.matchAll(/^\| `(\d+\+[a-z-]+)` \|/gm)].map(([, name]) => name).sort(), files);
  });
});
