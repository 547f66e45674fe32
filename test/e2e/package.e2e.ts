import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { describe, it } from 'mocha';
import { z } from 'zod';
import { budgetOf, budgets } from '../../scripts/build/budgets.ts';
import { metafilePath } from '../../scripts/build/build.ts';
import { assertGolden } from '../golden.ts';
import { listVsix, packagedExtension } from './harness/vsix.ts';

const metafile = z
  .object({
    outputs: z.record(z.string(), z.object({ bytes: z.number(), inputs: z.record(z.string(), z.unknown()) })),
  })
  .parse(JSON.parse(readFileSync(metafilePath, 'utf8')));

const inputsOf = (file: string) => Object.keys(metafile.outputs[file]?.inputs ?? {});

describe('the package', () => {
  it('holds the files that it needs and no other', () => {
    const names = listVsix(packagedExtension()).map((file) => file.name);
    assertGolden('vsixFiles.txt', `${names.join('\n')}\n`);
  });

  it(`is at most ${budgets.vsix} bytes`, () => {
    const { size } = statSync(packagedExtension());
    assert.ok(size <= budgets.vsix, `it has ${size} bytes`);
  });

  it('keeps every script within its budget', () => {
    const over = listVsix(packagedExtension()).filter((file) => {
      const budget = budgetOf(file.name.replace(/^extension\/dist\//, ''));
      return budget !== undefined && file.bytes > budget;
    });
    assert.deepEqual(over, []);
  });

  it('loads nothing heavy at activation', () => {
    const heavy = /^src\/(runtime\.ts|infrastructure\/)|node_modules\/(ssh2|openai)\//;
    const inputs = inputsOf('dist/extension.js');
    assert.notEqual(inputs.length, 0);
    assert.deepEqual(
      inputs.filter((input) => heavy.test(input)),
      [],
    );
  });

  it('keeps the provider packages out of the runtime', () => {
    const inputs = inputsOf('dist/runtime.js');
    assert.notEqual(inputs.length, 0);
    assert.deepEqual(
      inputs.filter((input) => input.includes('node_modules/openai/')),
      [],
    );
  });
});
