import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { excludePatterns, isException } from '../../../../src/domain/sync/excludePatterns.ts';

const directory = { isDirectory: true };
const file = { isDirectory: false };

describe('patterns that leave entries out', () => {
  for (const [pattern, path, entry] of [
    ['*.log', 'a.log', file],
    ['*.log', 'deep/a.log', file],
    ['node_modules/', 'deep/node_modules', directory],
    ['.git', '.git', directory],
    ['.git', 'sub/.git', file],
    ['/build', 'build', directory],
    ['a/b', 'a/b', file],
    ['a/*', 'a/b', file],
    ['a/**', 'a/b/c', file],
    ['a/**/z', 'a/z', file],
    ['a/**/z', 'a/b/c/z', file],
    ['**/x', 'a/x', file],
    ['?', 'é', file],
    ['f?o*', 'fooo', file],
    ['[a]', '[a]', file],
    ['  *.tmp  ', 'x.tmp', file],
    ['***a*', 'bab', file],
  ] as const)
    it(`${pattern} leaves out ${path}`, () => {
      assert.equal(excludePatterns([pattern])(path.split('/'), entry), true);
    });

  for (const [pattern, path, entry, reason] of [
    ['*.log', 'a.log.gz', file, 'the whole name counts'],
    ['node_modules/', 'node_modules', file, 'only directories'],
    ['/build', 'deep/build', directory, 'only in the compared folder'],
    ['a/*', 'a/b/c', file, 'a star stays in a name'],
    ['a/**', 'a', directory, 'what is in it, not itself'],
    ['# c', '# c', file, 'a comment'],
    ['', 'a', file, 'nothing is in it'],
    ['/', 'a', file, 'no name is in it'],
    ['A', 'a', file, 'case differs'],
    ['a*b', 'ab/c', file, 'another name'],
  ] as const)
    it(`${pattern === '' ? 'nothing' : pattern} leaves ${path} in: ${reason}`, () => {
      assert.equal(excludePatterns([pattern])(path.split('/'), entry), false);
    });

  it('a pattern of many stars takes no time', () => {
    const excludes = excludePatterns(['*a'.repeat(100), `${'**/'.repeat(100)}b`]);
    assert.equal(excludes([`${'a'.repeat(250)}c`], file), false);
    assert.equal(
      excludes(
        Array.from({ length: 64 }, () => 'a'),
        file,
      ),
      false,
    );
  });

  it('an exception is told apart', () => {
    assert.deepEqual([isException('!keep'), isException('keep!')], [true, false]);
  });
});
