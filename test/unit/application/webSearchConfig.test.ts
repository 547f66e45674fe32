import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readWebSearch, type WebSearchConfig } from '../../../src/application/webSearchConfig.ts';
import { keyHolders } from '../../../src/features/assistant/model/keyHolders.ts';

const brave = 'https://api.search.brave.com/res/v1/web/search';

const rows: readonly (readonly [
  raw: unknown,
  expected: WebSearchConfig | undefined,
  problems: number,
  why: string,
])[] = [
  [undefined, undefined, 0, 'not set'],
  [{}, undefined, 0, 'the default'],
  [{ service: 'brave' }, { service: 'brave', url: brave }, 0, 'at its own address'],
  [
    { service: 'brave', url: 'https://search.example.com/v1' },
    { service: 'brave', url: 'https://search.example.com/v1' },
    0,
    'elsewhere',
  ],
  [
    { service: 'searxng', url: 'http://127.0.0.1:8888' },
    { service: 'searxng', url: 'http://127.0.0.1:8888' },
    0,
    'one of your own',
  ],
  [{ service: 'searxng' }, undefined, 1, 'a SearXNG has no usual address'],
  [{ service: 'other', url: 'https://example.com' }, undefined, 1, 'an unknown service'],
  [{ service: 'searxng', url: 'file:///etc' }, undefined, 1, 'no web address'],
  [{ service: 'brave', key: 'secret' }, undefined, 1, 'a key is never in the settings'],
  ['brave', undefined, 1, 'no object'],
];

describe('the setting of the search service', () => {
  for (const [raw, expected, problems, why] of rows)
    it(`${JSON.stringify(raw)} is ${expected?.url ?? 'none'} (${why})`, () => {
      const told: string[] = [];
      assert.deepEqual(
        readWebSearch(raw, (problem) => told.push(problem)),
        expected,
      );
      assert.equal(told.length, problems);
      assert.doesNotMatch(told.join(), /"secret"/);
    });

  it('is one of those whose key can be set, behind the models', () => {
    const providers = [{ id: 'lab', label: 'Lab' }];
    assert.deepEqual(keyHolders({ providers, webSearch: { service: 'brave' } }, 'Web search'), [
      { id: 'lab', label: 'Lab', key: 'provider:lab' },
      { id: 'brave', label: 'Web search', key: 'search:brave' },
    ]);
    assert.deepEqual(keyHolders({ providers, webSearch: {} }, 'Web search'), [
      { id: 'lab', label: 'Lab', key: 'provider:lab' },
    ]);
  });
});
