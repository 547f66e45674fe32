import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { unmergedPlaces } from '../../../../src/features/files/unmergedPlaces.ts';

/** One letter a line. */
const text = (letters: string): string => Array.from(letters).join('\n');
const places = ([base, theirs, mine, result]: readonly [string, string, string, string]):
  number | undefined =>
  unmergedPlaces({ base: text(base), theirs: text(theirs), mine: text(mine), result: text(result) });

describe('places that nobody has merged', () => {
  for (const [what, texts, count] of [
    ['are none where the sides changed other lines', ['abcde', 'Abcde', 'abcdE', 'AbcdE'], 0],
    ['are lines that both changed and that are as before', ['abcde', 'abXde', 'abYde', 'abcde'], 1],
    ['are none where the result has one side', ['abcde', 'abXde', 'abYde', 'abXde'], 0],
    ['are none where the result has something of its own', ['abcde', 'abXde', 'abYde', 'abZZde'], 0],
    ['are none where both changed the same', ['abcde', 'abXde', 'abXde', 'abcde'], 0],
    ['are counted one by one', ['abcdefg', 'XbcYefg', 'WbcZefg', 'abcdefg'], 2],
    ['are those left when others are decided', ['abcdefg', 'XbcYefg', 'WbcZefg', 'Xbcdefg'], 1],
    ['are lines that one removed and the other changed', ['abcde', 'abde', 'abYde', 'abcde'], 1],
    ['are places where both added lines', ['abc', 'aXbc', 'aYbc', 'abc'], 1],
    ['are none where the added lines are there', ['abc', 'aXbc', 'aYbc', 'aXYbc'], 0],
    ['are changes beside each other as well, as for the editor', ['abcd', 'aXcd', 'abYd', 'abcd'], 1],
  ] as const)
    it(what, () => assert.equal(places(texts), count));

  it('do not depend on line ends', () => {
    const one = { base: 'a\r\nb', theirs: 'a\nX', mine: 'a\r\nY' };
    assert.deepEqual(
      [unmergedPlaces({ ...one, result: 'a\nb' }), unmergedPlaces({ ...one, result: 'a\nX' })],
      [1, 0],
    );
  });

  it('are not known of texts that have nothing in common', () => {
    const many = (name: string): string =>
      Array.from({ length: 20_000 }, (_, n) => `${name}${String(n)}`).join('\n');
    assert.equal(
      unmergedPlaces({ base: many('a'), theirs: many('b'), mine: many('c'), result: many('d') }),
      undefined,
    );
  });
});
