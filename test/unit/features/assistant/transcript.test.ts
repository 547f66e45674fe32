import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callId, messageId, runId, type AgentEventBody } from '../../../../src/agentkit/index.ts';
import { Transcript } from '../../../../src/features/assistant/presentation/transcript.ts';
import type { Row } from '../../../../src/webview/assistant/protocol.ts';
import {
  assistantMessage,
  commandResult,
  endTexts,
  eventsOf,
  planned,
  proposedCall,
  run,
  snapshotOf,
  startedAt,
  toolMessage,
  userMessage,
} from './support.ts';

const call = { id: callId('call_1'), name: 'ssh_exec_run', argumentsText: '{}' };

function rowsOf(transcript: Transcript): Row[] {
  return transcript.ids.flatMap((id) => transcript.row(id, startedAt) ?? []);
}

function afterEvents(...bodies: readonly AgentEventBody[]): Transcript {
  const transcript = new Transcript(endTexts);
  for (const event of eventsOf(...bodies)) transcript.apply(event);
  return transcript;
}

/** A whole run: prompt, thoughts, text, one command, closing words. */
const wholeRun: readonly AgentEventBody[] = [
  { kind: 'runStarted', prompt: userMessage('Why is the disk of lab filling up?') },
  { kind: 'messageStarted', messageId: messageId('m1') },
  { kind: 'reasoningDelta', messageId: messageId('m1'), text: 'Look at ' },
  { kind: 'reasoningDelta', messageId: messageId('m1'), text: 'the disk.' },
  { kind: 'messageDelta', messageId: messageId('m1'), text: 'I look ' },
  { kind: 'messageDelta', messageId: messageId('m1'), text: 'at the disk.' },
  {
    kind: 'messageFinished',
    message: assistantMessage('I look at the disk.', {
      reasoning: 'Look at the disk.',
      reasoningMs: 200,
      calls: [call],
      stop: 'toolCalls',
    }),
  },
  { kind: 'toolProposed', call: proposedCall('df -h') },
  {
    kind: 'toolStarted',
    callId: callId('call_1'),
    toolName: 'ssh_exec_run',
    ground: { kind: 'proof' },
    mode: 'ask',
  },
  {
    kind: 'toolFinished',
    message: toolMessage(commandResult({ output: 'full\n' }), { durationMs: 30 }),
    outcome: 'succeeded',
  },
  { kind: 'messageDelta', messageId: messageId('m2'), text: 'It is full.' },
  { kind: 'messageFinished', message: assistantMessage('It is full.', { id: messageId('m2') }) },
  { kind: 'runFinished', state: 'completed' },
];

describe('the transcript', () => {
  it('shows a run while it happens', () => {
    const transcript = afterEvents(...wholeRun.slice(0, 5));
    assert.deepEqual(rowsOf(transcript), [
      { kind: 'user', id: 'u1', text: 'Why is the disk of lab filling up?', at: startedAt, queued: false },
      {
        kind: 'assistant',
        id: 'm1',
        markdown: 'I look ',
        reasoning: { text: 'Look at the disk.', hasMore: false, durationMs: 300 },
        streaming: true,
      },
    ]);
  });

  it('after a run, live rows and restored rows are the same', () => {
    const live = afterEvents(...wholeRun);
    const restored = new Transcript(endTexts);
    const stored = snapshotOf({
      messages: [
        userMessage('Why is the disk of lab filling up?'),
        assistantMessage('I look at the disk.', {
          reasoning: 'Look at the disk.',
          reasoningMs: 200,
          calls: [call],
          stop: 'toolCalls',
        }),
        toolMessage(commandResult({ output: 'full\n' }), { outcome: 'succeeded', durationMs: 30 }),
        assistantMessage('It is full.', { id: messageId('m2') }),
      ],
      calls: [{ runId: run, callId: callId('call_1'), dispatched: true, proposed: proposedCall('df -h') }],
      runs: [{ id: run, state: 'completed', startedAt }],
    });
    restored.reset(stored);
    assert.deepEqual(rowsOf(restored), rowsOf(live));
    assert.equal(live.reset(stored), false);
  });

  it('an answer streamed at any cut ends as the same rows', () => {
    const text = `${'A paragraph of words.\n\n'.repeat(1_200)}The end.`;
    const whole = rowsOf(afterEvents({ kind: 'messageFinished', message: assistantMessage(text) }));
    assert.ok(whole.length > 1);
    for (const size of [1_000, 7_777, 13_000, text.length]) {
      const deltas: AgentEventBody[] = [];
      for (let at = 0; at < text.length; at += size)
        deltas.push({ kind: 'messageDelta', messageId: messageId('m1'), text: text.slice(at, at + size) });
      const transcript = afterEvents(...deltas);
      const streamed = rowsOf(transcript).map((row) => row.kind === 'assistant' && row.markdown);
      assert.deepEqual(
        streamed,
        whole.map((row) => row.kind === 'assistant' && row.markdown),
      );
      const [last] = eventsOf({ kind: 'messageFinished', message: assistantMessage(text) });
      assert.ok(last !== undefined && transcript.apply(last).length <= 1);
      assert.deepEqual(rowsOf(transcript), whole);
    }
  });

  it('a scheduled retry drops the partial text', () => {
    const transcript = afterEvents(...wholeRun.slice(0, 6), {
      kind: 'modelRetryScheduled',
      attempt: 1,
      delayMs: 1_000,
      reason: 'network',
    });
    assert.deepEqual(transcript.ids, ['u1']);
  });

  it('a call is in review, then has its verdict; the same after a restart', () => {
    const verdict = {
      kind: 'reviewFinished',
      callId: call.id,
      allowed: true,
      rationale: 'asked for',
      risk: 'low',
      authorization: 'high',
    } as const;
    const asked: AgentEventBody[] = [
      { kind: 'messageFinished', message: assistantMessage('', { calls: [call] }) },
      { kind: 'toolProposed', call: proposedCall('df -h') },
      { kind: 'reviewStarted', callId: call.id },
    ];
    const shown = (transcript: Transcript) =>
      rowsOf(transcript).map((row) => row.kind === 'card' && [row.state, row.review?.result]);
    assert.deepEqual(shown(afterEvents(...asked)), [['reviewing', undefined]]);
    assert.deepEqual(shown(afterEvents(...asked, verdict)), [['proposed', 'allowed']]);
    const restored = new Transcript(endTexts);
    restored.reset(
      snapshotOf({
        messages: [assistantMessage('', { calls: [call] }), toolMessage(commandResult({ output: '' }))],
        calls: [{ runId: run, callId: call.id, dispatched: true, review: verdict }],
      }),
    );
    assert.deepEqual(shown(restored), [['succeeded', 'allowed']]);
  });

  it('a search of the provider is a card behind its answer, live and after a restart', () => {
    const message = assistantMessage('Low.', {
      searches: [
        {
          query: 'df',
          detail: [{ title: 'df(1)', url: 'https://example.com/df' }, { url: 'https://example.com' }],
        },
        {
          query: 'du',
          detail: { type: 'search', query: 'du', sources: [{ type: 'url', url: 'https://example.com/du' }] },
        },
        { query: 'dd', detail: { error: 'max_uses_exceeded' } },
      ],
    });
    const live = rowsOf(afterEvents({ kind: 'messageFinished', message }));
    const restored = new Transcript(endTexts);
    restored.reset(snapshotOf({ messages: [message] }));
    assert.deepEqual(rowsOf(restored), live);
    assert.deepEqual(
      live.map((row) =>
        row.kind === 'card' ? [row.title, row.state, row.body?.sections.join(''), row.reason] : [row.kind],
      ),
      [
        ['assistant'],
        [
          'Searching the web for df',
          'succeeded',
          'df(1)  https://example.com/df\nhttps://example.com',
          undefined,
        ],
        ['Searching the web for du', 'succeeded', 'https://example.com/du', undefined],
        ['Searching the web for dd', 'failed', undefined, 'max_uses_exceeded'],
      ],
    );
  });

  it('an answer without words has no row', () => {
    const transcript = afterEvents(
      { kind: 'messageDelta', messageId: messageId('m1'), text: '\n\n' },
      { kind: 'messageFinished', message: assistantMessage('\n\n', { calls: [call] }) },
      { kind: 'toolProposed', call: proposedCall('df -h') },
    );
    assert.deepEqual(transcript.ids, [`call:${run}:call_1`]);
  });

  it('what waits in the inbox stays last and moves up when it is delivered', () => {
    const transcript = new Transcript(endTexts);
    transcript.reset(snapshotOf({ queued: [{ id: 'q1', text: 'Also check /var', at: startedAt }] }));
    const [start, delivered] = eventsOf(
      { kind: 'runStarted', prompt: userMessage('Look') },
      { kind: 'steeringDelivered', message: userMessage('Also check /var', { id: messageId('q1') }) },
    );
    assert.ok(start !== undefined && delivered !== undefined);
    transcript.apply(start);
    assert.deepEqual(transcript.ids, ['u1', 'q1']);
    assert.deepEqual(transcript.apply(delivered), [
      { op: 'remove', id: 'q1' },
      {
        op: 'upsert',
        row: { kind: 'user', id: 'q1', text: 'Also check /var', at: startedAt, queued: false },
        after: 'u1',
      },
    ]);
  });

  it('messages of the runtime are not shown', () => {
    const transcript = new Transcript(endTexts);
    transcript.reset(
      snapshotOf({
        messages: [
          userMessage('go on', { origin: { kind: 'runtime' } }),
          userMessage('hi', { id: messageId('u2') }),
        ],
      }),
    );
    assert.deepEqual(transcript.ids, ['u2']);
  });

  it('a command that was sent and never answered is unknown after a restart, and the end says so', () => {
    const transcript = new Transcript(endTexts);
    transcript.reset(
      snapshotOf({
        messages: [userMessage('Restart it'), assistantMessage('', { calls: [call] })],
        calls: [
          {
            runId: run,
            callId: callId('call_1'),
            dispatched: true,
            proposed: proposedCall('systemctl restart `app`'),
          },
        ],
        runs: [{ id: run, state: 'interrupted', startedAt }],
      }),
    );
    const [, card, end] = rowsOf(transcript);
    assert.ok(card?.kind === 'card');
    assert.deepEqual(
      { state: card.state, result: card.result, reason: card.reason },
      {
        state: 'unknown',
        result: 'outcome unknown',
        reason: 'It was sent and no answer was recorded. It may have happened: check before you repeat it.',
      },
    );
    assert.deepEqual(end, {
      kind: 'notice',
      id: `end:${run}`,
      level: 'warning',
      text: "Interrupted. The outcome of `systemctl restart 'app'` on lab is unknown.",
      action: { id: 'suggestCheck', label: 'Ask to check' },
    });
  });

  it('a call that was never sent is not unknown', () => {
    const transcript = new Transcript(endTexts);
    transcript.reset(
      snapshotOf({
        messages: [userMessage('Restart it'), assistantMessage('', { calls: [call] })],
        calls: [
          { runId: run, callId: callId('call_1'), dispatched: false, proposed: proposedCall('reboot') },
        ],
        runs: [{ id: run, state: 'interrupted', startedAt }],
      }),
    );
    const [, card, end] = rowsOf(transcript);
    assert.ok(card?.kind === 'card' && end?.kind === 'notice');
    assert.equal(card.state, 'cancelled');
    assert.equal(end.text, 'Interrupted. Nothing was being executed.');
  });

  it('a failed run names cause, next step and the button, only while nothing followed', () => {
    const failed = {
      id: run,
      state: 'failed',
      startedAt,
      failure: { code: 'modelUnauthorized', message: 'The model provider refused the key.', facts: {} },
    } as const;
    const transcript = new Transcript(endTexts);
    transcript.reset(snapshotOf({ messages: [userMessage('hi')], runs: [failed] }));
    assert.deepEqual(rowsOf(transcript).at(-1), {
      kind: 'notice',
      id: `end:${run}`,
      level: 'error',
      text: 'The model provider refused the key. Set a valid one.',
      action: { id: 'setKey', label: 'Set Key…' },
    });
    const next = { id: runId('r2'), state: 'completed', startedAt } as const;
    transcript.reset(
      snapshotOf({
        messages: [userMessage('hi'), userMessage('again', { id: messageId('u2'), runId: next.id })],
        runs: [failed, next],
      }),
    );
    const notice = rowsOf(transcript).find((row) => row.kind === 'notice');
    assert.equal(notice?.action, undefined);
  });
});

describe('questions, plans and summaries among the rows', () => {
  const asked = { id: callId('q'), name: 'request_user_input', argumentsText: '{}' };
  const proposedQuestions = {
    ...proposedCall(''),
    callId: asked.id,
    toolName: asked.name,
    arguments: { questions: [{ id: 'why', prompt: 'Why?' }] },
  };

  it('a question waits, then has its answer; the same after a restart', () => {
    const live: AgentEventBody[] = [
      { kind: 'messageFinished', message: assistantMessage('', { calls: [asked], stop: 'toolCalls' }) },
      { kind: 'toolProposed', call: proposedQuestions },
      { kind: 'toolStarted', callId: asked.id, toolName: asked.name, ground: { kind: 'proof' }, mode: 'ask' },
      { kind: 'userInputRequested', callId: asked.id, questions: [] },
    ];
    const row = { kind: 'questions', id: `call:${run}:q`, reason: undefined } as const;
    assert.deepEqual(rowsOf(afterEvents(...live)), [
      { ...row, state: 'waiting', items: [{ question: 'Why?', answer: undefined }] },
    ]);
    const answers = [
      { question: 'Why?', answer: 'Because' },
      { question: 'Who?', answer: null },
    ];
    const result = toolMessage('', { callId: asked.id, toolName: asked.name, presentation: { answers } });
    const done = {
      ...row,
      state: 'succeeded',
      items: [
        { question: 'Why?', answer: 'Because' },
        { question: 'Who?', answer: undefined },
      ],
    };
    const finished = afterEvents(...live, { kind: 'toolFinished', message: result, outcome: 'succeeded' });
    assert.deepEqual(rowsOf(finished), [done]);
    const stored = new Transcript(endTexts);
    stored.reset(snapshotOf({ messages: [assistantMessage('', { calls: [asked] }), result] }));
    assert.deepEqual(rowsOf(stored), [done]);
  });

  for (const [name, parts, expected] of [
    [
      'closed',
      {
        messages: [
          toolMessage('The user closed the question without an answer.', {
            callId: asked.id,
            toolName: asked.name,
            isError: true,
          }),
        ],
      },
      ['cancelled', 'The user closed the question without an answer.'],
    ],
    ['left behind by a window that died', { messages: [] }, ['cancelled', undefined]],
  ] as const)
    it(`a question that was ${name} has no answer`, () => {
      const transcript = new Transcript(endTexts);
      transcript.reset(
        snapshotOf({
          messages: [assistantMessage('', { calls: [asked] }), ...parts.messages],
          calls: [{ runId: run, callId: asked.id, dispatched: true, proposed: proposedQuestions }],
          runs: [{ id: run, state: 'completed', startedAt }],
        }),
      );
      const [row] = rowsOf(transcript);
      assert.ok(row?.kind === 'questions');
      assert.deepEqual([row.state, row.reason], expected);
      assert.deepEqual(row.items, [{ question: 'Why?', answer: undefined }]);
    });

  for (const [state, parts] of [
    ['pending', {}],
    ['implemented', { outcome: 'implemented' }],
    ['discarded', { outcome: 'discarded' }],
    ['superseded', { planOf: runId('33333333-3333-4333-8333-333333333333') }],
  ] as const)
    it(`a plan is ${state}`, () => {
      const transcript = new Transcript(endTexts);
      transcript.reset(planned(parts));
      assert.deepEqual(rowsOf(transcript), [
        {
          kind: 'plan',
          id: `call:${run}:p`,
          title: 'Free the disk',
          markdown: '# Plan\n',
          hasMore: false,
          state,
          scratchPath: 'plan.md',
        },
      ]);
    });

  it('a plan is drawn anew when it is decided', () => {
    const transcript = new Transcript(endTexts);
    transcript.reset(planned());
    assert.equal(transcript.reset(planned()), false);
    assert.equal(transcript.reset(planned({ outcome: 'discarded' })), true);
  });

  it('a summary stands where it was made, before what came after and before the end of its run', () => {
    const transcript = new Transcript(endTexts);
    const at = (offset: number): { createdAt: number } => ({ createdAt: startedAt + offset });
    transcript.reset(
      snapshotOf({
        messages: [
          userMessage('One', at(0)),
          assistantMessage('Two', at(1)),
          userMessage('Three', { id: messageId('u2'), ...at(2) }),
          assistantMessage('Four', { id: messageId('m2'), ...at(9) }),
        ],
        compactions: [
          { messageId: messageId('s1'), boundary: messageId('m1'), summary: 'x', ...at(5) },
          { messageId: messageId('s2'), boundary: messageId('u2'), summary: 'y', ...at(12) },
          { messageId: messageId('s3'), boundary: messageId('gone'), summary: 'z', ...at(13) },
        ],
        runs: [{ id: run, state: 'cancelled', startedAt }],
      }),
    );
    assert.deepEqual(
      rowsOf(transcript).map((row) =>
        row.kind === 'compaction' ? [row.at - startedAt, row.messages] : row.id,
      ),
      ['u1', 'm1', 'u2', [5, 2], 'm2', [12, 3], `end:${run}`],
    );
  });
});
