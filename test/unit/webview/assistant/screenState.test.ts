import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type {
  Composer,
  Frame,
  Row,
  StringKey,
  ToWebview,
} from '../../../../src/webview/assistant/protocol.ts';
import { limits } from '../../../../src/webview/assistant/protocol.ts';
import { fromStored, toStored } from '../../../../src/webview/assistant/state/persisted.ts';
import { applyMessage, type ScreenState } from '../../../../src/webview/assistant/state/screenState.ts';

const strings = new Proxy({} as Record<StringKey, string>, { get: (_, key) => String(key) });
const composer: Composer = {
  blocked: undefined,
  mode: 'ask',
  modeLabel: 'Ask for approval',
  modelLabel: 'Scripted',
  running: false,
  planning: false,
  contextTokens: undefined,
  contextWindow: undefined,
};
const user = (id: string): Row => ({ kind: 'user', id, text: id, at: 0, queued: false });

function frameOf(parts: Partial<Frame> = {}): Extract<ToWebview, { kind: 'frame' }> {
  return {
    kind: 'frame',
    protocol: 3,
    generation: 5,
    seq: 0,
    strings,
    storedDraftId: undefined,
    frame: {
      conversationId: undefined,
      title: '',
      rows: [user('a'), user('b')],
      hasOlder: false,
      hasNewer: false,
      banner: undefined,
      status: undefined,
      tasks: [],
      pinned: undefined,
      composer,
      empty: undefined,
      ...parts,
    },
  };
}

function start(parts?: Partial<Frame>): ScreenState {
  const applied = applyMessage(undefined, frameOf(parts), 1_000);
  assert.equal(applied.kind, 'state');
  return applied.state;
}

describe('the state of a screen', () => {
  it('a delta before the first frame is nothing', () => {
    assert.deepEqual(applyMessage(undefined, { kind: 'delta', generation: 5, seq: 1, ops: [] }, 0), {
      kind: 'none',
    });
  });

  for (const [name, generation, seq] of [
    ['a gap', 5, 2],
    ['a number twice', 5, 0],
    ['a foreign generation', 6, 1],
  ] as const)
    it(`${name} asks for a frame`, () => {
      assert.deepEqual(applyMessage(start(), { kind: 'delta', generation, seq, ops: [] }, 0), {
        kind: 'resync',
      });
    });

  it('rows that did not change keep their identity', () => {
    const before = start();
    const applied = applyMessage(
      before,
      { kind: 'delta', generation: 5, seq: 1, ops: [{ op: 'upsert', row: user('c'), after: 'a' }] },
      0,
    );
    assert.equal(applied.kind, 'state');
    const { rows } = applied.state.frame;
    assert.deepEqual(
      rows.map((row) => row.id),
      ['a', 'c', 'b'],
    );
    assert.equal(rows[0], before.frame.rows[0]);
    assert.equal(rows[2], before.frame.rows[1]);
  });

  it('an older page goes in front and pushes the newest rows out', () => {
    const applied = applyMessage(
      start(),
      {
        kind: 'page',
        generation: 5,
        seq: 1,
        direction: 'older',
        rows: [user('x'), user('y')],
        drop: 1,
        hasOlder: true,
        hasNewer: true,
      },
      0,
    );
    assert.equal(applied.kind, 'state');
    assert.deepEqual(
      applied.state.frame.rows.map((row) => row.id),
      ['x', 'y', 'a'],
    );
    assert.deepEqual([applied.state.frame.hasOlder, applied.state.frame.hasNewer], [true, true]);
  });

  it('knows since when the status counts', () => {
    const applied = applyMessage(
      start(),
      {
        kind: 'delta',
        generation: 5,
        seq: 1,
        ops: [{ op: 'status', status: { text: 'Thinking', elapsedMs: 0, canStop: true } }],
      },
      9_000,
    );
    assert.equal(applied.kind === 'state' && applied.state.statusAt, 9_000);
  });
});

describe('what a page keeps', () => {
  it('is at most 64 KiB, the beginning of a longer draft stays', () => {
    for (const character of ['a', '€', '"', '𝄞']) {
      const stored = toStored({
        draft: character.repeat(100_000),
        sending: undefined,
        anchor: { rowId: 'r', offset: 3 },
        conversationId: 'c',
        answers: undefined,
        areTasksOpen: true,
      });
      assert.ok(new TextEncoder().encode(JSON.stringify(stored)).length <= limits.stateBytes);
      assert.ok(stored.draft.length > 5_000);
    }
  });

  it('has what is filled into questions, unless that is very much', () => {
    const state = { draft: 'x', sending: 'd', anchor: undefined, conversationId: 'c', areTasksOpen: false };
    const kept = (text: string) => {
      const answers = { cardId: 'q', drafts: [{ selected: ['a'], isOwn: true, text }] };
      return fromStored(toStored({ ...state, answers })).answers;
    };
    assert.deepEqual(kept('mine'), {
      cardId: 'q',
      drafts: [{ selected: ['a'], isOwn: true, text: 'mine' }],
    });
    assert.equal(kept('€'.repeat(9_000)), undefined);
  });

  for (const raw of [
    undefined,
    null,
    3,
    'x',
    [],
    { draft: 3 },
    { sending: 3 },
    { anchor: { rowId: 1 } },
    { answers: { drafts: 3 } },
  ])
    it(`reads anything: ${JSON.stringify(raw)}`, () => {
      assert.deepEqual(fromStored(raw), {
        draft: '',
        sending: undefined,
        anchor: undefined,
        conversationId: undefined,
        answers: undefined,
        areTasksOpen: false,
      });
    });
});
