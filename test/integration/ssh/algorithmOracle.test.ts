import assert from 'node:assert/strict';
import fc from 'fast-check';
import { before, describe, it } from 'mocha';
import { applyAlgorithmOption } from '../../../src/domain/ssh/applyAlgorithmOption.ts';
import { mustRun } from '../../lab/run.ts';

/** With the lists of `ssh` itself our rule has to come to what `ssh -G` comes to. */
describe('algorithm options as `ssh -G` applies them', function () {
  this.timeout(120_000);

  for (const [option, query] of [
    ['KexAlgorithms', 'kex'],
    ['Ciphers', 'cipher'],
    ['MACs', 'mac'],
    ['HostKeyAlgorithms', 'HostKeyAlgorithms'],
  ] as const)
    describe(option, () => {
      let known: readonly string[];
      let usual: readonly string[];
      before(async () => {
        known = (await mustRun('ssh', ['-Q', query])).trim().split('\n');
        usual = await resolved(option);
      });

      it('is equal for any sign, names and patterns', async () => {
        const name = fc.constantFrom(...known);
        const pattern = fc.oneof(
          name.map((one) => `${one.slice(0, 6)}*`),
          name.map((one) => `*${one.slice(-5)}`),
          name.map((one) => one.replace(/\d/, '?')),
        );
        const list = (word: fc.Arbitrary<string>) =>
          fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(','));
        const sign = fc.constantFrom('', '+', '^');
        // Elsewhere `ssh` takes patterns only to remove.
        const added = list(option === 'HostKeyAlgorithms' ? fc.oneof(name, pattern) : name);
        const value = fc.oneof(
          list(fc.oneof(name, pattern)).map((words) => `-${words}`),
          fc.tuple(sign, added).map((parts) => parts.join('')),
        );
        await fc.assert(
          fc.asyncProperty(value, async (written) => {
            const { names, leftOut } = applyAlgorithmOption(written, { usual, known });
            if (names.length === 0) return; // `ssh` prints its own list then
            assert.deepEqual([names, leftOut], [await resolved(option, written), []]);
          }),
          { numRuns: 60 },
        );
      });
    });
});

async function resolved(option: string, value?: string): Promise<readonly string[]> {
  const set = value === undefined ? [] : ['-o', `${option}=${value}`];
  const printed = await mustRun('ssh', ['-G', '-F', 'none', ...set, 'name.example.com']);
  return new RegExp(`^${option.toLowerCase()} (.*)$`, 'm').exec(printed)?.[1]?.split(',') ?? [];
}
