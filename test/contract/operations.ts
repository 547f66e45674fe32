import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  approvalId,
  callId,
  type ConversationId,
  type DurableEvent,
  newConversationId,
  newRunId,
  type RunId,
  type RunStorePort,
} from '../../src/agentkit/index.ts';
import { verifyLog } from '../../src/application/operations/verifyLog.ts';
import type { ActEntry, OperationEntry, OperationsPort } from '../../src/application/ports/operations.ts';
import type { FakeClock } from '../support/fakeClock.ts';
import { assistantMessage, conversation, event, toolMessage } from './runStore.ts';

export interface OperationsFixture {
  readonly log: OperationsPort;
  readonly runs: RunStorePort;
  readonly clock: FakeClock;
  readonly window: string;
  dispose(): void | Promise<void>;
}

const never = new AbortController().signal;
const call = callId('call_1');
export const lab = { id: 'h1', label: 'lab', user: 'root', address: 'lab.example.com:22', tier: 'dev' };

export function connected(at: number, hostId = 'h1', facts: Readonly<Record<string, string>> = {}): ActEntry {
  const host = { ...lab, id: hostId };
  return { kind: 'act', at, window: 'w', actor: 'person', what: 'connected', host, facts };
}

export function proposed(command = 'df -h'): DurableEvent['body'] {
  return {
    kind: 'toolProposed',
    call: {
      callId: call,
      toolName: 'ssh_exec_run',
      arguments: { command },
      presentation: { symbol: 'terminal', activity: 'Runs', actionKind: 'exec', groupsWithAdjacent: true },
      subject: {
        action: command,
        target: lab.label,
        targetId: lab.id,
        identity: lab.user,
        tier: lab.tier,
        details: [
          { label: 'Address', value: lab.address },
          { label: 'Before it', value: 'cd /srv' },
        ],
      },
    },
  };
}

export async function listed<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** What every operations log promises. */
export function describeOperations(name: string, make: () => Promise<OperationsFixture>): void {
  describe(`operations log: ${name}`, () => {
    let fixture: OperationsFixture;
    let log: OperationsPort;
    let chat: ConversationId;
    let run: RunId;

    beforeEach(async () => {
      fixture = await make();
      ({ log } = fixture);
      chat = newConversationId();
      run = newRunId();
      await fixture.runs.createConversation(conversation(chat));
      await fixture.runs.startRun({ runId: run, conversationId: chat, startedAt: 1 });
    });
    afterEach(() => fixture.dispose());

    const entries = async (): Promise<readonly (OperationEntry | undefined)[]> =>
      (await listed(log.rows(0))).map(({ entry }) => entry);
    const record = (body: DurableEvent['body']): Promise<void> =>
      fixture.runs.recordEvent(event(run, chat, body));
    const common = (): object => ({
      at: 1_700_000_000_000,
      window: fixture.window,
      actor: 'assistant',
      conversation: { id: chat, title: 'Disk' },
      runId: run,
      callId: call,
      tool: 'ssh_exec_run',
      host: lab,
    });
    const start = async (): Promise<void> => {
      await record(proposed());
      await record({
        kind: 'toolStarted',
        callId: call,
        toolName: 'ssh_exec_run',
        ground: { kind: 'user', id: approvalId('a1') },
        mode: 'ask',
        digest: 'd'.repeat(64),
      });
    };
    const end = async (state: 'completed' | 'failed'): Promise<void> =>
      fixture.runs.saveRun({ runId: run, conversationId: chat, startedAt: 1, state, appended: [] });

    it('is empty and whole before anything was done', async () => {
      assert.deepEqual(await entries(), []);
      assert.deepEqual(await verifyLog(log, { kept: undefined }, never), {
        rows: 0,
        firstSeq: undefined,
        head: { seq: 0, hash: '0'.repeat(64) },
        fault: undefined,
      });
    });

    it('holds a call with its ground, its host and its action before it runs, and its end behind it', async () => {
      await start();
      const message = {
        ...toolMessage(run, call),
        presentation: { status: 'exited', exit_code: 3, signal: null, output_bytes: 99 },
      };
      await record({ kind: 'toolFinished', message, outcome: 'succeeded' });
      const [begun, over] = await entries();
      assert.ok(begun?.kind === 'callStarted');
      assert.match(begun.action?.digest ?? '', /^[0-9a-f]{64}$/);
      assert.deepEqual(begun, {
        kind: 'callStarted',
        ...common(),
        action: {
          text: 'df -h',
          details: [{ label: 'Before it', value: 'cd /srv' }],
          arguments: { command: 'df -h' },
          digest: begun.action?.digest,
        },
        mode: 'ask',
        ground: { kind: 'user', id: 'a1', asked: 'd'.repeat(64) },
      });
      assert.deepEqual(over, {
        kind: 'callEnded',
        ...common(),
        outcome: 'succeeded',
        durationMs: 31,
        status: 'exited',
        exitCode: 3,
        outputBytes: 99,
        isInferred: false,
      });
    });

    it('holds who denied a call and why, and that it did not run', async () => {
      await record(proposed());
      const answer = { allowed: false, by: 'user', reason: 'The user denied this call.' } as const;
      await record({ kind: 'callDecided', callId: call, mode: 'ask', digest: 'e'.repeat(64), answer });
      const message = { ...toolMessage(run, call, 'The user denied this call.'), isError: true };
      await record({ kind: 'toolFinished', message, outcome: 'denied' });
      const [decided, refused] = await entries();
      assert.deepEqual(decided, {
        kind: 'callDecided',
        ...common(),
        mode: 'ask',
        allowed: false,
        by: 'user',
        asked: 'e'.repeat(64),
        words: 'The user denied this call.',
      });
      assert.ok(refused?.kind === 'callRefused');
      assert.deepEqual([refused.outcome, refused.reason], ['denied', 'The user denied this call.']);
      assert.equal(refused.action?.text, 'df -h');
    });

    it('holds a decision of a person even when the call never came to run', async () => {
      await record(proposed());
      const answer = { allowed: true, ground: { kind: 'user', id: approvalId('a1') } } as const;
      await record({ kind: 'callDecided', callId: call, mode: 'ask', digest: 'e'.repeat(64), answer });
      const [decided] = await entries();
      assert.ok(decided?.kind === 'callDecided');
      assert.deepEqual([decided.allowed, decided.by, decided.id], [true, 'user', 'a1']);
    });

    it('holds how the security review rated a call that it allowed, and what it said', async () => {
      await record(proposed());
      await record({
        kind: 'reviewFinished',
        callId: call,
        allowed: true,
        rationale: 'The person asked for exactly this.',
        risk: 'medium',
        authorization: 'high',
      });
      const answer = { allowed: true, ground: { kind: 'review', id: approvalId('a2') } } as const;
      await record({ kind: 'callDecided', callId: call, mode: 'review', digest: 'e'.repeat(64), answer });
      assert.deepEqual(await entries(), [
        {
          kind: 'callDecided',
          ...common(),
          mode: 'review',
          allowed: true,
          by: 'review',
          id: 'a2',
          asked: 'e'.repeat(64),
          words: 'The person asked for exactly this.',
          risk: 'medium',
          authorization: 'high',
        },
      ]);
    });

    it('holds no decision where nobody decided: a grant and full access are grounds of the start', async () => {
      await record(proposed());
      for (const ground of [{ kind: 'fullAccess' }, { kind: 'grant', id: 'g1' }] as const) {
        const answer = { allowed: true, ground } as const;
        await record({ kind: 'callDecided', callId: call, mode: 'full', digest: 'e'.repeat(64), answer });
      }
      assert.deepEqual(await entries(), []);
    });

    it('names what was decided in the middle of a call, whoever decided it', async () => {
      await record(proposed());
      const details = [{ label: 'Redirected from', value: 'https://example.com/' }];
      const step = { target: '192.0.2.1', targetId: '', identity: '', tier: '', details };
      const further = { ...step, action: 'GET http://192.0.2.1/' };
      const answer = { allowed: true, ground: { kind: 'fullAccess' } } as const;
      await record({ kind: 'callDecided', callId: call, mode: 'full', further, answer });
      const [decided] = await entries();
      assert.ok(decided?.kind === 'callDecided');
      const { action, allowed, by } = decided;
      assert.deepEqual([allowed, by], [true, 'fullAccess']);
      assert.deepEqual([action?.text, action?.details], ['GET http://192.0.2.1/', details]);
    });

    it('says of a call without an end that its outcome is unknown, once, when its run has ended', async () => {
      await start();
      await end('failed');
      await end('failed');
      const ends = (await entries()).filter((entry) => entry?.kind === 'callEnded');
      assert.deepEqual(ends, [
        { kind: 'callEnded', ...common(), at: fixture.clock.now(), outcome: 'unknown', isInferred: true },
      ]);
    });

    it('adds nothing to a call that has ended', async () => {
      await start();
      await record({ kind: 'toolFinished', message: toolMessage(run, call), outcome: 'succeeded' });
      await end('completed');
      assert.equal((await entries()).length, 2);
    });

    it('outlives the conversation and then names it by id and title only', async () => {
      await start();
      await fixture.runs.saveRun({
        runId: run,
        conversationId: chat,
        startedAt: 1,
        state: 'completed',
        appended: [assistantMessage(run, [call], 'I said a word: heliotrope')],
      });
      await fixture.runs.deleteConversation(chat);
      const rows = await listed(log.rows(0));
      assert.deepEqual(
        rows.map(({ entry }) => entry?.kind),
        ['callStarted', 'callEnded'],
      );
      assert.ok(!JSON.stringify(rows).includes('heliotrope'));
      assert.equal((await verifyLog(log, { kept: undefined }, never)).fault, undefined);
    });

    it('gives the newest rows of one host or of all, newest first', async () => {
      for (let at = 1; at <= 120; at++) await log.append(connected(at, at % 2 === 0 ? 'even' : 'odd'));
      const times = async (hostId: string | undefined, limit: number): Promise<readonly unknown[]> =>
        (await listed(log.newest({ hostId, limit }))).map(({ entry }) => entry?.at);
      assert.deepEqual(await times(undefined, 3), [120, 119, 118]);
      assert.deepEqual(await times('odd', 2), [119, 117]);
      assert.equal((await times('even', 1_000)).length, 60);
      assert.deepEqual(await times('nobody', 5), []);
    });

    it('loses what is too old from the front, says so, and stays whole', async () => {
      for (let at = 1; at <= 450; at++) await log.append(connected(at));
      assert.equal(await log.prune(401), 400);
      assert.equal(await log.prune(401), 0);
      const verdict = await verifyLog(log, { kept: undefined }, never);
      assert.deepEqual([verdict.rows, verdict.firstSeq, verdict.fault], [51, 401, undefined]);
      const last = (await entries()).at(-1);
      assert.ok(last?.kind === 'pruned');
      assert.equal(last.through, 400);
      await log.append(connected(451));
      assert.equal((await verifyLog(log, { kept: undefined }, never)).fault, undefined);
    });

    it('keeps its newest row however old it is', async () => {
      for (const at of [1, 2, 3]) await log.append(connected(at));
      assert.equal(await log.prune(1_000), 2);
      assert.equal((await verifyLog(log, { kept: undefined }, never)).fault, undefined);
    });

    it('tells of its own rows once they are stored', async () => {
      const heads: unknown[] = [];
      const listening = log.onDidAppend((head) => heads.push(head));
      const head = await log.append(connected(1));
      await start();
      listening.dispose();
      assert.deepEqual(heads[0], head);
      assert.deepEqual(heads.at(-1), (await log.bounds()).head);
      assert.equal(await log.hashAt(head.seq), head.hash);
      assert.equal(await log.hashAt(99), undefined);
    });
  });
}
