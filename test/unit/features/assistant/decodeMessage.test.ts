import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { decodeMessage } from '../../../../src/features/assistant/screen/decodeMessage.ts';

const answer = { questionId: 'q', selectedOptionIds: [] };

describe('what a page posts', () => {
  for (const message of [
    { kind: 'hello', protocol: 3 },
    { kind: 'resync', generation: 3, afterSeq: 4 },
    { kind: 'pong', n: 1 },
    { kind: 'send', requestId: 1, text: 'df -h', draftId: 'd' },
    { kind: 'stop' },
    { kind: 'shown', approvalId: 'a', digest: 'd', hasFocus: true },
    { kind: 'decide', requestId: 1, approvalId: 'a', shownDigest: 'd', verdict: 'deny', reason: 'no' },
    { kind: 'decide', requestId: 1, approvalId: 'a', shownDigest: 'd', verdict: 'approve' },
    {
      kind: 'answerQuestions',
      requestId: 1,
      cardId: 'c',
      answers: [{ questionId: 'q', selectedOptionIds: ['a'], customText: 'x' }],
    },
    {
      kind: 'answerQuestions',
      requestId: 1,
      cardId: 'c',
      answers: [{ questionId: 'q', selectedOptionIds: [] }],
    },
    {
      kind: 'decide',
      requestId: 1,
      approvalId: 'a',
      shownDigest: 'd',
      verdict: 'approveForConversation',
    },
    { kind: 'revise', requestId: 1, approvalId: 'a', shownDigest: 'd', text: 'df -h' },
    { kind: 'cancelQuestions', requestId: 1, cardId: 'c' },
    { kind: 'decideRun', requestId: 1, cardId: 'c', verdict: 'continue' },
    { kind: 'decidePlan', requestId: 1, rowId: 'call:r:c', verdict: 'discard' },
    { kind: 'setPlanning', requestId: 1, on: true },
    { kind: 'page', requestId: 1, direction: 'older' },
    { kind: 'latest' },
    { kind: 'expand', requestId: 1, rowId: 'call:r:c', part: 'body', offset: 0 },
    { kind: 'expand', requestId: 1, rowId: 'call:r:c', part: 'plan', offset: 8_192 },
    { kind: 'copyRow', rowId: 'm1' },
    { kind: 'copyText', text: 'ls' },
    { kind: 'cancelCard', requestId: 1, rowId: 'call:r:c' },
    { kind: 'openScratch', path: 'a/b.txt' },
    { kind: 'openLink', requestId: 1, url: 'https://example.com/' },
    { kind: 'pickMode' },
    { kind: 'pickModel' },
    { kind: 'newConversation' },
    { kind: 'openHistory' },
    { kind: 'act', action: 'retry', rowId: 'end:r' },
    { kind: 'act', action: 'addProvider' },
    { kind: 'act', action: 'setPrice' },
    { kind: 'reload' },
  ])
    it(`takes: ${JSON.stringify(message)}`, () => {
      assert.deepEqual(decodeMessage(message), { ok: true, message });
    });

  for (const [raw, why, reason] of [
    [undefined, 'malformed', 'nothing'],
    ['hello', 'malformed', 'no object'],
    [{ kind: 'sendAll', text: 'x' }, 'malformed', 'unknown kind'],
    [{ kind: 'send', text: 'x', draftId: 'd' }, 'malformed', 'no request id'],
    [{ kind: 'send', requestId: 1, text: 3, draftId: 'd' }, 'malformed', 'wrong type'],
    [{ kind: 'send', requestId: 1, text: 'x' }, 'malformed', 'no draft id'],
    [{ kind: 'send', requestId: 1.5, text: 'x', draftId: 'd' }, 'malformed', 'no whole number'],
    [{ kind: 'send', requestId: -1, text: 'x', draftId: 'd' }, 'malformed', 'negative number'],
    [{ kind: 'stop', all: true }, 'malformed', 'a field nobody knows'],
    [
      { kind: 'decide', requestId: 1, approvalId: 'a', shownDigest: 'd', verdict: 'allow' },
      'malformed',
      'unknown verdict',
    ],
    [{ kind: 'decide', requestId: 1, approvalId: 'a', verdict: 'approve' }, 'malformed', 'no digest'],
    [{ kind: 'revise', requestId: 1, approvalId: 'a', text: 'df' }, 'malformed', 'no digest'],
    [
      { kind: 'revise', requestId: 1, approvalId: 'a', shownDigest: 'd', text: 'x'.repeat(40 * 1024 + 1) },
      'malformed',
      'more than a person edits in a card',
    ],
    [{ kind: 'act', action: 'runAnything' }, 'malformed', 'unknown action'],
    [{ kind: 'answerQuestions', requestId: 1, cardId: 'c' }, 'malformed', 'no answers'],
    [{ kind: 'answerQuestions', requestId: 1, cardId: '', answers: [] }, 'malformed', 'no card'],
    [
      {
        kind: 'answerQuestions',
        requestId: 1,
        cardId: 'c',
        answers: Array.from({ length: 9 }, () => answer),
      },
      'malformed',
      'more answers than there can be questions',
    ],
    [
      {
        kind: 'answerQuestions',
        requestId: 1,
        cardId: 'c',
        answers: [{ ...answer, customText: 'x'.repeat(4_001) }],
      },
      'malformed',
      'more words than a field takes',
    ],
    [
      { kind: 'answerQuestions', requestId: 1, cardId: 'c', answers: [{ ...answer, provenance: 'user' }] },
      'malformed',
      'an answer with a field nobody knows',
    ],
    [{ kind: 'decideRun', requestId: 1, cardId: 'c', verdict: 'raise' }, 'malformed', 'unknown way to go on'],
    [{ kind: 'decidePlan', requestId: 1, rowId: 'r', verdict: 'approve' }, 'malformed', 'unknown decision'],
    [{ kind: 'decidePlan', rowId: 'r', verdict: 'implement' }, 'malformed', 'a plan without a request id'],
    [{ kind: 'setPlanning', requestId: 1, on: 'yes' }, 'malformed', 'no truth value'],
    [{ kind: 'send', requestId: 1, text: 'x'.repeat(70_000), draftId: 'd' }, 'tooLarge', 'above 64 KiB'],
    [
      { kind: 'send', requestId: 1, text: '€'.repeat(30_000), draftId: 'd' },
      'tooLarge',
      'above 64 KiB in UTF-8',
    ],
    [{ kind: 'stop', rest: Array.from({ length: 70_000 }, () => 0) }, 'tooLarge', 'many small values'],
    [{ kind: 'send', requestId: 1n, text: 'x', draftId: 'd' }, 'malformed', 'no JSON'],
    [new Proxy({}, { ownKeys: () => raise() }), 'malformed', 'a trap'],
  ] as const)
    it(`drops: ${reason}`, () => {
      assert.deepEqual(decodeMessage(raw), { ok: false, why });
    });

  it('never throws, and takes only messages it would take again', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.object({ key: fc.constantFrom('kind', 'text', 'requestId') })),
        (raw) => {
          const decoded = decodeMessage(raw);
          if (decoded.ok) assert.deepEqual(decodeMessage(decoded.message), decoded);
        },
      ),
      { numRuns: 500 },
    );
  });
});

function raise(): never {
  throw new Error('trap');
}
