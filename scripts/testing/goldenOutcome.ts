import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { root } from '../checkout.ts';
import type { Outcome } from './outcome.ts';

/**
 * Counts golden files that no suite of a whole run has asserted as failures. Says nothing when a suite failed, since
 * what it would have asserted is then unknown.
 */
export function goldenOutcome(outcomes: readonly Outcome[]): Outcome {
  const folder = path.join(root, 'test/golden');
  const asserted = new Set(outcomes.flatMap((outcome) => outcome.golden ?? []));
  const isKnown = outcomes.every((outcome) => outcome.failures.length === 0);
  const files = existsSync(folder) ? globSync('**/*.*', { cwd: folder }) : [];
  const orphans = isKnown ? files.filter((file) => !asserted.has(file)) : [];
  return {
    name: 'golden',
    passed: isKnown ? files.length - orphans.length : 0,
    failures: orphans.map((file) => ({ title: `test/golden/${file} is asserted by no test`, detail: '' })),
    skipped: 0,
    seconds: 0,
    noMatch: files.length === 0 || !isKnown,
    golden: [],
  };
}
