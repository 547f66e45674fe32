import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Where golden texts lie; names are relative to it. */
export const goldenFolder = path.join(import.meta.dirname, 'golden');

const asserted = new Set<string>();

/**
 * Asserts that `actual` is the text of `test/golden/<name>`, byte for byte. With `UPDATE_GOLDEN=1` the file is written
 * instead. Without the file the assertion fails, in an update too when `CI` is set. A file that no suite of a whole
 * run asserts fails that run.
 */
export function assertGolden(name: string, actual: string): void {
  asserted.add(name);
  const file = path.join(goldenFolder, name);
  if (process.env['UPDATE_GOLDEN'] === '1' && process.env['CI'] === undefined) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, actual);
    return;
  }
  assert.ok(existsSync(file), `test/golden/${name} is missing; UPDATE_GOLDEN=1 writes it`);
  assert.equal(
    actual,
    readFileSync(file, 'utf8'),
    `test/golden/${name} differs; UPDATE_GOLDEN=1 rewrites it`,
  );
}

/** The names this process has asserted. */
export function assertedGoldenFiles(): readonly string[] {
  return [...asserted].sort();
}
