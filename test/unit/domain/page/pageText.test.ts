import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { pageOffers } from '../../../../src/domain/page/pageActions.ts';
import type { PageDocument } from '../../../../src/domain/page/pageDocument.ts';
import { pageText } from '../../../../src/domain/page/pageText.ts';

const page: PageDocument = {
  title: 'Title',
  subtitle: 'Below it',
  notices: [{ tone: 'bad', text: 'It failed.', buttons: [{ label: 'Fix', action: 'fix' }] }],
  sections: [
    {
      title: 'Facts',
      blocks: [
        { k: 'facts', rows: [{ name: 'Port', lines: [[{ code: '22' }], [{ quiet: 'default' }]] }] },
        {
          k: 'table',
          caption: 'Values',
          columns: ['Keyword', 'Set by'],
          rows: [
            { cells: [[['User']], [[{ linkText: 'config:1', action: 'open 1' }]]] },
            { cells: [[['Port']], [[{ badge: 'default', tone: 'plain' }]]], isQuiet: true },
          ],
        },
      ],
    },
    {
      title: 'Steps',
      blocks: [
        {
          k: 'steps',
          steps: [
            {
              state: 'failed',
              word: 'Failed',
              line: ['Sign-in', { linkText: 'why', action: 'why' }],
              time: '3 ms',
              blocks: [{ k: 'code', label: 'Said', text: 'no\nway' }],
            },
          ],
        },
        { k: 'details', summary: 'More', blocks: [{ k: 'code', label: 'Lists', text: 'a,b' }] },
      ],
    },
  ],
};

describe('a read-only page', () => {
  it('is written as text with everything it holds, folded and quiet parts too', () => {
    assert.equal(
      pageText(page),
      [
        ...['Title', 'Below it', 'It failed.', '', 'Facts', '-----', 'Port: 22; default'],
        ...['Keyword | Set by', 'User | config:1', 'Port | [default]', '', 'Steps', '-----'],
        ...['Failed: Sign-in why (3 ms)', '  Said:', '    no', '    way', 'More:', '  Lists:', '    a,b', ''],
      ].join('\n'),
    );
  });

  it('offers the actions of its buttons and links, and its code in document order', () => {
    assert.deepEqual(pageOffers(page), {
      actions: new Set(['fix', 'open 1', 'why']),
      codes: ['no\nway', 'a,b'],
    });
  });
});
