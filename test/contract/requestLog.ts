import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  callId,
  type ConversationId,
  messageId,
  newConversationId,
  newRunId,
  type RunStorePort,
} from '../../src/agentkit/index.ts';
import type {
  LogEntry,
  LogPart,
  RequestLogPort,
  StoredLogEntry,
} from '../../src/application/ports/requestLog.ts';
import { isTermindError } from '../../src/domain/fault.ts';
import { conversation, userMessage } from './runStore.ts';

export interface RequestLogFixture {
  readonly log: RequestLogPort;
  readonly runs: RunStorePort;
  dispose(): void | Promise<void>;
}

/** The limit that the makers set. */
export const maxLogBytes = 20_000;

const run = newRunId();
const at = 1_700_000_000_000;

export function part(text: string, itemId = 'item'): LogPart {
  const body = JSON.stringify({ id: itemId, role: 'user', text });
  return { itemId, hash: createHash('sha256').update(body).digest('hex'), body };
}

export const request = (requestId: string, more: object = {}): LogEntry => ({
  kind: 'request',
  requestId,
  runId: run,
  at,
  model: 'lab/model',
  purpose: 'turn',
  ...more,
});

async function listed<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** What every request log promises. */
export function describeRequestLog(name: string, make: () => Promise<RequestLogFixture>): void {
  describe(`request log: ${name}`, () => {
    let fixture: RequestLogFixture;
    let log: RequestLogPort;
    let one: ConversationId;

    beforeEach(async () => {
      fixture = await make();
      ({ log } = fixture);
      one = await begun();
    });
    afterEach(() => fixture.dispose());

    async function begun(): Promise<ConversationId> {
      const id = newConversationId();
      await fixture.runs.createConversation(conversation(id));
      return id;
    }

    const entries = (id = one): Promise<readonly StoredLogEntry[]> => listed(log.entries(id));
    const bodies = async (id = one): Promise<readonly string[]> =>
      (await listed(log.parts(id, [1, Number.MAX_SAFE_INTEGER]))).map(({ body }) => body);

    it('gives back every kind of entry as it was added', async () => {
      const all: readonly LogEntry[] = [
        { kind: 'run', runId: run, at, state: 'started' },
        request('r1', { reasoning: 'low', responseSchema: 'title' }),
        {
          kind: 'response',
          requestId: 'r1',
          at,
          outcome: 'failed',
          reason: 'overloaded',
          status: 529,
          detail: 'busy',
          firstEventMs: 3,
          durationMs: 9,
          textLength: 1,
          reasoningLength: 2,
          calls: ['ssh_exec_run'],
          webSearches: 1,
          usage: {
            inputTokens: 5,
            outputTokens: 1,
            cachedInputTokens: 2,
            cacheWriteTokens: 0,
            estimated: true,
          },
        },
        { kind: 'retry', runId: run, at, attempt: 1, delayMs: 1_000, reason: 'overloaded' },
        { kind: 'answer', runId: run, at, messageId: messageId('m'), stop: 'toolCalls' },
        {
          kind: 'call',
          runId: run,
          at,
          phase: 'finished',
          callId: callId('c'),
          toolName: 'ssh_exec_run',
          arguments: { command: 'sudo -S id', list: [1, null] },
          outcome: 'denied',
          durationMs: 4,
          messageId: messageId('t'),
        },
        { kind: 'run', runId: run, at, state: 'failed', failure: 'providerFailed' },
      ];
      for (const entry of all) assert.equal(await log.add(one, entry, []), true);
      assert.deepEqual(
        await entries(),
        all.map((entry) => ({ entry, parts: [] })),
      );
    });

    it('keeps a body once, however often it is named', async () => {
      const first = await log.keep(one, [part('a'), part('b')]);
      const again = await log.keep(one, [part('b'), part('c'), part('a')]);
      assert.deepEqual([again[0], again[2]], [first[1], first[0]]);
      await log.add(one, request('r1'), first);
      await log.add(one, request('r2'), [...first, ...again.slice(1, 2)]);
      assert.deepEqual(await bodies(), [part('a').body, part('b').body, part('c').body]);
      const [a = 0, b = 0] = first;
      const c = again[1] ?? 0;
      assert.deepEqual(
        (await entries()).map(({ parts }) => parts),
        [[[a, b]], [[a, c]]],
      );
    });

    it('names parts in any order', async () => {
      const [a = 0, b = 0, c = 0] = await log.keep(one, [part('a'), part('b'), part('c')]);
      await log.add(one, request('r'), [c, a, b]);
      assert.deepEqual((await entries())[0]?.parts, [
        [c, c],
        [a, b],
      ]);
    });

    it('reads the parts of a range', async () => {
      const numbers = await log.keep(one, [part('a'), part('b'), part('c')]);
      const [, b = 0] = numbers;
      const read = await listed(log.parts(one, [b, b]));
      assert.deepEqual(read, [{ number: b, hash: part('b').hash, body: part('b').body }]);
    });

    it('does not mix conversations', async () => {
      const two = await begun();
      await log.add(one, request('r'), await log.keep(one, [part('a')]));
      await log.keep(two, [part('a')]);
      assert.deepEqual([(await entries(two)).length, await bodies(two)], [0, [part('a').body]]);
    });

    it('refuses an entry that names a part which is not there, or not of its conversation', async () => {
      const two = await begun();
      const [foreign = 0] = await log.keep(two, [part('a')]);
      assert.equal(await log.add(one, request('r'), [foreign]), false);
      assert.equal(await log.add(one, request('r'), [foreign + 5]), false);
      assert.deepEqual(await entries(), []);
    });

    it('keeps the newest within the limit, and says of a removed part that it is not there', async () => {
      const big = (n: number): LogPart => part(`${n}`.padEnd(3_000, 'x'));
      const first = await log.keep(one, [big(0)]);
      for (let n = 0; n < 12; n++)
        await log.add(one, request(`r${n}`), n === 0 ? first : await log.keep(one, [big(n)]));
      const left = await bodies();
      const size = left.reduce((sum, body) => sum + body.length, 0);
      assert.ok(size <= maxLogBytes && left.length >= 4, `${left.length} bodies, ${size} bytes`);
      assert.equal(left.at(-1), big(11).body);
      const names = (await entries()).map(({ entry }) => (entry.kind === 'request' ? entry.requestId : ''));
      assert.deepEqual(
        names,
        Array.from({ length: left.length }, (_, n) => `r${12 - left.length + n}`),
      );
      assert.equal(await log.add(one, request('late'), first), false);
      const [again = 0] = await log.keep(one, [big(0)]);
      assert.ok(again > (first[0] ?? 0), 'a number is never used again');
    });

    it('goes with its conversation', async () => {
      await log.add(one, request('r'), await log.keep(one, [part('a')]));
      await fixture.runs.deleteConversation(one);
      assert.deepEqual([await entries(), await bodies()], [[], []]);
      const gone = (error: unknown): boolean => isTermindError(error) && error.fault.code === 'stale-write';
      await assert.rejects(log.keep(one, [part('b')]), gone);
      await assert.rejects(log.add(one, request('r'), []), gone);
    });

    it('forgets what a cut removes, and keeps what was sent before', async () => {
      const messages = ['first', 'second'].map((text, n) => ({
        ...userMessage(run, text),
        createdAt: at + n * 10,
      }));
      const [first, second] = messages;
      assert.ok(first && second);
      await fixture.runs.startRun({ runId: run, conversationId: one, startedAt: at });
      await fixture.runs.saveRun({
        runId: run,
        conversationId: one,
        startedAt: at,
        state: 'completed',
        appended: messages,
      });
      const parts = await log.keep(one, [part('system', 'system'), part('first', first.id)]);
      await log.add(one, request('r1', { at: at + 1 }), parts);
      const more = await log.keep(one, [part('block'), part('second', second.id)]);
      await log.add(one, request('r2', { at: at + 11 }), [...parts, ...more]);
      await log.keep(one, [part('not named yet')]);
      await fixture.runs.truncateFrom(one, second.id);
      assert.deepEqual(
        (await entries()).map(({ entry }) => entry),
        [request('r1', { at: at + 1 })],
      );
      assert.deepEqual(await bodies(), [part('system', 'system').body, part('first', first.id).body]);
      assert.equal(await log.add(one, request('r3'), more), false);
    });
  });
}
