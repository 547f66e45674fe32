import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  newConversationId,
  newMessageId,
  newRunId,
  type GrantShape,
  type RunStorePort,
} from '../../src/agentkit/index.ts';
import type { GrantStorePort } from '../../src/application/ports/grants.ts';
import { isTermindError } from '../../src/domain/fault.ts';
import { conversation } from './runStore.ts';

export interface GrantsFixture {
  readonly grants: GrantStorePort;
  readonly runs: RunStorePort;
  dispose(): void | Promise<void>;
}

export function grantShape(parts: Partial<GrantShape> = {}): GrantShape {
  return {
    tool: 'ssh_exec_run',
    targetId: 'h1',
    key: { command: 'systemctl restart app', cwd: null },
    action: 'systemctl restart app',
    target: 'web-1',
    ...parts,
  };
}

/** What every store of grants does. */
export function describeGrants(name: string, open: () => Promise<GrantsFixture>): void {
  describe(`grants in ${name}`, () => {
    let fixture: GrantsFixture;
    const one = newConversationId();
    const other = newConversationId();

    beforeEach(async () => {
      fixture = await open();
      await fixture.runs.createConversation(conversation(one));
      await fixture.runs.createConversation(conversation(other));
    });
    afterEach(() => fixture.dispose());

    it('cover exactly their shape, in their conversation', async () => {
      const { grants } = fixture;
      const given = await grants.give(one, grantShape());
      assert.deepEqual(await grants.covering(one, grantShape()), given);
      assert.deepEqual(
        await grants.covering(one, grantShape({ action: 'in other words', target: 'renamed' })),
        given,
      );
      for (const shape of [
        grantShape({ tool: 'ssh_exec_stdin' }),
        grantShape({ targetId: 'h2' }),
        grantShape({ key: { command: 'systemctl restart app ', cwd: null } }),
        grantShape({ key: { command: 'systemctl restart app', cwd: '/srv' } }),
        grantShape({ key: { command: 'systemctl restart app', cwd: null, user: 'root' } }),
      ])
        assert.equal(await grants.covering(one, shape), undefined);
      assert.equal(await grants.covering(other, grantShape()), undefined);
    });

    it('are given once for a shape, and listed oldest first', async () => {
      const { grants } = fixture;
      const first = await grants.give(one, grantShape());
      const second = await grants.give(one, grantShape({ targetId: 'h2' }));
      assert.deepEqual(await grants.give(one, grantShape()), first);
      assert.deepEqual(await grants.list(one), [first, second]);
      assert.deepEqual(await grants.list(other), []);
    });

    it('cover nothing once they are revoked, and only in their conversation', async () => {
      const { grants } = fixture;
      const { id } = await grants.give(one, grantShape());
      assert.equal(await grants.revoke(other, id), false);
      assert.equal(await grants.revoke(one, id), true);
      assert.equal(await grants.revoke(one, id), false);
      assert.equal(await grants.covering(one, grantShape()), undefined);
      assert.deepEqual(await grants.list(one), []);
    });

    it('end with their conversation and cannot be given without one', async () => {
      const { grants, runs } = fixture;
      await grants.give(one, grantShape());
      await runs.deleteConversation(one);
      assert.deepEqual(await grants.list(one), []);
      await assert.rejects(
        grants.give(one, grantShape()),
        (error) => isTermindError(error) && error.fault.code === 'stale-write',
      );
      await runs.createConversation(conversation(one));
      assert.equal(await grants.covering(one, grantShape()), undefined);
    });

    it('do not go along with a copy of the conversation', async () => {
      const { grants, runs } = fixture;
      await grants.give(one, grantShape());
      const runId = newRunId();
      const upTo = newMessageId();
      await runs.startRun({ runId, conversationId: one, startedAt: 1 });
      await runs.saveRun({
        runId,
        conversationId: one,
        startedAt: 1,
        endedAt: 2,
        state: 'completed',
        appended: [
          {
            role: 'user',
            id: upTo,
            runId,
            createdAt: 1,
            text: 'Restart app.',
            images: [],
            origin: { kind: 'person' },
            context: {},
          },
        ],
      });
      const copy = newConversationId();
      await runs.fork(one, upTo, conversation(copy));
      assert.deepEqual(await grants.list(copy), []);
      assert.equal((await grants.list(one)).length, 1);
    });
  });
}
