import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import { jsonBytes } from '../../../../src/features/assistant/presentation/jsonSize.ts';
import { screenStrings } from '../../../../src/features/assistant/presentation/texts.ts';
import { DeltaBatch } from '../../../../src/features/assistant/screen/deltaBatch.ts';
import type { AssistantRow, DeltaOp, Frame } from '../../../../src/webview/assistant/protocol.ts';
import { applyMessage, type ScreenState } from '../../../../src/webview/assistant/state/screenState.ts';
import { plainL10n } from './support.ts';

function answer(id: string, markdown: string): AssistantRow {
  return { kind: 'assistant', id, markdown, reasoning: undefined, streaming: true };
}

function batchOf(ops: readonly DeltaOp[]): DeltaBatch {
  const batch = new DeltaBatch();
  for (const op of ops) batch.add(op);
  return batch;
}

const upsert = (id: string, text: string, after?: string): DeltaOp => ({
  op: 'upsert',
  row: answer(id, text),
  after,
});
const append = (id: string, text: string): DeltaOp => ({ op: 'appendMarkdown', id, text });

describe('changes that wait for a flush', () => {
  for (const [name, ops, sent] of [
    ['text of one row is joined', [append('a', 'x'), append('a', 'y')], [append('a', 'xy')]],
    ['text of a new row goes into it', [upsert('a', 'x'), append('a', 'y')], [upsert('a', 'xy')]],
    [
      'a row replaces its earlier self in its place',
      [upsert('a', 'x'), upsert('b', '', 'a'), upsert('a', 'z')],
      [upsert('a', 'z'), upsert('b', '', 'a')],
    ],
    ['a row makes its earlier text void', [append('a', 'x'), upsert('a', 'z')], [upsert('a', 'z')]],
    [
      'a row that comes back after its removal is new',
      [upsert('a', 'x'), { op: 'remove', id: 'a' }, upsert('a', 'z')],
      [upsert('a', 'x'), { op: 'remove', id: 'a' }, upsert('a', 'z')],
    ],
    [
      'of two titles the last counts',
      [{ op: 'title', title: '1' }, append('a', 'x'), { op: 'title', title: '2' }],
      [append('a', 'x'), { op: 'title', title: '2' }],
    ],
  ] as const satisfies readonly (readonly [string, readonly DeltaOp[], readonly DeltaOp[]])[])
    it(name, () => {
      assert.deepEqual(batchOf(ops).take(1_000), [sent]);
    });

  it('lists are within their limit, a long text is cut between characters', () => {
    const lists = batchOf([append('a', '𝄞'.repeat(100)), upsert('b', 'y'.repeat(50))]).take(200) ?? [];
    assert.ok(lists.length > 2 && lists.every((list) => jsonBytes(list) <= 200));
    const text = lists.flat().flatMap((op) => (op.op === 'appendMarkdown' ? [op.text] : []));
    assert.equal(text.join(''), '𝄞'.repeat(100));
  });

  it('a row that fits no list asks for a frame', () => {
    const batch = batchOf([upsert('a', 'x'.repeat(500))]);
    assert.equal(batch.take(200), undefined);
    assert.equal(batch.isEmpty, true);
  });

  it('a screen that takes the joined changes shows what one sees that takes each', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const text = fc.string({ minLength: 1, maxLength: 6 });
    const op: fc.Arbitrary<DeltaOp> = fc.oneof(
      fc
        .tuple(id, text, fc.option(id, { nil: undefined }))
        .map(([row, value, after]) => upsert(row, value, after)),
      fc.tuple(id, text).map(([row, value]) => append(row, value)),
      fc.tuple(id, text).map(([row, value]): DeltaOp => ({ op: 'appendReasoning', id: row, text: value })),
      id.map((row): DeltaOp => ({ op: 'remove', id: row })),
      text.map((title): DeltaOp => ({ op: 'title', title })),
    );
    fc.assert(
      fc.property(fc.array(op, { maxLength: 25 }), (ops) => {
        const lists = batchOf(ops).take(10_000) ?? [];
        assert.deepEqual(framesOf(lists), framesOf(ops.map((one) => [one])));
      }),
    );
  });
});

const start: ScreenState = {
  generation: 1,
  seq: 0,
  strings: screenStrings(plainL10n),
  statusAt: 0,
  runningAt: {},
  frame: {
    conversationId: undefined,
    title: '',
    rows: [answer('a', 'first')],
    hasOlder: false,
    hasNewer: false,
    banner: undefined,
    status: undefined,
    tasks: [],
    pinned: undefined,
    composer: {
      blocked: undefined,
      mode: 'ask',
      modeLabel: '',
      modelLabel: '',
      running: false,
      planning: false,
      contextTokens: undefined,
      contextWindow: undefined,
    },
    empty: undefined,
  },
};

function framesOf(lists: readonly (readonly DeltaOp[])[]): Frame {
  let state = start;
  lists.forEach((ops, index) => {
    const applied = applyMessage(state, { kind: 'delta', generation: 1, seq: index + 1, ops }, 0);
    assert.equal(applied.kind, 'state');
    state = applied.state;
  });
  return state.frame;
}
