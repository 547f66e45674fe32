import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mustRun } from '../lab/run.ts';

const mocha = fileURLToPath(new URL('../../node_modules/mocha/bin/mocha.js', import.meta.url));

/** Modes of files refuse nothing to root. */
export const isRoot = process.getuid?.() === 0;

/** Runs one test of a file again as a user whom modes can refuse, with `folder`, which it may then write into, for temporary files. */
export async function passesAsOrdinaryUser(test: {
  readonly file: string;
  readonly title: string;
  readonly folder: string;
}): Promise<void> {
  chmodSync(test.folder, 0o777);
  const out = await mustRun(process.execPath, [
    '-e',
    `process.setgid(65534); process.setuid(65534);
     process.env.TMPDIR = ${JSON.stringify(test.folder)};
     process.argv = [process.argv[0], ${JSON.stringify(mocha)}, ${JSON.stringify(test.file)}, '--grep', ${JSON.stringify(test.title)}];
     require(process.argv[1]);`,
  ]);
  assert.match(out, /1 passing/);
}
