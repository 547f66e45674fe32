import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SetupFault } from './setupFault.mjs';

/**
 * @typedef {object} Expected what a package is before and after its patches
 * @property {string} version
 * @property {string} integrity as in package-lock.json
 * @property {Readonly<Record<string, string>>} patched path in the package to the SHA-256 of the file after all patches
 */

/**
 * Rejects with a SetupFault that names the first difference unless every package that has patches is the one they were written for
 * and holds exactly what they make of it. Source: ssh.md 5.5.
 * @param {string} root the checkout
 */
export async function checkPatchedPackages(root) {
  /** @type {Readonly<Record<string, Expected>>} */
  const expected = JSON.parse(await readFile(path.join(root, 'patches/expected.json'), 'utf8'));
  const lock = JSON.parse(await readFile(path.join(root, 'package-lock.json'), 'utf8'));
  for (const [name, { version, integrity, patched }] of Object.entries(expected)) {
    const locked = lock.packages[`node_modules/${name}`];
    if (locked?.version !== version || locked.integrity !== integrity)
      throw new SetupFault(
        `${name} ${version} with the hash its patches were written for; the lock file has ${locked?.version ?? 'none'}`,
        'read patches/README.md',
      );
    for (const [file, sum] of Object.entries(patched)) {
      const content = await readFile(path.join(root, 'node_modules', name, file)).catch(() => '');
      if (createHash('sha256').update(content).digest('hex') !== sum)
        throw new SetupFault(`${file} of ${name} as its patches make it`, 'npm ci && npm run setup');
    }
  }
}
