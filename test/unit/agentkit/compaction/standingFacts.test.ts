import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { keptWords, standingFactsText } from '../../../../src/agentkit/compaction/standingFacts.ts';
import { messageId } from '../../../../src/agentkit/index.ts';
import { userWords, type UserWords } from '../../../../src/agentkit/userWords.ts';
import { assistantRow, toolRow, userRow } from '../support/histories.ts';

const words = (id: string, text: string): UserWords => ({
  provenance: 'direct_user',
  id: messageId(id),
  at: 0,
  text,
});
const idsOf = (kept: readonly UserWords[]): readonly string[] => kept.map(({ id }) => id);

describe("the user's words", () => {
  it('are messages and answers, and nothing that anybody else wrote', () => {
    const answers = [
      { question: 'Restart web-1?', answer: 'Yes, tonight' },
      { question: 'And db-1?', answer: null },
    ];
    const rows = [
      userRow('u', 'Look at web-1'),
      { ...userRow('r', 'a note'), origin: { kind: 'runtime' as const } },
      { ...userRow('b', ' ') },
      assistantRow('a', 'Answer: yes', ['x', 'y', 'z']),
      { ...toolRow('x'), toolName: 'request_user_input', presentation: { answers } },
      { ...toolRow('y'), toolName: 'request_user_input', isError: true, presentation: { answers } },
      { ...toolRow('z'), toolName: 'fetch', presentation: { answers } },
    ];
    assert.deepEqual(
      userWords(rows).map(({ provenance, text }) => [provenance, text]),
      [
        ['direct_user', 'Look at web-1'],
        ['request_user_input', '"Restart web-1?" was answered "Yes, tonight"'],
      ],
    );
  });

  it('are kept whole: the first, then from the newest back, up to 20,000 bytes', () => {
    const all = [
      words('first', 'a'.repeat(9_000)),
      words('second', 'b'.repeat(6_000)),
      words('third', 'never restart prod-db'),
      words('fourth', '€'.repeat(4_000)),
      words('fifth', 'e'),
    ];
    assert.deepEqual(idsOf(keptWords(all)), ['first', 'second', 'third', 'fifth']);
    assert.deepEqual(idsOf(keptWords(all.slice(2))), ['third', 'fourth', 'fifth']);
  });

  it('are left out one by one when too large, never cut', () => {
    const all = [words('first', 'a'.repeat(20_001)), words('second', 'b'.repeat(20_000)), words('third', '')];
    assert.deepEqual(idsOf(keptWords(all)), ['second', 'third']);
  });
});

describe('the standing facts', () => {
  it('are the facts of the editor side and the words of the user, word for word', () => {
    const facts = [
      { title: 'Hosts', lines: ['"prod-db" (host_id 7)'] },
      { title: 'Commands that still run', lines: [] },
    ];
    assert.equal(
      standingFactsText(facts, [userRow('u', 'never restart prod-db\nreally')]),
      'Hosts:\n"prod-db" (host_id 7)\n\nWhat the user said, word for word:\n[1 of 1, message, 1970-01-01T00:00:00.001Z]\nnever restart prod-db\nreally',
    );
  });

  it('say how many lines are left out above 16 KiB', () => {
    const lines = ['a'.repeat(10_000), 'b'.repeat(10_000), 'short'];
    const text = standingFactsText([{ title: 'Hosts', lines }], []);
    assert.deepEqual(text.split('\n'), ['Hosts:', lines[0], 'short', '(1 more)']);
  });

  it('are nothing when there are none', () => assert.equal(standingFactsText([], []), ''));
});
