import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { pageOf } from '../../../../../src/infrastructure/store/search/pages.ts';

describe('a page of results', () => {
  for (const [read, place, page, reason] of [
    [[1, 2, 3], { offset: 4, limit: 2 }, { results: [1, 2], nextOffset: 6 }, 'more follows'],
    [[1, 2], { offset: 4, limit: 2 }, { results: [1, 2], total: 6 }, 'the end is reached'],
    [[], { offset: 0, limit: 2 }, { results: [], total: 0 }, 'there is nothing'],
    [[], { offset: 4, limit: 2 }, { results: [] }, 'behind the end'],
  ] as const)
    it(reason, () => assert.deepEqual(pageOf<number>(read, place), page));
});
