import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { root } from '../checkout.ts';

/** Licences that let us ship a package inside ours. A package under another one is a decision, not a build step. */
const shippable = new Set([
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'CC-BY-4.0',
  'BlueOak-1.0.0',
  'Unlicense',
]);

const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  /** The form of before 2015, which ssh2 still uses. */
  licenses: z.array(z.object({ type: z.string() })).optional(),
});

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().optional(), optional: z.boolean().optional() })),
});

/** The folders of the packages that bundles were made of, relative to the checkout, sorted. */
export function packagesIn(meta: { readonly inputs: Readonly<Record<string, unknown>> }): string[] {
  const folders = new Set<string>();
  for (const input of Object.keys(meta.inputs)) {
    const folder = /.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0];
    if (folder !== undefined) folders.add(folder);
  }
  return [...folders].sort();
}

/**
 * Writes the notices that travel with the product: name, version, licence and licence text of each package. Rejects
 * when a package has no licence text or none that we may ship.
 */
export async function writeNotices(file: string, packages: readonly string[]): Promise<void> {
  const parts = packages.map((name) => {
    const folder = path.join(root, name);
    const { title, licence } = licenceOf(folder);
    if (!isShippable(licence)) throw new Error(`${title} is under a licence that we do not ship`);
    return `${title}\n${'-'.repeat(title.length)}\n\n${licenceText(folder)}\n`;
  });
  const intro = 'Termind contains these packages. Their licences:\n';
  await writeFile(file, [intro, ...parts].join('\n\n'));
}

/** What our own dependencies declare and we may not ship, as `name: licence`. Needs `node_modules` only, no build. */
export function unshippablePackages(): string[] {
  const lock = lockSchema.parse(JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')));
  const refused: string[] = [];
  for (const [name, entry] of Object.entries(lock.packages)) {
    // Optional packages are native parts; no build takes them in.
    if (name === '' || entry.dev === true || entry.optional === true) continue;
    const licence = licenceOf(path.join(root, name)).licence;
    if (!isShippable(licence)) refused.push(`${name.replace(/^.*node_modules\//, '')}: ${licence}`);
  }
  return refused;
}

function licenceOf(folder: string): { readonly title: string; readonly licence: string } {
  const manifest = manifestSchema.parse(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')));
  const licence = manifest.license ?? manifest.licenses?.map((one) => one.type).join(' OR ') ?? 'no licence';
  return { title: `${manifest.name} ${manifest.version} (${licence})`, licence };
}

/** Understands `(A OR B)`: one shippable alternative is enough. */
function isShippable(expression: string): boolean {
  return expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((name) => shippable.has(name.trim()));
}

function licenceText(folder: string): string {
  const names = readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
    .sort();
  if (names.length === 0) throw new Error(`${path.basename(folder)} ships no licence text`);
  return names.map((name) => readFileSync(path.join(folder, name), 'utf8').trim()).join('\n\n');
}
