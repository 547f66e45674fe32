import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { quoteForShell, quotePathForShell } from '../../../../src/domain/ssh/quote.ts';
import { skipBecause } from '../../../skip.ts';
import { isTermindError } from '../../../../src/domain/fault.ts';

const isRefused = (error: unknown): boolean => isTermindError(error) && error.fault.code === 'internal';
const argument = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...Array.from(`'"\\$\`!*?[]{}()<>|&;#~= \t\n\r-%^é`)), maxLength: 24 }),
);

describe('quoting an argument for a remote shell', () => {
  for (const shell of ['/bin/sh', '/bin/bash', '/bin/dash'])
    it(`${shell} gets back every argument byte for byte`, function () {
      this.timeout(120_000);
      if (!existsSync(shell)) skipBecause(this, `there is no ${shell}`);
      fc.assert(
        fc.property(fc.array(argument, { minLength: 1, maxLength: 40 }), (raw) => {
          const words = raw.map((word) => word.replaceAll('\0', ''));
          const line = `printf '%s\\0' ${words.map((word) => quoteForShell('posix', word)).join(' ')}`;
          const { stdout, status } = spawnSync(shell, ['-c', line]);
          assert.equal(status, 0);
          assert.deepEqual(stdout.toString('utf8').split('\0').slice(0, -1), words);
        }),
        { numRuns: 60 },
      );
    });

  for (const [family, word, quoted] of [
    ['posix', '', "''"],
    ['posix', '/var/log/syslog', '/var/log/syslog'],
    ['posix', "it's", String.raw`'it'\''s'`],
    ['posix', '=x', "'=x'"],
    ['posix', '~root', "'~root'"],
    ['powershell', '', "''"],
    ['powershell', "it's", "'it''s'"],
    ['powershell', '\u2019; x', "'\u2019\u2019; x'"],
    ['powershell', '$(x) `y', "'$(x) `y'"],
    ['cmd', 'a & b', '"a & b"'],
    ['cmd', 'C:\\dir\\', '"C:\\dir\\\\"'],
  ] as const)
    it(`${family}: ${JSON.stringify(word)} becomes ${quoted}`, () => {
      assert.equal(quoteForShell(family, word), quoted);
    });

  for (const [family, word] of [
    ['posix', 'a\0b'],
    ['powershell', '\0'],
    ['cmd', '\0'],
    ['cmd', '%PATH%'],
    ['cmd', 'a"b'],
    ['cmd', 'a\nb'],
    ['cmd', 'wow!'],
  ] as const)
    it(`${family} refuses ${JSON.stringify(word)}`, () => {
      assert.throws(() => quoteForShell(family, word), isRefused);
    });

  it('a path that begins with a dash cannot become an option', () => {
    assert.equal(quotePathForShell('posix', '-rf'), './-rf');
    assert.equal(quotePathForShell('powershell', '-rf'), "'./-rf'");
    assert.throws(() => quotePathForShell('posix', ''), isRefused);
  });
});
