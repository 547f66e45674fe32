import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  callId,
  conversationId,
  messageId,
  runId,
  toolResultMessageId,
  type AgentEvent,
  type AgentEventBody,
  type AssistantMessage,
  type ProposedCall,
  type ToolMessage,
  type UserMessage,
} from '../../../../src/agentkit/index.ts';
import {
  applyEvent,
  stateOf,
  type ConversationState,
} from '../../../../src/application/assistant/conversationState.ts';

const conversation = conversationId('c1');
const run = runId('r1');

const empty: ConversationState = stateOf({
  summary: {
    id: conversation,
    title: '',
    modelRef: 'lab/m',
    permissionMode: 'ask',
    pinned: false,
    archived: false,
    order: null,
    planning: false,
    createdAt: 1,
    updatedAt: 1,
    messageCount: 0,
  },
  systemPrompt: 's',
  messages: [],
  runs: [],
  calls: [],
  compactions: [],
  inbox: [],
});

function after(bodies: readonly AgentEventBody[], start = empty): ConversationState {
  return bodies
    .map((body, index): AgentEvent => ({
      runId: run,
      conversationId: conversation,
      seq: index + 1,
      at: 100 + index,
      body,
    }))
    .reduce(applyEvent, start);
}

const prompt: UserMessage = {
  role: 'user',
  id: messageId('u1'),
  runId: run,
  createdAt: 1,
  text: 'hello',
  images: [],
  origin: { kind: 'person' },
  context: {},
};

const asking: AssistantMessage = {
  role: 'assistant',
  id: messageId('a1'),
  runId: run,
  createdAt: 2,
  text: 'Let me look.',
  reasoning: '',
  calls: ['c1', 'c2', 'c3'].map((id) => ({ id: callId(id), name: 'probe', argumentsText: '{}' })),
  providerItems: [],
  stop: 'toolCalls',
};

function result(id: string): ToolMessage {
  return {
    role: 'tool',
    id: toolResultMessageId(run, callId(id)),
    runId: run,
    createdAt: 3,
    callId: callId(id),
    toolName: 'probe',
    text: `result of ${id}`,
    isError: false,
    outcome: 'succeeded',
  };
}

function proposed(id: string): ProposedCall {
  return {
    callId: callId(id),
    toolName: 'probe',
    arguments: {},
    presentation: { symbol: 'x', activity: '', actionKind: 'read', groupsWithAdjacent: false },
  };
}

const ids = (state: ConversationState): readonly string[] => state.messages.map((message) => message.id);

describe('the state of a conversation', () => {
  it('shows the prompt and a live run from the start of a run', () => {
    const state = after([
      { kind: 'runStarted', prompt },
      { kind: 'runState', state: 'waitingForFirstToken', since: 101 },
    ]);
    assert.deepEqual(state.messages, [prompt]);
    assert.deepEqual(state.summary.run, { id: run, state: 'waitingForFirstToken', live: true });
    assert.deepEqual(state.runs, [{ id: run, state: 'waitingForFirstToken', startedAt: 100 }]);
    assert.equal(state.summary.messageCount, 1);
  });

  it('shows how a run ended', () => {
    const failure = { code: 'modelUnauthorized', message: 'The key was refused.', facts: {} };
    const state = after([
      { kind: 'runStarted', prompt },
      { kind: 'runFinished', state: 'failed', failure },
    ]);
    assert.deepEqual(state.runs, [{ id: run, state: 'failed', startedAt: 100, endedAt: 101, failure }]);
    assert.deepEqual(state.summary.run, { id: run, state: 'failed', live: false });
  });

  it('shows an answer while it streams, and the whole one in its place', () => {
    const id = messageId('a1');
    const streaming = after([
      { kind: 'messageStarted', messageId: id },
      { kind: 'reasoningDelta', messageId: id, text: 'hm' },
      { kind: 'messageDelta', messageId: id, text: 'Let ' },
      { kind: 'messageDelta', messageId: id, text: 'me' },
    ]);
    assert.deepEqual(streaming.streaming, { id, text: 'Let me', reasoning: 'hm', since: 100 });
    const whole = after([{ kind: 'messageFinished', message: asking }], streaming);
    assert.deepEqual([whole.streaming, whole.messages], [undefined, [asking]]);
  });

  it('drops the partial answer of an attempt that failed', () => {
    const id = messageId('a1');
    const state = after([
      { kind: 'messageStarted', messageId: id },
      { kind: 'messageDelta', messageId: id, text: 'half' },
      { kind: 'modelRetryScheduled', attempt: 1, delayMs: 1000, reason: 'network' },
    ]);
    assert.equal(state.streaming, undefined);
  });

  it('puts results in the order of the calls, whatever the order of their ends', () => {
    const state = after([
      { kind: 'runStarted', prompt },
      { kind: 'messageFinished', message: asking },
      { kind: 'toolFinished', message: result('c3'), outcome: 'succeeded' },
      { kind: 'toolFinished', message: result('c1'), outcome: 'succeeded' },
      { kind: 'toolFinished', message: result('c2'), outcome: 'succeeded' },
    ]);
    assert.deepEqual(ids(state), ['u1', 'a1', result('c1').id, result('c2').id, result('c3').id]);
  });

  it('knows of each call whether it was dispatched and what it gave', () => {
    const state = after([
      { kind: 'toolProposed', call: proposed('c1') },
      { kind: 'toolProposed', call: proposed('c2') },
      {
        kind: 'toolStarted',
        callId: callId('c1'),
        toolName: 'probe',
        ground: { kind: 'proof' },
        mode: 'ask',
      },
      { kind: 'toolFinished', message: result('c1'), outcome: 'succeeded' },
    ]);
    assert.deepEqual(state.calls, [
      { runId: run, callId: callId('c1'), dispatched: true, proposed: proposed('c1'), result: result('c1') },
      { runId: run, callId: callId('c2'), dispatched: false, proposed: proposed('c2') },
    ]);
  });

  it('knows the last thing about the review of a call', () => {
    const verdict = {
      kind: 'reviewFinished',
      callId: callId('c1'),
      allowed: false,
      rationale: 'too wide',
      authorization: 'low',
    } as const;
    const state = after([
      { kind: 'toolProposed', call: proposed('c1') },
      { kind: 'reviewStarted', callId: callId('c1') },
      verdict,
    ]);
    assert.deepEqual(state.calls, [
      { runId: run, callId: callId('c1'), dispatched: false, proposed: proposed('c1'), review: verdict },
    ]);
  });

  it('moves a queued message from the inbox into the conversation when it is delivered', () => {
    const queued = { ...prompt, id: messageId('u2'), text: 'and now?' };
    const start = { ...empty, inbox: [{ message: queued, inFlight: false }] };
    const state = after([{ kind: 'steeringDelivered', message: queued }], start);
    assert.deepEqual([state.inbox, state.messages], [[], [queued]]);
  });

  it('takes no message twice', () => {
    const state = after([
      { kind: 'runStarted', prompt },
      { kind: 'runStarted', prompt },
      { kind: 'messageFinished', message: asking },
      { kind: 'messageFinished', message: asking },
      { kind: 'toolFinished', message: result('c1'), outcome: 'succeeded' },
      { kind: 'toolFinished', message: result('c1'), outcome: 'succeeded' },
    ]);
    assert.deepEqual(ids(state), ['u1', 'a1', result('c1').id]);
  });
});
