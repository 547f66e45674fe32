import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callId, type ModelEvent } from '../../../src/agentkit/index.ts';
import { withUniqueIds } from '../../../src/agentkit/callIds.ts';
import { mergeUsage, TurnAssembly, type AssembledTurn } from '../../../src/agentkit/turnAssembly.ts';
import { callsDone, cutOff, done, say, think } from './support/scriptedStream.ts';

function assembled(...events: readonly ModelEvent[]): AssembledTurn {
  const assembly = new TurnAssembly();
  for (const event of events) assembly.accept(event);
  return assembly.result();
}

function piece(index: number, argumentsText: string, begin: { id?: string; name?: string } = {}): ModelEvent {
  return {
    kind: 'toolCallDelta',
    index,
    argumentsText,
    ...(begin.id !== undefined && { id: callId(begin.id) }),
    ...(begin.name !== undefined && { name: begin.name }),
  };
}

describe('the assembly of one answer', () => {
  it('appends deltas and replaces by snapshots', () => {
    const turn = assembled(
      say('a'),
      say('b'),
      { kind: 'textSnapshot', text: 'abc' },
      say('d'),
      think('x'),
      {
        kind: 'reasoningSnapshot',
        text: 'y',
      },
      done,
    );
    assert.deepEqual([turn.text, turn.reasoning, turn.stop], ['abcd', 'y', 'completed']);
  });

  it('keeps searches of the provider, their pages within a bound', () => {
    const pages = [{ title: 'df(1)', url: 'https://example.com' }];
    const many = Array<string>(2_000).fill('https://example.com');
    const turn = assembled(
      { kind: 'webSearch', query: 'q'.repeat(2_000), detail: pages },
      { kind: 'webSearch', query: 'more', detail: many },
      done,
    );
    assert.deepEqual(turn.searches, [
      { query: 'q'.repeat(1_000), detail: pages },
      { query: 'more', detail: [] },
    ]);
  });

  for (const [name, events, calls] of [
    [
      'by id first',
      [piece(0, '{', { id: 'a', name: 'df' }), piece(7, '}', { id: 'a' })],
      [['a', 'df', '{}']],
    ],
    ['by index second', [piece(0, '{', { id: 'a', name: 'df' }), piece(0, '}')], [['a', 'df', '{}']]],
    [
      'a new id at a taken index is another call, and later pieces belong to the latest',
      [piece(0, '{}', { id: 'a', name: 'df' }), piece(0, '{', { id: 'b', name: 'du' }), piece(0, '}')],
      [
        ['a', 'df', '{}'],
        ['b', 'du', '{}'],
      ],
    ],
    [
      'an id that comes late',
      [piece(0, '{', { name: 'df' }), piece(0, '}', { id: 'a' })],
      [['a', 'df', '{}']],
    ],
    ['no id at all', [piece(3, '{}', { name: 'df' })], [[undefined, 'df', '{}']]],
    [
      'in the order first seen',
      [piece(5, '', { id: 'b', name: 'du' }), piece(2, '', { id: 'a', name: 'df' }), piece(5, '{}')],
      [
        ['b', 'du', '{}'],
        ['a', 'df', ''],
      ],
    ],
  ] as const)
    it(`joins the pieces of calls: ${name}`, () => {
      const turn = assembled(...events, callsDone);
      assert.deepEqual(
        turn.calls.map((call) => [call.id, call.name, call.argumentsText]),
        calls,
      );
    });

  it('a snapshot of a call replaces what was there', () => {
    const whole: ModelEvent = {
      kind: 'toolCallSnapshot',
      id: callId('a'),
      index: 0,
      name: 'df',
      argumentsText: '{"p":1}',
    };
    assert.deepEqual(assembled(piece(0, '{"p"', { id: 'a', name: 'df' }), whole, callsDone).calls, [
      { id: 'a', name: 'df', argumentsText: '{"p":1}' },
    ]);
  });

  it('has calls only when it came to its end or to the output limit', () => {
    const call = piece(0, '{}', { id: 'a', name: 'df' });
    assert.equal(assembled(call).calls.length, 0);
    assert.equal(assembled(call).stop, 'cancelled');
    assert.equal(assembled(call, { kind: 'finished', reason: 'error' }).calls.length, 0);
    assert.equal(assembled(call, cutOff).calls.length, 1);
  });

  it('takes nothing but usage behind the end', () => {
    const turn = assembled(say('a'), done, say('b'), { kind: 'usage', usage: { inputTokens: 3 } }, cutOff);
    assert.deepEqual([turn.text, turn.stop, turn.usage], ['a', 'completed', { inputTokens: 3 }]);
  });

  it('merges usage by the larger of each figure', () => {
    assert.deepEqual(
      mergeUsage({ inputTokens: 10, outputTokens: 4 }, { inputTokens: 8, cachedInputTokens: 2 }),
      {
        inputTokens: 10,
        outputTokens: 4,
        cachedInputTokens: 2,
      },
    );
  });

  it('gives every call an id of its own in the run', () => {
    const used = new Set([callId('call_0')]);
    let made = 0;
    const calls = ['call_0', 'x', 'x', undefined].map((id) => ({
      id: id === undefined ? undefined : callId(id),
      name: 'df',
      argumentsText: '',
    }));
    assert.deepEqual(
      withUniqueIds(calls, used, () => `new-${String(++made)}`).map((call) => call.id),
      ['new-1', 'x', 'new-2', 'new-3'],
    );
    assert.deepEqual([...used], ['call_0', 'new-1', 'x', 'new-2', 'new-3']);
  });
});
