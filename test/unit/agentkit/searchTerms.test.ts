import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { searchTerms } from '../../../src/agentkit/searchTerms.ts';

/** Phrases in quotes, words bare. */
const shown = (query: string): readonly string[] =>
  searchTerms(query).map(({ text, isPhrase }) => (isPhrase ? `"${text}"` : text));

describe('search terms', () => {
  for (const [query, terms, reason] of [
    ['disk full', ['disk', 'full'], 'words'],
    ['"disk full" db1', ['"disk full"', 'db1'], 'a phrase stays whole'],
    ['“disk full”', ['"disk full"'], 'typographic quotes'],
    ['"disk full', ['disk', 'full'], 'a quote that is not closed'],
    ['say"disk full"now', ['say', '"disk full"', 'now'], 'quotes inside words'],
    ['"  disk \n full "', ['"disk full"'], 'spaces of a phrase'],
    ['192.0.2.7:22 /etc/nginx/ --no-pager', ['192.0.2.7:22', 'etc/nginx', 'no-pager'], 'structured tokens'],
    ['(disk) full, full! FULL', ['disk', 'full'], 'signs at the ends, and each once'],
    ['disk* ^disk -disk text:disk', ['disk', 'text:disk'], 'nothing is an operator'],
    ['what is the load of db1', ['load', 'db1'], 'stop words'],
    ['"the who" is the load', ['"the who"', 'load'], 'stop words inside quotes'],
    ['what is it', ['what', 'is', 'it'], 'nothing but stop words'],
    ['disk AND full OR NOT NEAR', ['disk', 'full', 'NOT', 'NEAR'], 'words of a query language are words'],
    ['磁盘 हिन्दी', ['磁盘', 'हिन्दी'], 'other scripts, with their marks'],
    ['a\u0000b\u0007', ['b'], 'control characters are spaces'],
    ['&& || "" %', [], 'no word at all'],
  ] as const)
    it(`${JSON.stringify(query)}: ${reason}`, () => assert.deepEqual(shown(query), terms));

  it('are at most 32', () => {
    assert.equal(searchTerms(Array.from({ length: 50 }, (_, n) => `word${n}`).join(' ')).length, 32);
  });

  it('always hold a letter or a digit, and never a quote or a control character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (query) => {
        for (const { text } of searchTerms(query)) {
          assert.match(text, /[\p{L}\p{M}\p{N}\p{Co}]/u);
          assert.doesNotMatch(text, /["“”]|\p{Cc}/u);
        }
      }),
    );
  });
});
