import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { honourOf, keywordName } from '../../../../src/domain/config/honoured.ts';
import { allKeywords } from '../../../../src/domain/config/keywords.ts';

describe('what Termind does with a keyword', () => {
  it('is decided for every keyword that our own reading knows', () => {
    assert.deepEqual(
      allKeywords().filter((keyword) => honourOf(keyword) === undefined),
      [],
    );
  });

  it('is not decided for a keyword that nobody has read about', () => {
    assert.equal(honourOf('frobnicate'), undefined);
    assert.equal(keywordName('frobnicate'), 'frobnicate');
  });

  for (const [keyword, k] of [
    ['hostname', 'honoured'],
    ['localforward', 'honoured'],
    ['ciphers', 'different'],
    ['stricthostkeychecking', 'different'],
    ['gssapiauthentication', 'not'],
    ['controlpath', 'not'],
    ['localcommand', 'not'],
  ] as const)
    it(`${keyword} is ${k}`, () => {
      assert.equal(honourOf(keyword)?.k, k);
    });

  it('is said with the spelling of the manual', () => {
    assert.equal(keywordName('stricthostkeychecking'), 'StrictHostKeyChecking');
  });
});
