import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { titleFrom } from '../../../../src/application/assistant/title.ts';

describe('the title of a conversation', () => {
  for (const [text, title, why] of [
    ['Why is the disk full?', 'Why is the disk full?', 'a short message is its own title'],
    ['  two\n\tlines\u0007 here ', 'two lines here', 'white space and control characters become one blank'],
    ['abc \u202edef', 'abc def', 'direction marks are left out'],
    ['x'.repeat(48), 'x'.repeat(48), '48 characters fit'],
    ['x'.repeat(49), `${'x'.repeat(47)}…`, 'more are cut'],
    ['😀'.repeat(60), `${'😀'.repeat(47)}…`, 'a character is never cut in half'],
    ['word '.repeat(20), 'word word word word word word word word word wo…', 'the cut may fall into a word'],
    [' \n ', '', 'nothing is nothing'],
  ] as const)
    it(why, () => assert.equal(titleFrom(text), title));
});
