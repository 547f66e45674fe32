import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { searchTerms } from '../../../../../src/agentkit/index.ts';
import { excerpt, preview, termPattern } from '../../../../../src/infrastructure/store/search/excerpt.ts';
import { separated } from '../../../../../src/infrastructure/store/search/messageText.ts';

const of = (text: string, query: string): { snippet: string; matches: number } =>
  excerpt(separated(text), termPattern(searchTerms(query)));

describe('an excerpt', () => {
  it('is the whole text on one line when it is short', () => {
    assert.deepEqual(of('The disk\n\n  is full', 'disk'), { snippet: 'The disk is full', matches: 1 });
  });

  it('counts every place of every term, whole words only', () => {
    assert.equal(of('disk disks DISK full', 'disk full').matches, 3);
    assert.equal(of('192.0.2.7, 192.0.2.70 and 192-0-2-7', '192.0.2.7').matches, 2);
    assert.equal(of('磁盘满，磁盘', '磁盘').matches, 2);
  });

  it('starts at a word in front of the first place', () => {
    const { snippet } = of(`${'lorem ipsum '.repeat(40)}needle end`, 'needle');
    assert.match(snippet, /^…(lorem|ipsum) .* needle end$/);
    assert.ok(snippet.length < 140);
  });

  it('shows the start of a text in which the index saw more than a pattern does', () => {
    assert.deepEqual(of('Straße', 'strasse'), { snippet: 'Straße', matches: 1 });
  });

  it('never has more than 1,024 bytes and never splits a character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('needle', 'é', '磁盘', '🔥', ' ', '\n', 'x'.repeat(200), '"'), {
          maxLength: 400,
        }),
        fc.boolean(),
        (parts, isCut) => {
          const text = parts.join('');
          for (const line of [of(text, 'needle').snippet, preview(separated(text), isCut)]) {
            assert.ok(Buffer.byteLength(line) <= 1_024);
            assert.doesNotMatch(line, /\p{Cs}/u);
            assert.doesNotMatch(line, /[\n\u001F]/);
          }
        },
      ),
    );
  });
});
