import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  type AssistantMessage,
  callId,
  type CallId,
  type ConversationId,
  type DurableEvent,
  messageId,
  type MessageId,
  newConversationId,
  type NewConversation,
  newMessageId,
  newRunId,
  type ProposedCall,
  type RunId,
  type RunStorePort,
  type StoredConversation,
  type ToolMessage,
  toolResultMessageId,
  type UserMessage,
} from '../../src/agentkit/index.ts';
import type { FakeClock } from '../support/fakeClock.ts';

export interface RunStoreFixture {
  readonly store: RunStorePort;
  readonly clock: FakeClock;
  dispose(): void | Promise<void>;
}

const at = 1_700_000_000_000;
const proven = { ground: { kind: 'proof' }, mode: 'ask' } as const;

export function conversation(id: ConversationId = newConversationId(), title = 'Disk'): NewConversation {
  return {
    id,
    title,
    systemPrompt: 'You operate servers.',
    permissionMode: 'ask',
    modelRef: 'lab/model',
    createdAt: at,
  };
}

export function userMessage(run: RunId, text: string): UserMessage {
  return {
    role: 'user',
    id: newMessageId(),
    runId: run,
    createdAt: at,
    text,
    images: [{ mediaType: 'image/png', base64: 'iVBORw0KGgo=' }],
    origin: { kind: 'person' },
    context: { folder: 'none' },
  };
}

export function assistantMessage(run: RunId, calls: readonly CallId[], text = ''): AssistantMessage {
  return {
    role: 'assistant',
    id: newMessageId(),
    runId: run,
    createdAt: at + 1,
    text,
    reasoning: 'Look first.',
    reasoningMs: 12,
    calls: calls.map((id) => ({ id, name: 'ssh_exec_run', argumentsText: '{"command":"df -h"}' })),
    providerItems: [{ tag: 'lab/chat/model', item: { signature: ['x', null, 1] } }],
    searches: [{ query: 'df(1)', detail: [{ title: 'df(1)', url: 'https://example.com' }] }],
    stop: calls.length > 0 ? 'toolCalls' : 'completed',
    usage: { inputTokens: 10, outputTokens: 2, cachedInputTokens: 5, cacheWriteTokens: 1, estimated: true },
  };
}

export function toolMessage(run: RunId, call: CallId, text = 'Filesystem'): ToolMessage {
  return {
    role: 'tool',
    id: toolResultMessageId(run, call),
    runId: run,
    createdAt: at + 2,
    callId: call,
    toolName: 'ssh_exec_run',
    text,
    isError: false,
    outcome: 'succeeded',
    durationMs: 31,
    presentation: { exit: 0, lines: ['a', null] },
  };
}

function proposal(call: CallId): ProposedCall {
  return {
    callId: call,
    toolName: 'ssh_exec_run',
    arguments: { command: 'df -h' },
    presentation: { symbol: 'terminal', activity: 'Runs', actionKind: 'exec', groupsWithAdjacent: true },
    subject: {
      action: 'df -h',
      target: 'lab',
      targetId: 'h1',
      identity: 'root',
      tier: 'dev',
      details: [{ label: 'Folder', value: '/' }],
    },
  };
}

export function event(run: RunId, conversationId: ConversationId, body: DurableEvent['body']): DurableEvent {
  return { runId: run, conversationId, seq: 1, at, body };
}

const fault = (code: string) => (error: unknown) => {
  assert.ok(error instanceof Error && 'fault' in error, String(error));
  assert.equal((error.fault as { code: string }).code, code);
  return true;
};

/** What every run store promises. The makers own what they open; `dispose` is called after each test. */
export function describeRunStore(name: string, make: () => Promise<RunStoreFixture>): void {
  describe(`run store: ${name}`, () => {
    let fixture: RunStoreFixture;
    let store: RunStorePort;
    const one = newConversationId();

    beforeEach(async () => {
      fixture = await make();
      store = fixture.store;
    });
    afterEach(() => fixture.dispose());

    async function started(id: ConversationId = one): Promise<RunId> {
      const run = newRunId();
      await store.startRun({ runId: run, conversationId: id, startedAt: fixture.clock.now() });
      return run;
    }

    async function withRun(): Promise<RunId> {
      await store.createConversation(conversation(one));
      return started();
    }

    async function load(id: ConversationId = one): Promise<StoredConversation> {
      const loaded = await store.load(id);
      assert.ok(loaded, 'the conversation is there');
      return loaded;
    }

    async function ids(id: ConversationId = one): Promise<readonly MessageId[]> {
      return (await load(id)).messages.map((message) => message.id);
    }

    it('gives back a conversation exactly as it was saved', async () => {
      const run = await withRun();
      const call = callId('call_1');
      const messages = [
        userMessage(run, 'Why is it full?'),
        assistantMessage(run, [call]),
        toolMessage(run, call),
        {
          ...userMessage(run, 'Implement it.'),
          origin: { kind: 'person', gesture: 'implementPlan' } as const,
        },
      ];
      await fixture.clock.advance(5_000);
      await store.saveRun({
        runId: run,
        conversationId: one,
        startedAt: at,
        state: 'callingTools',
        appended: messages,
      });
      const loaded = await load();
      assert.deepEqual(loaded.messages, messages);
      assert.equal(loaded.systemPrompt, 'You operate servers.');
      assert.deepEqual(loaded.summary, {
        id: one,
        title: 'Disk',
        modelRef: 'lab/model',
        permissionMode: 'ask',
        pinned: false,
        archived: false,
        order: null,
        planning: false,
        createdAt: at,
        updatedAt: fixture.clock.now(),
        messageCount: 4,
        run: { id: run, state: 'callingTools', live: true },
      });
    });

    it('knows nothing of a conversation that was never created', async () => {
      assert.equal(await store.load(newConversationId()), undefined);
      assert.deepEqual(await store.listConversations(), []);
    });

    it('adds rows and never changes one that is there', async () => {
      const run = await withRun();
      const message = userMessage(run, 'first');
      const save = { runId: run, conversationId: one, startedAt: at, state: 'writing' as const };
      await store.saveRun({ ...save, appended: [message] });
      await store.saveRun({ ...save, appended: [{ ...message, text: 'second' }] });
      assert.deepEqual((await load()).messages, [message]);
      assert.equal((await load()).summary.messageCount, 1);
    });

    it('ends a run with its failure, and a second save of the end changes nothing', async () => {
      const run = await withRun();
      const end = {
        runId: run,
        conversationId: one,
        startedAt: at,
        state: 'failed' as const,
        endedAt: at + 9,
        failure: { code: 'http-401', message: 'The key was refused.', facts: { status: '401' } },
        appended: [],
      };
      await store.saveRun(end);
      await store.saveRun(end);
      const loaded = await load();
      assert.deepEqual(loaded.runs, [
        { id: run, state: 'failed', startedAt: at, endedAt: at + 9, failure: end.failure },
      ]);
      assert.deepEqual(loaded.summary.run, { id: run, state: 'failed', live: false });
      assert.equal(await store.renewLease(run), false);
    });

    it('refuses to write for a run that is over', async () => {
      const run = await withRun();
      const save = { runId: run, conversationId: one, startedAt: at, appended: [] };
      await store.saveRun({ ...save, state: 'cancelled' });
      await assert.rejects(store.saveRun({ ...save, state: 'writing' }), fault('run-leased'));
    });

    it('refuses what belongs to a conversation that is gone', async () => {
      const run = await withRun();
      await store.deleteConversation(one);
      await assert.rejects(
        store.saveRun({ runId: run, conversationId: one, startedAt: at, state: 'writing', appended: [] }),
        fault('stale-write'),
      );
      await assert.rejects(store.updateMetadata(one, { title: 'x' }), fault('stale-write'));
      await assert.rejects(
        store.recordEvent(
          event(run, one, { kind: 'toolStarted', callId: callId('c'), toolName: 'ssh_exec_run', ...proven }),
        ),
        fault('stale-write'),
      );
    });

    it('remembers of a call the card, that it was dispatched, its review and its result', async () => {
      const run = await withRun();
      const call = callId('call_1');
      const review = {
        kind: 'reviewFinished',
        callId: call,
        allowed: true,
        rationale: 'asked for',
        risk: 'medium',
        authorization: 'high',
      } as const;
      await store.recordEvent(event(run, one, { kind: 'toolProposed', call: proposal(call) }));
      await store.recordEvent(event(run, one, { kind: 'reviewStarted', callId: call }));
      await store.recordEvent(event(run, one, review));
      await store.recordEvent(
        event(run, one, { kind: 'toolStarted', callId: call, toolName: 'ssh_exec_run', ...proven }),
      );
      const before = await load();
      assert.deepEqual(before.calls, [
        { runId: run, callId: call, dispatched: true, proposed: proposal(call), review },
      ]);
      const message = toolMessage(run, call);
      await store.recordEvent(event(run, one, { kind: 'toolFinished', message, outcome: 'succeeded' }));
      assert.deepEqual((await load()).calls, [
        { runId: run, callId: call, dispatched: true, proposed: proposal(call), review, result: message },
      ]);
    });

    it('finds the conversation of an event by its run', async () => {
      const run = await withRun();
      const call = callId('call_1');
      const { conversationId: _, ...bare } = event(run, one, {
        kind: 'toolStarted',
        callId: call,
        toolName: 't',
        ...proven,
      });
      await store.recordEvent(bare);
      assert.deepEqual((await load()).calls, [{ runId: run, callId: call, dispatched: true }]);
    });

    it('turns recorded results into rows behind their calls, in call order, once the run is over', async () => {
      const run = await withRun();
      const calls = ['a', 'b', 'c', 'd'].map(callId);
      const assistant = assistantMessage(run, calls);
      const results = calls.map((call) => toolMessage(run, call));
      await store.saveRun({
        runId: run,
        conversationId: one,
        startedAt: at,
        state: 'callingTools',
        appended: [assistant, ...results.slice(1, 2)],
      });
      for (const result of [results[3], results[0]])
        if (result !== undefined)
          await store.recordEvent(
            event(run, one, { kind: 'toolFinished', message: result, outcome: 'succeeded' }),
          );
      assert.deepEqual(await ids(), [assistant.id, results[1]?.id], 'a live run writes its own rows');
      await store.saveRun({ runId: run, conversationId: one, startedAt: at, state: 'failed', appended: [] });
      const loaded = await load();
      assert.deepEqual(loaded.messages, [assistant, results[0], results[1], results[3]]);
      assert.equal(loaded.summary.messageCount, 4);
      assert.deepEqual(
        loaded.calls.map((call) => [call.callId, call.result !== undefined]),
        [
          ['a', true],
          ['b', true],
          ['c', false],
          ['d', true],
        ],
      );
      assert.deepEqual(await load(), loaded, 'a second load finds nothing to do');
    });

    it('answers of an earlier run stand behind its calls, not at the end', async () => {
      const first = await withRun();
      const call = callId('a');
      const assistant = assistantMessage(first, [call]);
      const save = { conversationId: one, startedAt: at, state: 'writing' as const };
      await store.saveRun({ ...save, runId: first, appended: [assistant] });
      const second = await started();
      const prompt = userMessage(second, 'And now?');
      const answer = toolMessage(first, call, 'The outcome of this call is unknown.');
      await store.saveRun({ ...save, runId: second, appended: [prompt, answer] });
      assert.deepEqual((await load()).messages, [assistant, answer, prompt]);
    });

    it('a new run ends what an earlier one left behind', async () => {
      const left = await withRun();
      const run = await started();
      assert.deepEqual(
        (await load()).runs
          .map(({ id, state }) => ({ id, state }))
          .sort((a, b) => a.state.localeCompare(b.state)),
        [
          { id: run, state: 'connecting' },
          { id: left, state: 'interrupted' },
        ],
      );
      assert.equal(await store.renewLease(left), false);
      assert.equal(await store.renewLease(run), true);
    });

    it('starting the same run twice is one run', async () => {
      const run = await withRun();
      await store.startRun({ runId: run, conversationId: one, startedAt: at });
      assert.equal((await load()).runs.length, 1);
    });

    it('a queued message keeps its place until it is in the transcript', async () => {
      const run = await withRun();
      const [a, b, c] = ['a', 'b', 'c'].map((text) => userMessage(run, text)) as [
        UserMessage,
        UserMessage,
        UserMessage,
      ];
      for (const message of [a, b, c, a]) await store.enqueue(one, message);
      await store.markInFlight(one, [a.id], true);
      assert.deepEqual((await load()).inbox, [
        { message: a, inFlight: true },
        { message: b, inFlight: false },
        { message: c, inFlight: false },
      ]);
      await store.saveRun({
        runId: run,
        conversationId: one,
        startedAt: at,
        state: 'writing',
        appended: [a],
      });
      await store.dequeue(one, [b.id]);
      assert.deepEqual((await load()).inbox, [{ message: c, inFlight: false }]);
    });

    it('a message that was taken and not delivered waits at the front again after its run', async () => {
      const run = await withRun();
      const [a, b] = ['a', 'b'].map((text) => userMessage(run, text)) as [UserMessage, UserMessage];
      await store.enqueue(one, a);
      await store.enqueue(one, b);
      await store.markInFlight(one, [a.id], true);
      await store.saveRun({ runId: run, conversationId: one, startedAt: at, state: 'failed', appended: [] });
      assert.deepEqual((await load()).inbox, [
        { message: a, inFlight: false },
        { message: b, inFlight: false },
      ]);
    });

    it('keeps summaries in order and each once', async () => {
      await store.createConversation(conversation(one));
      const record = {
        messageId: newMessageId(),
        boundary: newMessageId(),
        summary: '# Goal',
        facts: 'Hosts:\ndb1',
        createdAt: at + 1,
      };
      const { facts: _, ...plain } = record;
      const later = { ...plain, messageId: newMessageId(), createdAt: at + 2 };
      await store.recordCompaction(one, record);
      await store.recordCompaction(one, later);
      await store.recordCompaction(one, { ...record, summary: 'changed' });
      assert.deepEqual((await load()).compactions, [record, later]);
    });

    it('lists the conversation that was worked on last first, whatever is renamed', async () => {
      const two = newConversationId();
      await store.createConversation(conversation(one, 'one'));
      await store.createConversation({ ...conversation(two, 'two'), createdAt: at + 5 });
      await store.updateMetadata(one, { title: 'renamed', pinned: true, archived: true });
      assert.deepEqual(
        (await store.listConversations()).map(({ title }) => title),
        ['two', 'renamed'],
      );
      await fixture.clock.advance(60_000);
      const run = await started(one);
      await store.saveRun({
        runId: run,
        conversationId: one,
        startedAt: at,
        state: 'writing',
        appended: [userMessage(run, 'x')],
      });
      const [newest] = await store.listConversations();
      assert.deepEqual(newest, {
        id: one,
        title: 'renamed',
        modelRef: 'lab/model',
        permissionMode: 'ask',
        pinned: true,
        archived: true,
        order: null,
        planning: false,
        createdAt: at,
        updatedAt: fixture.clock.now(),
        messageCount: 1,
        run: { id: run, state: 'writing', live: true },
      });
    });

    it('keeps whether plan mode is on', async () => {
      await store.createConversation(conversation(one));
      assert.equal((await load()).summary.planning, false);
      await store.updateMetadata(one, { planning: true });
      assert.equal((await load()).summary.planning, true);
    });

    it('changes only the metadata that is given', async () => {
      await store.createConversation(conversation(one));
      await store.updateMetadata(one, { permissionMode: 'full', modelRef: 'other/model' });
      await store.updateMetadata(one, { pinned: true });
      const { permissionMode, modelRef, pinned, title } = (await load()).summary;
      assert.deepEqual(
        { permissionMode, modelRef, pinned, title },
        { permissionMode: 'full', modelRef: 'other/model', pinned: true, title: 'Disk' },
      );
    });

    it('keeps the place of a conversation, and takes it away', async () => {
      await store.createConversation(conversation(one));
      assert.equal((await load()).summary.order, null);
      await store.updateMetadata(one, { order: -1.5 });
      assert.equal((await load()).summary.order, -1.5);
      await store.updateMetadata(one, { order: null });
      assert.equal((await load()).summary.order, null);
    });

    describe('cuts', () => {
      let run: RunId;
      let prompt: UserMessage;
      let assistant: AssistantMessage;
      let results: readonly ToolMessage[];
      let last: AssistantMessage;

      beforeEach(async () => {
        run = await withRun();
        const calls = ['a', 'b'].map(callId);
        prompt = userMessage(run, 'Why?');
        assistant = assistantMessage(run, calls);
        results = calls.map((call) => toolMessage(run, call));
        last = { ...assistantMessage(run, [], 'Because.'), createdAt: at + 20 };
        for (const result of results)
          await store.recordEvent(
            event(run, one, { kind: 'toolFinished', message: result, outcome: 'succeeded' }),
          );
        await store.saveRun({
          runId: run,
          conversationId: one,
          startedAt: at,
          state: 'completed',
          endedAt: at + 21,
          appended: [prompt, assistant, ...results, last],
        });
      });

      it('removes a message and everything behind it', async () => {
        await store.truncateFrom(one, last.id);
        const loaded = await load();
        assert.deepEqual(loaded.messages, [prompt, assistant, ...results]);
        assert.equal(loaded.summary.messageCount, 4);
        assert.equal(loaded.calls.length, 2);
      });

      it('does not part a call from its result', async () => {
        await store.truncateFrom(one, results[1]?.id ?? messageId(''));
        const loaded = await load();
        assert.deepEqual(loaded.messages, [prompt]);
        assert.deepEqual(loaded.calls, []);
      });

      it('removing the first message leaves an empty conversation and no run', async () => {
        await store.truncateFrom(one, prompt.id);
        const loaded = await load();
        assert.deepEqual([loaded.messages, loaded.runs, loaded.calls], [[], [], []]);
      });

      it('a message can be added where one was removed', async () => {
        await store.truncateFrom(one, prompt.id);
        const again = await started();
        const edited = userMessage(again, 'Why, in short?');
        await store.saveRun({
          runId: again,
          conversationId: one,
          startedAt: at,
          state: 'writing',
          appended: [edited],
        });
        assert.deepEqual(await ids(), [edited.id]);
      });

      it('keeps the first decision about a plan, also in a copy', async () => {
        const plan = { runId: run, callId: callId('b') } as const;
        const outcomes = async (id = one): Promise<unknown> =>
          (await load(id)).calls.map((call) => [call.callId, call.planOutcome]);
        assert.equal(await store.decidePlan(one, { ...plan, outcome: 'discarded' }), 'discarded');
        assert.equal(await store.decidePlan(one, { ...plan, outcome: 'implemented' }), 'discarded');
        const expected = [
          ['a', undefined],
          ['b', 'discarded'],
        ];
        assert.deepEqual(await outcomes(), expected);
        const copy = newConversationId();
        await store.fork(one, last.id, conversation(copy, 'Copy'));
        assert.deepEqual(await outcomes(copy), expected);
      });

      it('has a run begin with its prompt and the outcome of its plan, and plan mode is over', async () => {
        await store.updateMetadata(one, { planning: true });
        const prompt = userMessage(newRunId(), 'Implement it');
        await store.startRun({
          runId: prompt.runId,
          conversationId: one,
          startedAt: at + 50,
          appended: [prompt],
          implementedPlan: { runId: run, callId: callId('b') },
        });
        const loaded = await load();
        assert.deepEqual(loaded.messages.at(-1), prompt);
        assert.deepEqual(
          [loaded.runs.at(-1)?.id, loaded.calls.at(-1)?.planOutcome, loaded.summary.planning],
          [prompt.runId, 'implemented', false],
        );
      });

      for (const [why, call] of [
        ['is decided already', 'b'],
        ['nobody handed over', 'z'],
      ] as const)
        it(`has nothing of a run begin whose plan ${why}`, async () => {
          await store.updateMetadata(one, { planning: true });
          await store.decidePlan(one, { runId: run, callId: callId('b'), outcome: 'discarded' });
          const before = await load();
          const prompt = userMessage(newRunId(), 'Implement it');
          const start = store.startRun({
            runId: prompt.runId,
            conversationId: one,
            startedAt: at + 50,
            appended: [prompt],
            implementedPlan: { runId: run, callId: callId(call) },
          });
          await assert.rejects(start, fault('stale-write'));
          assert.deepEqual(await load(), before);
        });

      it('refuses a decision about a plan of a call that is not there', async () => {
        const plan = { runId: run, callId: callId('z'), outcome: 'discarded' } as const;
        await assert.rejects(store.decidePlan(one, plan), fault('stale-write'));
      });

      it('refuses to cut at a message that is not there', async () => {
        await assert.rejects(store.truncateFrom(one, newMessageId()), fault('stale-write'));
        await assert.rejects(store.fork(one, newMessageId(), conversation()), fault('stale-write'));
      });

      it('forks a conversation as it stood at a message', async () => {
        const early = { messageId: newMessageId(), boundary: prompt.id, summary: 's', createdAt: at + 1 };
        const late = { ...early, messageId: newMessageId(), createdAt: at + 30 };
        await store.recordCompaction(one, early);
        await store.recordCompaction(one, late);
        const copy = newConversationId();
        await store.fork(one, results[0]?.id ?? messageId(''), conversation(copy, 'Copy'));
        const loaded = await load(copy);
        assert.deepEqual(loaded.messages, [prompt, assistant, ...results]);
        assert.deepEqual(loaded.compactions, [early]);
        assert.deepEqual([loaded.runs, loaded.inbox, loaded.summary.title], [[], [], 'Copy']);
        assert.deepEqual(
          loaded.calls.map(({ callId: id, result }) => [id, result?.id]),
          results.map((result) => [result.callId, result.id]),
        );
        await store.deleteConversation(one);
        assert.deepEqual((await load(copy)).messages, [prompt, assistant, ...results]);
      });

      it('a deleted conversation is gone from the list and cannot be loaded', async () => {
        await store.deleteConversation(one);
        assert.equal(await store.load(one), undefined);
        assert.deepEqual(await store.listConversations(), []);
      });
    });
  });
}
