import { statSync } from 'node:fs';
import { budgets } from '../../scripts/build/budgets.ts';
import { buildPackage } from '../../scripts/build/package.ts';
import type { Benchmark } from './figure.ts';

/** P16: the size of the package. That no file in it is needless is a test (`test/e2e/package.e2e.ts`). */
export const packageSize: Benchmark = {
  id: 'P16',
  name: 'package',
  async run() {
    const ours = statSync(await buildPackage()).size;
    const target = `<= ${budgets.vsix} bytes`;
    return [{ id: 'P16', label: 'VSIX', ours, peer: null, ratio: null, target, holds: ours <= budgets.vsix }];
  },
};
