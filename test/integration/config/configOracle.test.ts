import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { honourOf } from '../../../src/domain/config/honoured.ts';
import { newestProgram } from '../../lab/newestProgram.ts';
import { privateRootObstacle } from '../../lab/privateRoot.ts';
import { skipBecause } from '../../skip.ts';
import { configCase, type GeneratorOptions } from './configFiles.ts';
import { ownSsh, SshOracle, type Start } from './sshOracle.ts';

/** `TERMIND_CONFIG_CASES=5000` tries thousands. */
const wanted = Number(process.env['TERMIND_CONFIG_CASES'] ?? 0);

/** Tries generated files and tells the first, made small, about which both sides disagree. */
async function agree(start: Start, options: GeneratorOptions, numRuns: number): Promise<void> {
  const oracle = await SshOracle.open(start);
  let accepted = 0;
  try {
    await fc.assert(
      fc.asyncProperty(configCase(options), async (asked) => {
        const { ssh, own, isRefused } = await oracle.compare(asked);
        assert.deepEqual(own, ssh);
        if (!isRefused) accepted++;
      }),
      { numRuns: Math.max(numRuns, wanted) },
    );
    assert.ok(accepted > numRuns / 4, 'most files are refused, so little was compared');
  } finally {
    await oracle.close();
  }
}

describe('our own reading of an OpenSSH configuration', function () {
  this.timeout(wanted > 0 ? 60 * 60_000 : 120_000);

  it('gives every value that ssh -G prints, for generated files in every spelling', () =>
    agree(ownSsh, { isNewest: false, hasPrograms: false, hasBroken: false }, 150));

  it('decides Match exec as ssh does, each program with its tokens replaced', () =>
    agree(ownSsh, { isNewest: false, hasPrograms: true, hasBroken: false }, 50));

  it('blames the very lines that make ssh refuse a file', () =>
    agree(ownSsh, { isNewest: false, hasPrograms: false, hasBroken: true }, 100));

  for (const [depth, isRefused] of [
    [16, false],
    [17, true],
  ] as const)
    it(`${isRefused ? 'refuses' : 'reads'} a chain of ${String(depth)} includes, as ssh does`, async () => {
      const oracle = await SshOracle.open(ownSsh);
      try {
        const files = Object.fromEntries(
          Array.from({ length: depth }, (_, n) => [
            String(n + 1),
            n + 1 < depth ? `Include @FOLDER@/${String(n + 2)}\n` : 'User deep\n',
          ]),
        );
        const asked = { included: '', alias: 'web', user: undefined, port: undefined };
        const compared = await oracle.compare({ ...asked, main: 'Include @FOLDER@/1\n' }, files);
        assert.deepEqual([compared.isRefused, compared.own], [isRefused, compared.ssh]);
      } finally {
        await oracle.close();
      }
    });

  it('what Termind does is decided for every keyword that ssh -G prints', async () => {
    const oracle = await SshOracle.open(ownSsh);
    try {
      assert.deepEqual(
        oracle.keywords.filter((keyword) => honourOf(keyword) === undefined),
        [],
      );
    } finally {
      await oracle.close();
    }
  });

  it('gives every value that ssh -G of OpenSSH 10 prints, with its newer keywords and criteria', async function () {
    const obstacle = privateRootObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
    const newest: Start = (args) => newestProgram(['/usr/bin/ssh', ...args]);
    await agree(newest, { isNewest: true, hasPrograms: false, hasBroken: true }, 60);
  });
});
