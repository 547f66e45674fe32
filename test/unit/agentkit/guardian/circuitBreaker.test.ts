import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { CircuitBreaker } from '../../../../src/agentkit/guardian/circuitBreaker.ts';
import { messageId } from '../../../../src/agentkit/index.ts';

/** `a` adverse, `f` favourable; letters of one word belong to one answer. Resolves with after how many words it was open. */
function opensAfter(words: string): number | undefined {
  const breaker = new CircuitBreaker();
  const groups = words.split(' ');
  const at = groups.findIndex((word, index) => {
    for (const letter of word)
      breaker.record(messageId(String(index)), letter === 'a' ? 'adverse' : 'favourable');
    return breaker.isOpen;
  });
  return at < 0 ? undefined : at + 1;
}

const repeated = (word: string, times: number): string => Array.from({ length: times }, () => word).join(' ');

describe('the circuit breaker of reviews', () => {
  for (const [words, opens, why] of [
    ['a a', undefined, 'two adverse answers in a row leave it closed'],
    ['a a a', 3, 'three adverse answers in a row open it'],
    ['f a a a', 4, 'what went before does not matter'],
    ['a a f a a', undefined, 'a favourable answer in between breaks the row'],
    ['aaaaa aaaaa', undefined, 'many results of one answer count once'],
    ['fa af ffa', 3, 'one adverse result makes its answer adverse'],
    [`${repeated('a f', 9)} f f`, undefined, 'nine adverse answers of fifty leave it closed'],
    [`${repeated('a f', 9)} a`, 19, 'ten adverse answers of fifty open it'],
    [
      `${repeated('a f', 5)} ${repeated('f', 40)} ${repeated('a f', 5)}`,
      undefined,
      'only the last fifty count',
    ],
    [`a a a ${repeated('f', 60)}`, 3, 'it stays open'],
  ] as const)
    it(why, () => assert.equal(opensAfter(words), opens));
});
