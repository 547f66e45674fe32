import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withLock } from './cache.mjs';
import { npm } from './npm.mjs';
import { checkPatchedPackages } from './patchedPackages.mjs';

/**
 * Makes `node_modules` hold what the lock file and the patches say; nothing happens when it already does.
 * Install scripts do not run: the only ones among our packages compile optional native parts of ssh2, which the
 * product never ships. Patches are applied here instead.
 * @param {string} root the checkout
 * @param {string} nodeFolder the toolchain that runs npm
 */
export async function ensureDependencies(root, nodeFolder) {
  const marker = path.join(root, 'node_modules', '.termind-lock');
  const wanted = await fingerprint(root);
  const isCurrent = async () => (await readFile(marker, 'utf8').catch(() => '')) === wanted;
  if (await isCurrent()) return;
  await mkdir(path.join(root, '.cache'), { recursive: true });
  await withLock(path.join(root, '.cache', 'dependencies.lock'), async () => {
    if (await isCurrent()) return;
    console.error('Installing the packages of package-lock.json …');
    const about = { cwd: root, nodeFolder, wanted: 'the packages of package-lock.json' };
    await npm({ ...about, args: ['ci', '--ignore-scripts'] });
    await npm({
      ...about,
      args: ['exec', '--no', '--', 'patch-package', '--error-on-fail', '--error-on-warn'],
      wanted: 'patched packages',
    });
    await checkPatchedPackages(root);
    await writeFile(marker, wanted);
  });
}

/** @param {string} root */
export async function fingerprint(root) {
  const hash = createHash('sha256').update(await readFile(path.join(root, 'package-lock.json')));
  const patches = path.join(root, 'patches');
  if (existsSync(patches)) {
    for (const name of (await readdir(patches)).filter((n) => n.endsWith('.patch')).sort()) {
      hash.update(name).update(await readFile(path.join(patches, name)));
    }
  }
  return hash.digest('hex');
}
