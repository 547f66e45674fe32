import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  callId,
  newConversationId,
  newRunId,
  type AgentEvent,
  type DurableEvent,
} from '../../../src/agentkit/index.ts';
import { EventChannel } from '../../../src/agentkit/eventChannel.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { deferred } from './support/deferred.ts';

const started = (id: string): DurableEvent['body'] => ({
  kind: 'toolStarted',
  callId: callId(id),
  toolName: 'probe',
  ground: { kind: 'proof' },
  mode: 'ask',
});

function channel(record: (event: DurableEvent) => Promise<void> = async () => {}): {
  readonly channel: EventChannel;
  readonly heard: AgentEvent[];
  readonly logged: string[];
} {
  const logged: string[] = [];
  const heard: AgentEvent[] = [];
  const made = new EventChannel({
    runId: newRunId(),
    conversationId: newConversationId(),
    clock: new FakeClock(),
    record,
    log: (message) => logged.push(message),
  });
  made.onEvent((event) => heard.push(event));
  return { channel: made, heard, logged };
}

describe('the event channel', () => {
  it('tells every listener everything in order, whatever one of them does', () => {
    const { channel: events, heard, logged } = channel();
    events.onEvent(() => {
      throw new Error('a view broke');
    });
    const late: AgentEvent[] = [];
    events.onEvent((event) => late.push(event));
    events.emit({ kind: 'turnStarted', turn: 1 });
    events.emit({ kind: 'turnFinished', turn: 1 });
    assert.deepEqual(
      heard.map((event) => [event.seq, event.body.kind]),
      [
        [1, 'turnStarted'],
        [2, 'turnFinished'],
      ],
    );
    assert.deepEqual(late, heard);
    assert.equal(logged.length, 2);
  });

  it('stores durable events only, one after the other', async () => {
    const gate = deferred();
    const stored: string[] = [];
    const { channel: events } = channel(async (event) => {
      if (stored.push(event.body.kind) === 1) await gate.promise;
    });
    events.emit({ kind: 'turnStarted', turn: 1 });
    events.emit(started('a'));
    events.emit(started('b'));
    await settle();
    assert.deepEqual(stored, ['toolStarted']);
    gate.resolve();
    await events.drain();
    assert.deepEqual(stored, ['toolStarted', 'toolStarted']);
  });

  it('a failed write is logged; only who committed it hears of it, and the next write goes on', async () => {
    let writes = 0;
    const { channel: events, logged } = channel(async () => {
      if (++writes === 1) throw new Error('disk full');
    });
    await assert.rejects(events.commit(started('a')), /disk full/);
    await events.commit(started('b'));
    assert.deepEqual(logged, ['the event toolStarted was not stored']);
  });
});
