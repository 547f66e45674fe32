import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { withoutLinks } from '../../../src/domain/withoutLinks.ts';

describe('words of somebody else in the editor', () => {
  for (const [given, shown] of [
    ['Password: ', 'Password: '],
    ['[a] (b) c](d', '[a] (b) c] (d'],
    ['[Verify](command:workbench.action.quit)', '[Verify] (command:workbench.action.quit)'],
    ['[[x](https://example.com "y")](z)', '[[x] (https://example.com "y")] (z)'],
  ] as const)
    it(`make no link: ${given}`, () => {
      assert.equal(withoutLinks(given), shown);
    });
});
