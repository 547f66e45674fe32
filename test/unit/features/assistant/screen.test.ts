import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import fc from 'fast-check';
import {
  callId,
  messageId,
  runId,
  type UserInputOutcome,
  type UserQuestion,
} from '../../../../src/agentkit/index.ts';
import type { ConversationSnapshot } from '../../../../src/application/assistant/assistantLibrary.ts';
import { AssistantActions } from '../../../../src/features/assistant/model/assistantActions.ts';
import { jsonBytes } from '../../../../src/features/assistant/presentation/jsonSize.ts';
import { screenStrings } from '../../../../src/features/assistant/presentation/texts.ts';
import { Screen } from '../../../../src/features/assistant/screen/screen.ts';
import {
  limits,
  protocolVersion,
  type FromWebview,
  type Row,
  type ToWebview,
} from '../../../../src/webview/assistant/protocol.ts';
import { applyMessage, type ScreenState } from '../../../../src/webview/assistant/state/screenState.ts';
import { settle } from '../../../support/fakeClock.ts';
import { deferred } from '../../agentkit/support/deferred.ts';
import {
  assistantMessage,
  commandResult,
  eventsOf,
  modelSetUp,
  plainL10n,
  planned,
  run,
  snapshotOf,
  startedAt,
  texts,
  toolMessage,
  userMessage,
  waitingApproval,
  type ModelSetUp,
} from './support.ts';

interface ScreenSetUp extends ModelSetUp {
  readonly screen: Screen;
  readonly posted: ToWebview[];
  readonly logged: string[];
  readonly editor: string[];
  loads: number;
  statics: number;
  say(message: FromWebview): void;
  /** The state of a page that took everything that was posted. */
  page(): ScreenState;
}

/** A screen on a page that records what it is sent; nothing is visible or greeted yet. */
function screenSetUp(stored?: ConversationSnapshot): ScreenSetUp {
  const base = modelSetUp(stored);
  const posted: ToWebview[] = [];
  const logged: string[] = [];
  const editor: string[] = [];
  const counts = { loads: 0, statics: 0 };
  const log = (_component: string, message: string): void => void logged.push(message);
  const actions = new AssistantActions({
    model: base.model,
    texts,
    describeError: (error) => (error instanceof Error ? error.message : String(error)),
    editor: {
      writeClipboard: (text) => void editor.push(`clipboard ${text}`),
      openExternal: (url) => void editor.push(`external ${url}`),
      openResource: (uri) => void editor.push(`resource ${uri}`),
      openFile: (position) => void editor.push(`file ${position.path}`),
      openFolders: () => [],
      runCommand: (command) => void editor.push(`command ${command}`),
      openSetting: (setting) => void editor.push(`setting ${setting}`),
      showError: (sentence) => void editor.push(`error ${sentence}`),
      suggest: (text) => void editor.push(`suggest ${text}`),
    },
  });
  const screen = new Screen({
    page: {
      post: (message) => void posted.push(message),
      load: () => void (counts.loads += 1),
      showStatic: () => void (counts.statics += 1),
    },
    model: base.model,
    intents: actions,
    clock: base.clock,
    log: { trace: log, info: log, warn: log, error: log },
    texts,
    strings: screenStrings(plainL10n),
  });
  return {
    ...base,
    screen,
    posted,
    logged,
    editor,
    get loads() {
      return counts.loads;
    },
    get statics() {
      return counts.statics;
    },
    say: (message) => screen.receive(message),
    page: () => pageAfter(posted),
  };
}

function pageAfter(posted: readonly ToWebview[]): ScreenState {
  let state: ScreenState | undefined;
  for (const message of posted) {
    const sequenced =
      message.kind === 'frame' || message.kind === 'delta'
        ? message
        : message.kind === 'reply' && message.value.kind === 'page'
          ? message.value
          : undefined;
    if (sequenced === undefined) continue;
    const applied = applyMessage(state, sequenced, 0);
    assert.equal(applied.kind, 'state');
    state = applied.state;
  }
  assert.ok(state !== undefined, 'no frame was posted');
  return state;
}

function shown(set: ScreenSetUp): ScreenSetUp {
  set.screen.setVisible(true);
  set.say({ kind: 'hello', protocol: protocolVersion });
  return set;
}

const kinds = (posted: readonly ToWebview[]): string[] => posted.map((message) => message.kind);

function conversationOf(count: number, text = 'message'): ConversationSnapshot {
  return snapshotOf({
    messages: Array.from({ length: count }, (_, index) =>
      userMessage(`${text} ${index}`, { id: messageId(`u${index}`) }),
    ),
  });
}

const textsOf = (rows: readonly Row[]): string[] =>
  rows.map((row) => (row.kind === 'user' ? row.text : row.id));

describe('a screen', () => {
  it('answers hello with a full frame, then sends changes with numbers without gaps', async () => {
    const set = shown(screenSetUp());
    assert.deepEqual(kinds(set.posted), ['frame']);
    const [start, first, second] = eventsOf(
      { kind: 'runStarted', prompt: userMessage('Why is it full?') },
      { kind: 'messageDelta', messageId: messageId('m1'), text: 'Because ' },
      { kind: 'messageDelta', messageId: messageId('m1'), text: 'of logs.' },
    );
    assert.ok(start && first && second);
    set.session.fire(start, first, second);
    assert.deepEqual(kinds(set.posted), ['frame'], 'nothing is sent before the flush');
    await set.clock.advance(limits.flushMs);
    assert.deepEqual(kinds(set.posted), ['frame', 'delta']);
    const { rows, status, empty } = set.page().frame;
    assert.deepEqual(textsOf(rows), ['Why is it full?', 'm1']);
    assert.deepEqual(status, { text: 'Connecting to the model', elapsedMs: 0, canStop: true });
    assert.equal(empty, undefined);
  });

  it('a stream of small pieces is flushed at most every 50 ms', async () => {
    const set = shown(screenSetUp());
    for (let index = 0; index < 100; index++) {
      const [event] = eventsOf({ kind: 'messageDelta', messageId: messageId('m1'), text: 'x' });
      assert.ok(event);
      set.session.fire(event);
      await set.clock.advance(10);
    }
    const deltas = set.posted.filter((message) => message.kind === 'delta').length;
    assert.ok(deltas <= 20, `${deltas} deltas in a second`);
    const [row] = set.page().frame.rows;
    assert.equal(row?.kind === 'assistant' && row.markdown, 'x'.repeat(100));
  });

  it('hidden it is sent nothing; shown again it gets a full frame', async () => {
    const set = shown(screenSetUp());
    set.screen.setVisible(false);
    set.session.fire(...eventsOf({ kind: 'runStarted', prompt: userMessage('Why?') }));
    await set.clock.advance(60_000);
    assert.deepEqual(kinds(set.posted), ['frame']);
    set.screen.setVisible(true);
    assert.deepEqual(kinds(set.posted), ['frame', 'frame']);
    assert.deepEqual(textsOf(set.page().frame.rows), ['Why?']);
  });

  it('a change that waits when the screen is hidden is not sent late', async () => {
    const set = shown(screenSetUp());
    set.session.fire(...eventsOf({ kind: 'runStarted', prompt: userMessage('Why?') }));
    set.screen.setVisible(false);
    await set.clock.advance(limits.flushMs);
    assert.deepEqual(kinds(set.posted), ['frame']);
  });

  it('resync is answered with a frame of a new generation', () => {
    const set = shown(screenSetUp());
    set.say({ kind: 'resync', generation: 1, afterSeq: 3 });
    const [first, second] = set.posted;
    assert.ok(first?.kind === 'frame' && second?.kind === 'frame');
    assert.ok(second.generation > first.generation);
  });

  it('a page of another protocol gets the static page', () => {
    const set = screenSetUp();
    set.screen.setVisible(true);
    set.say({ kind: 'hello', protocol: 1 });
    assert.equal(set.statics, 1);
    assert.deepEqual(set.posted, []);
  });

  it('holds at most 200 rows and pages both ways', async () => {
    const set = shown(screenSetUp(conversationOf(420)));
    assert.equal(set.page().frame.rows.length, 200);
    assert.deepEqual(textsOf(set.page().frame.rows).at(0), 'message 220');
    set.say({ kind: 'page', requestId: 1, direction: 'older' });
    const older = set.page().frame;
    assert.equal(older.rows.length, 200);
    assert.deepEqual(
      [textsOf(older.rows).at(0), textsOf(older.rows).at(-1), older.hasOlder, older.hasNewer],
      ['message 170', 'message 369', true, true],
    );
    set.session.fire(...eventsOf({ kind: 'messageDelta', messageId: messageId('m1'), text: 'new' }));
    await set.clock.advance(limits.flushMs);
    assert.deepEqual(
      textsOf(set.page().frame.rows).at(-1),
      'message 369',
      'a row beyond the window is not sent',
    );
    set.say({ kind: 'page', requestId: 2, direction: 'newer' });
    assert.deepEqual(textsOf(set.page().frame.rows).at(-1), 'message 419');
    set.say({ kind: 'latest' });
    const latest = set.page().frame;
    assert.deepEqual([textsOf(latest.rows).at(-1), latest.hasNewer, latest.rows.length], ['m1', false, 200]);
  });

  it('new rows push the oldest out of a full window', async () => {
    const set = shown(screenSetUp(conversationOf(200)));
    set.session.fire(...eventsOf({ kind: 'messageDelta', messageId: messageId('m1'), text: 'new' }));
    await set.clock.advance(limits.flushMs);
    const { rows, hasOlder } = set.page().frame;
    assert.deepEqual(
      [rows.length, textsOf(rows).at(0), textsOf(rows).at(-1), hasOlder],
      [200, 'message 1', 'm1', true],
    );
  });

  it('a frame stays within 512 KiB and shows the newest rows', () => {
    const set = shown(screenSetUp(conversationOf(100, 'x'.repeat(30_000))));
    const [frame] = set.posted;
    assert.ok(frame?.kind === 'frame');
    assert.ok(jsonBytes(frame) <= limits.frameBytes);
    assert.ok(frame.frame.rows.length > 10 && frame.frame.hasOlder);
    assert.ok(textsOf(frame.frame.rows).at(-1)?.endsWith(' 99'));
  });

  it('no delta is above 64 KiB', async () => {
    const set = shown(screenSetUp());
    set.session.fire(
      ...eventsOf(
        { kind: 'runStarted', prompt: userMessage('y'.repeat(60_000)) },
        ...Array.from({ length: 6 }, (_, index) => ({
          kind: 'messageFinished' as const,
          message: assistantMessage('word '.repeat(4_000), { id: messageId(`m${index}`) }),
        })),
      ),
    );
    await set.clock.advance(limits.flushMs);
    for (const message of set.posted.slice(1))
      assert.ok(message.kind === 'delta' && jsonBytes(message) <= limits.deltaBytes);
    assert.equal(set.page().frame.rows.length, 7);
  });

  it('a restored screen sees the same as one that was there all the time', async () => {
    const set = shown(screenSetUp(conversationOf(3)));
    set.session.fire(
      ...eventsOf(
        { kind: 'runStarted', prompt: userMessage('Go') },
        { kind: 'reasoningDelta', messageId: messageId('m1'), text: 'Think' },
        { kind: 'messageDelta', messageId: messageId('m1'), text: 'Half an ans' },
      ),
    );
    await set.clock.advance(limits.flushMs);
    const before = set.page().frame;
    set.say({ kind: 'hello', protocol: protocolVersion });
    const after = set.page().frame;
    assert.deepEqual(after.rows, before.rows);
  });
});

describe('the messages of a page', () => {
  it('a message that is stored is accepted; one that is not is refused with the reason', async () => {
    const set = shown(screenSetUp());
    set.say({ kind: 'send', requestId: 7, text: 'df?', draftId: 'd' });
    await set.clock.advance(0);
    assert.deepEqual(set.session.sent, ['df?']);
    assert.deepEqual(
      set.posted.find((message) => message.kind === 'reply'),
      {
        kind: 'reply',
        requestId: 7,
        value: { kind: 'accepted' },
      },
    );
    set.session.refusal = new Error('Another window is writing.');
    set.say({ kind: 'send', requestId: 8, text: 'again', draftId: 'd' });
    await set.clock.advance(0);
    assert.deepEqual(
      set.posted.find((message) => message.kind === 'refused'),
      {
        kind: 'refused',
        requestId: 8,
        why: 'failed',
        text: 'Another window is writing.',
      },
    );
  });

  const storedDrafts = ({ posted }: ScreenSetUp): unknown[] =>
    posted.flatMap((message) => (message.kind === 'frame' ? [message.storedDraftId] : []));

  it('a page that is hidden when its message is stored learns it with the next frame', async () => {
    const set = shown(screenSetUp());
    const stored = deferred();
    set.session.whenSent = stored.promise;
    set.say({ kind: 'send', requestId: 1, text: 'df?', draftId: 'draft-1' });
    set.screen.setVisible(false);
    stored.resolve();
    await settle();
    assert.deepEqual(storedDrafts(set), [undefined], 'a hidden page is told nothing');
    shown(set);
    assert.equal(storedDrafts(set).at(-1), 'draft-1');
  });

  it('a page that came after the one that asked gets no answer of it, and learns that the message is stored', async () => {
    const set = shown(screenSetUp());
    const stored = deferred();
    set.session.whenSent = stored.promise;
    set.say({ kind: 'send', requestId: 1, text: 'df?', draftId: 'draft-1' });
    set.say({ kind: 'hello', protocol: protocolVersion });
    stored.resolve();
    await settle();
    assert.equal(storedDrafts(set).at(-1), 'draft-1');
    assert.deepEqual(
      set.posted.filter(({ kind }) => kind === 'reply'),
      [],
    );
  });

  it('a message that is refused stays a draft', async () => {
    const set = shown(screenSetUp());
    set.session.refusal = new Error('Another window is writing.');
    set.say({ kind: 'send', requestId: 1, text: 'df?', draftId: 'draft-1' });
    await settle();
    set.say({ kind: 'hello', protocol: protocolVersion });
    assert.deepEqual(storedDrafts(set), [undefined, undefined]);
  });

  it('an expansion comes in parts of at most 64 KiB', () => {
    const reasoning = 'Thought after thought.\n'.repeat(6_000);
    const set = shown(
      screenSetUp(snapshotOf({ messages: [assistantMessage('Done.', { reasoning, reasoningMs: 1 })] })),
    );
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      set.say({ kind: 'expand', requestId: 1, rowId: 'm1', part: 'reasoning', offset });
      const reply = set.posted.at(-1);
      assert.ok(reply?.kind === 'reply' && reply.value.kind === 'part');
      assert.ok(jsonBytes(reply) <= limits.deltaBytes);
      text += reply.value.text;
      offset = reply.value.next;
    }
    assert.equal(text, reasoning);
  });

  it('vector 30: folding and unfolding a card of 10,000 lines asks for nothing and changes no stored byte', () => {
    const output = Array.from({ length: 10_000 }, (_, index) => `line ${String(index + 1)}\n`).join('');
    const message = toolMessage(commandResult({ output }), { outcome: 'succeeded' });
    const asked = assistantMessage('', {
      calls: [{ id: message.callId, name: message.toolName, argumentsText: '{}' }],
    });
    const stored = snapshotOf({ messages: [userMessage('Show me'), asked, message] });
    const before = JSON.stringify(stored);
    const set = shown(screenSetUp(stored));
    const row = set.page().frame.rows.find(({ kind }) => kind === 'card');
    assert.ok(row);
    let text = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      set.say({ kind: 'expand', requestId: 1, rowId: row.id, part: 'body', offset });
      const reply = set.posted.at(-1);
      assert.ok(reply?.kind === 'reply' && reply.value.kind === 'part');
      text += reply.value.text;
      offset = reply.value.next;
    }
    assert.equal(text, output);
    assert.equal(set.session.stored, stored, 'nothing was stored');
    assert.equal(JSON.stringify(stored), before);
    assert.deepEqual([set.session.sent, set.editor, set.logged], [[], [], []]);
  });

  it('an expansion of a row that is gone is refused', () => {
    const set = shown(screenSetUp());
    set.say({ kind: 'expand', requestId: 3, rowId: 'gone', part: 'body', offset: 0 });
    const refused = set.posted.at(-1);
    assert.equal(refused?.kind === 'refused' && refused.why, 'notThere');
  });

  it('links are checked before the editor opens them', () => {
    const set = shown(screenSetUp());
    set.say({ kind: 'openLink', requestId: 1, url: 'https://example.com/' });
    set.say({ kind: 'openLink', requestId: 2, url: 'command:evil' });
    assert.deepEqual(set.editor, ['external https://example.com/']);
    const refused = set.posted.at(-1);
    assert.equal(refused?.kind === 'refused' && refused.why, 'linkRefused');
  });

  it('the captured output opens as an editor', () => {
    const set = shown(screenSetUp());
    set.say({ kind: 'openScratch', path: 'c1/outputs/ssh exec#1.txt' });
    assert.deepEqual(set.editor, ['resource termind-scratch:/c1/outputs/ssh%20exec%231.txt']);
  });

  it('whatever a page posts that is no message changes nothing, is counted, and is logged without its content', () => {
    const set = shown(screenSetUp());
    const framesBefore = set.posted.length;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.record({
            kind: fc.constantFrom(
              'send',
              'decide',
              'stop',
              'act',
              'answerQuestions',
              'decideRun',
              'decidePlan',
            ),
            canary: fc.constant('canary-1f'),
          }),
          fc.constant({ kind: 'send', requestId: 1, text: 'canary-1f'.repeat(10_000), draftId: 'd' }),
        ),
        (raw) => {
          set.screen.receive(raw);
        },
      ),
    );
    assert.ok(set.screen.droppedMessages > 0);
    assert.equal(set.posted.length, framesBefore);
    assert.deepEqual([set.session.sent, set.session.stops, set.library.settled, set.editor], [[], 0, [], []]);
    assert.ok(set.logged.length > 0 && !set.logged.join('\n').includes('canary'));
  });
});

describe('a decision on a screen', () => {
  const approval = waitingApproval();

  function asked(): ScreenSetUp {
    const set = shown(screenSetUp());
    set.library.wait([approval]);
    return set;
  }

  it('the pinned card has everything the digest covers', async () => {
    const set = asked();
    await set.clock.advance(limits.flushMs);
    assert.deepEqual(set.page().frame.pinned, {
      kind: 'approval',
      otherConversation: undefined,
      approvalId: 'a1',
      digest: 'd1',
      position: 1,
      count: 1,
      toolName: 'ssh_exec_run',
      symbol: 'terminal',
      action: 'rm /var/log/app/app.log.1',
      target: 'lab',
      identity: 'root',
      tier: 'prod',
      tierLabel: 'production',
      targetChanged: false,
      reasons: ['Not proven read-only: rm deletes files.'],
      details: [
        { label: 'Address', value: '192.0.2.1:22' },
        { label: 'timeout_ms', value: '60000' },
      ],
      before: ['df -h'],
      editable: undefined,
      isEdited: false,
      canGrant: false,
      tooLarge: false,
    });
  });

  it('settles with the id and the digest that were shown', () => {
    const set = asked();
    set.say({ kind: 'decide', requestId: 1, approvalId: 'a1', shownDigest: 'd1', verdict: 'approve' });
    assert.deepEqual(set.library.settled, [
      { approvalId: 'a1', shownDigest: 'd1', verdict: 'approve', reason: undefined },
    ]);
  });

  for (const [name, approvalId, shownDigest] of [
    ['another digest', 'a1', 'd2'],
    ['another id', 'a2', 'd1'],
  ] as const)
    it(`is refused with ${name}`, () => {
      const set = asked();
      set.say({ kind: 'decide', requestId: 1, approvalId, shownDigest, verdict: 'approve' });
      assert.deepEqual(set.library.settled, []);
      const refused = set.posted.at(-1);
      assert.equal(refused?.kind === 'refused' && refused.why, 'noLongerWaiting');
    });

  it('only the oldest can be decided', () => {
    const set = shown(screenSetUp());
    set.library.wait([approval, waitingApproval({ id: 'a2', digest: 'd2' })]);
    set.say({ kind: 'decide', requestId: 1, approvalId: 'a2', shownDigest: 'd2', verdict: 'approve' });
    assert.deepEqual(set.library.settled, []);
  });

  it('a second answer to the same card is refused', () => {
    const set = asked();
    for (const requestId of [1, 2])
      set.say({ kind: 'decide', requestId, approvalId: 'a1', shownDigest: 'd1', verdict: 'approve' });
    assert.equal(set.library.settled.length, 1);
  });

  it('a request that cannot be shown whole can only be denied', async () => {
    const set = shown(screenSetUp());
    set.library.wait([waitingApproval({ action: 'x'.repeat(400_000) })]);
    await set.clock.advance(limits.flushMs);
    const { pinned } = set.page().frame;
    assert.ok(pinned?.kind === 'approval');
    assert.deepEqual([pinned.tooLarge, pinned.action], [true, '']);
    set.say({ kind: 'decide', requestId: 1, approvalId: 'a1', shownDigest: 'd1', verdict: 'approve' });
    assert.deepEqual(set.library.settled, []);
    set.say({ kind: 'decide', requestId: 2, approvalId: 'a1', shownDigest: 'd1', verdict: 'deny' });
    assert.equal(set.library.settled.length, 1);
  });
});

describe('the heartbeat', () => {
  it('asks a visible page every 5 s and lets an answering one be', async () => {
    const set = shown(screenSetUp());
    for (let beat = 1; beat <= 10; beat++) {
      await set.clock.advance(limits.pingMs);
      assert.deepEqual(set.posted.at(-1), { kind: 'ping', n: beat });
      set.say({ kind: 'pong', n: beat });
    }
    assert.equal(set.loads, 0);
  });

  it('two missed answers load the page anew, the third time within a minute shows the static page', async () => {
    const set = shown(screenSetUp());
    await set.clock.advance(3 * limits.pingMs);
    assert.equal(set.loads, 1);
    await set.clock.advance(3 * limits.pingMs);
    assert.equal(set.loads, 2);
    await set.clock.advance(3 * limits.pingMs);
    assert.deepEqual([set.loads, set.statics], [2, 1]);
    await set.clock.advance(10 * limits.pingMs);
    assert.deepEqual([set.loads, set.statics], [2, 1]);
    set.say({ kind: 'reload' });
    assert.equal(set.loads, 3);
    set.say({ kind: 'hello', protocol: protocolVersion });
    assert.equal(set.posted.at(-1)?.kind, 'frame');
  });

  it('an old answer does not count for a new question', async () => {
    const set = shown(screenSetUp());
    await set.clock.advance(2 * limits.pingMs);
    set.say({ kind: 'pong', n: 1 });
    await set.clock.advance(limits.pingMs);
    assert.equal(set.loads, 1);
  });

  it('a hidden page is not asked, and a screen that is gone leaves no timer', async () => {
    const set = shown(screenSetUp());
    set.screen.setVisible(false);
    await set.clock.advance(60_000);
    assert.deepEqual(kinds(set.posted), ['frame']);
    set.screen.setVisible(true);
    set.session.fire(...eventsOf({ kind: 'runStarted', prompt: userMessage('x') }));
    set.screen.dispose();
    assert.equal(set.clock.pending, 0);
  });
});

describe('questions on a screen', () => {
  const which: UserQuestion = {
    id: 'which',
    header: 'Disk',
    prompt: 'Which **disk**?',
    options: [
      { id: 'root', label: 'The root', recommended: true },
      { id: 'data', label: 'The data', description: '2 TB', recommended: false },
    ],
    multiSelect: false,
    allowCustom: true,
  };
  const answers = [{ questionId: 'which', selectedOptionIds: ['data'] }];

  /** A screen with one question in front, and what the model will read. */
  function asked(): ScreenSetUp & { outcome: Promise<UserInputOutcome>; cardId: string } {
    const set = shown(screenSetUp());
    const outcome = set.library.ask([which]);
    return { ...set, outcome, cardId: set.library.cards.waiting[0]?.id ?? '' };
  }

  const lastReply = ({ posted }: ScreenSetUp): unknown => posted.at(-1);
  const refusedAs = (requestId: number): unknown => ({
    kind: 'refused',
    requestId,
    why: 'noLongerWaiting',
    text: 'This question is no longer open. Your answer decided nothing.',
  });

  it('have their time start when a screen shows them', async () => {
    const set = screenSetUp();
    void set.library.ask([which]);
    const [before] = set.library.cards.waiting;
    assert.equal(before?.shownAt, undefined, 'no screen is visible');
    await set.clock.advance(60_000);
    shown(set);
    await set.clock.advance(limits.flushMs);
    const { pinned } = set.page().frame;
    assert.equal(pinned?.kind === 'questions' && pinned.closesAt, startedAt + 60_000 + 300_000);
  });

  it('come whole, with the time they are open and the number of what waits', async () => {
    const set = asked();
    set.library.wait([waitingApproval()]);
    await set.clock.advance(limits.flushMs);
    await set.clock.advance(limits.flushMs);
    assert.deepEqual(set.page().frame.pinned, {
      kind: 'questions',
      position: 1,
      count: 2,
      otherConversation: undefined,
      cardId: set.cardId,
      questions: [
        {
          id: 'which',
          header: 'Disk',
          prompt: 'Which **disk**?',
          options: [
            { id: 'root', label: 'The root', description: '', recommended: true },
            { id: 'data', label: 'The data', description: '2 TB', recommended: false },
          ],
          isMultiple: false,
          allowsOwnWords: true,
          placeholder: '',
        },
      ],
      closesAt: startedAt + limits.flushMs + 300_000,
    });
  });

  it('are answered once; a second answer is refused', async () => {
    const set = asked();
    for (const requestId of [1, 2])
      set.say({ kind: 'answerQuestions', requestId, cardId: set.cardId, answers });
    assert.deepEqual(await set.outcome, { kind: 'answered', answers });
    assert.deepEqual(lastReply(set), refusedAs(2));
  });

  it('are cancelled by a decision of its own', async () => {
    const set = asked();
    set.say({ kind: 'cancelQuestions', requestId: 1, cardId: set.cardId });
    assert.deepEqual(await set.outcome, { kind: 'cancelled' });
  });

  for (const [name, message] of [
    ['of another card', { kind: 'answerQuestions', requestId: 1, cardId: 'other', answers }],
    [
      'that was not offered',
      {
        kind: 'answerQuestions',
        requestId: 1,
        cardId: 'shown',
        answers: [{ questionId: 'which', selectedOptionIds: ['boot'] }],
      },
    ],
    ['to a run', { kind: 'decideRun', requestId: 1, cardId: 'shown', verdict: 'continue' }],
    ['of another card that is cancelled', { kind: 'cancelQuestions', requestId: 1, cardId: 'other' }],
  ] as const)
    it(`take no answer ${name}`, () => {
      const set = asked();
      set.say(message.cardId === 'shown' ? { ...message, cardId: set.cardId } : message);
      assert.deepEqual(lastReply(set), refusedAs(1));
      assert.equal(set.library.cards.waiting.length, 1);
    });

  it('behind another card take none either, and that one is not decided by it', () => {
    const set = shown(screenSetUp());
    set.library.wait([waitingApproval()]);
    void set.library.ask([which]);
    const behind = set.library.cards.waiting[1]?.id ?? '';
    set.say({ kind: 'answerQuestions', requestId: 1, cardId: behind, answers });
    set.say({ kind: 'decide', requestId: 2, approvalId: behind, shownDigest: 'd1', verdict: 'approve' });
    assert.deepEqual([set.library.cards.waiting.length, set.library.settled], [2, []]);
  });

  it('in front of an approval keep it from being decided', () => {
    const set = asked();
    set.library.wait([waitingApproval()]);
    set.say({ kind: 'decide', requestId: 1, approvalId: 'a1', shownDigest: 'd1', verdict: 'approve' });
    assert.deepEqual(set.library.settled, []);
  });

  it('whether a run goes on come with the numbers and are decided once', async () => {
    const set = shown(screenSetUp());
    const question = { kind: 'ceiling', unit: 'turns', used: 20, limit: 20, more: 20 } as const;
    const answer = set.library.askWhether(question);
    await set.clock.advance(limits.flushMs);
    const { pinned } = set.page().frame;
    assert.ok(pinned?.kind === 'run');
    assert.deepEqual(pinned.question, question);
    const { cardId } = pinned;
    set.say({ kind: 'decideRun', requestId: 1, cardId, verdict: 'continue' });
    set.say({ kind: 'decideRun', requestId: 2, cardId, verdict: 'stop' });
    assert.deepEqual(await answer, { kind: 'continue' });
    assert.deepEqual(lastReply(set), refusedAs(2));
  });
});

describe('a plan on a screen', () => {
  const text = `# Plan\n${'1. A step that is long enough.\n'.repeat(600)}`;

  it('is read to its end in parts', async () => {
    const set = shown(screenSetUp(planned({ plan: text })));
    const [row] = set.page().frame.rows;
    assert.ok(row?.kind === 'plan');
    assert.deepEqual([row.hasMore, row.state, row.title], [true, 'pending', 'Free the disk']);
    set.say({ kind: 'expand', requestId: 1, rowId: row.id, part: 'plan', offset: row.markdown.length });
    const reply = set.posted.at(-1);
    assert.ok(reply?.kind === 'reply' && reply.value.kind === 'part');
    assert.equal(row.markdown + reply.value.text, text);
    assert.equal(reply.value.next, undefined);
  });

  it('is implemented or discarded by the row that shows it', async () => {
    for (const verdict of ['implement', 'discard'] as const) {
      const set = shown(screenSetUp(planned()));
      set.say({ kind: 'decidePlan', requestId: 1, rowId: `call:${run}:p`, verdict });
      await set.clock.advance(0);
      assert.deepEqual(set.posted.at(-1), { kind: 'reply', requestId: 1, value: { kind: 'accepted' } });
      assert.deepEqual(
        [set.session.implemented, set.session.discarded],
        verdict === 'implement' ? [['p'], []] : [[], ['p']],
      );
    }
  });

  for (const [name, parts, rowId] of [
    ['another row', {}, `call:${run}:other`],
    ['a row of an older plan with the same call id', { planOf: runId('r9') }, `call:${run}:p`],
    ['a plan that is decided', { outcome: 'discarded' }, `call:${run}:p`],
  ] as const)
    it(`is not decided by ${name}`, async () => {
      const set = shown(screenSetUp(planned(parts)));
      set.say({ kind: 'decidePlan', requestId: 1, rowId, verdict: 'implement' });
      await set.clock.advance(0);
      const reply = set.posted.at(-1);
      assert.equal(reply?.kind === 'refused' && reply.why, 'noLongerWaiting');
      assert.deepEqual(set.session.implemented, []);
    });

  it('is not implemented while a request is worked on', async () => {
    const set = shown(screenSetUp(planned()));
    set.session.isRunning = true;
    set.say({ kind: 'decidePlan', requestId: 1, rowId: `call:${run}:p`, verdict: 'implement' });
    await set.clock.advance(0);
    const reply = set.posted.at(-1);
    assert.equal(reply?.kind === 'refused' && reply.why, 'blocked');
    assert.deepEqual(set.session.implemented, []);
  });

  it('is copied whole', () => {
    const set = shown(screenSetUp(planned({ plan: text })));
    set.say({ kind: 'copyRow', rowId: `call:${run}:p` });
    assert.deepEqual(set.editor, [`clipboard ${text}`]);
  });

  it('comes about in plan mode, which a screen switches and shows', async () => {
    const set = shown(screenSetUp());
    set.say({ kind: 'setPlanning', requestId: 1, on: true });
    await set.clock.advance(limits.flushMs);
    assert.equal(set.session.stored.summary.planning, true);
    assert.equal(set.page().frame.composer.planning, true);
  });

  it('mode chosen before the first message holds for the conversation that begins with it', async () => {
    const set = shown(screenSetUp());
    set.model.show(undefined);
    set.say({ kind: 'setPlanning', requestId: 1, on: true });
    await set.clock.advance(limits.flushMs);
    assert.deepEqual(
      [set.page().frame.composer.planning, set.session.stored.summary.planning],
      [true, false],
    );
    set.say({ kind: 'send', requestId: 2, text: 'Plan it', draftId: 'd' });
    await set.clock.advance(limits.flushMs);
    assert.deepEqual([set.session.sent, set.session.stored.summary.planning], [['Plan it'], true]);
  });
});

describe('what else a screen tells', () => {
  const task = { id: '1', title: 'Look', status: 'in_progress' } as const;

  it('the tasks, and each change of them', async () => {
    const set = shown(screenSetUp(snapshotOf({ tasks: [task] })));
    assert.deepEqual(set.page().frame.tasks, [task]);
    const done = { ...task, status: 'completed' } as const;
    set.session.fire(...eventsOf({ kind: 'tasksUpdated', callId: callId('t'), tasks: [done] }));
    await set.clock.advance(limits.flushMs);
    assert.deepEqual(set.page().frame.tasks, [done]);
  });

  it('that a limit of cost is not enforced, with the way to the prices', () => {
    const set = shown(screenSetUp(snapshotOf({ costCeiling: 'noPrice' })));
    assert.deepEqual(set.page().frame.banner, {
      level: 'warning',
      text: 'Your limit of cost is not enforced: Scripted has no price in the settings.',
      action: { id: 'setPrice', label: 'Set Price…' },
    });
    set.say({ kind: 'act', action: 'setPrice' });
    assert.deepEqual(set.editor, ['setting termind.prices']);
  });
});
