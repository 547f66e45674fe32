import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  callId,
  newConversationId,
  newRunId,
  type UserSecretPort,
  type UserSecretRequest,
} from '../../../../src/agentkit/index.ts';
import { typedSecrets } from '../../../../src/application/assistant/typedSecrets.ts';
import type { SecretFieldPort, SecretFieldQuestion } from '../../../../src/application/ports/secretField.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { deferred } from '../../agentkit/support/deferred.ts';

const request: UserSecretRequest = {
  runId: newRunId(),
  conversationId: newConversationId(),
  callId: callId('c'),
  prompt: 'Password for sudo',
  host: 'lab',
  consumerTool: 'ssh_exec_run',
  purpose: 'sudo',
  timeoutMs: 300_000,
};
const never = new AbortController().signal;

/** A field that is shown when a test says so. An abort closes it, as the editor does. */
class Field implements SecretFieldPort {
  readonly asked: SecretFieldQuestion[] = [];
  readonly typed = deferred<string | undefined>();
  show: () => void = () => {};
  isClosed = false;

  ask(question: SecretFieldQuestion, shown: () => void, signal: AbortSignal): Promise<string | undefined> {
    this.asked.push(question);
    this.show = shown;
    signal.addEventListener('abort', () => {
      this.isClosed = true;
      this.typed.resolve(undefined);
    });
    return this.typed.promise;
  }
}

function scene(titleOf = async (): Promise<string> => 'Fix nginx'): {
  readonly field: Field;
  readonly clock: FakeClock;
  readonly secrets: UserSecretPort;
} {
  const field = new Field();
  const clock = new FakeClock();
  return { field, clock, secrets: typedSecrets({ field, clock, titleOf }) };
}

describe('a secret that a person types', () => {
  it('is asked for with everything the person has to know, and comes as bytes that nobody shares', async () => {
    const { field, clock, secrets } = scene();
    const asking = secrets.ask(request, never);
    await clock.advance(0);
    field.show();
    field.typed.resolve('pässword');
    const given = await asking;
    assert.ok(Buffer.isBuffer(given));
    assert.equal(given.toString('utf8'), 'pässword');
    assert.equal(given.buffer.byteLength, given.length, 'no part of a pool');
    assert.deepEqual(field.asked, [
      {
        host: 'lab',
        tool: 'ssh_exec_run',
        purpose: 'sudo',
        conversation: 'Fix nginx',
        words: 'Password for sudo',
      },
    ]);
    assert.equal(clock.pending, 0, 'no timer is left');
  });

  for (const [how, text] of [
    ['closed', undefined],
    ['left empty', ''],
  ] as const)
    it(`is none when the field is ${how}`, async () => {
      const { field, clock, secrets } = scene();
      const asking = secrets.ask(request, never);
      await clock.advance(0);
      field.show();
      field.typed.resolve(text);
      assert.equal(await asking, 'cancelled');
      assert.equal(clock.pending, 0);
    });

  it('is waited for from the moment the field is shown', async () => {
    const { field, clock, secrets } = scene();
    const asking = secrets.ask(request, never);
    await clock.advance(3_600_000);
    assert.equal(field.isClosed, false, 'it stood behind others for an hour');
    field.show();
    await clock.advance(299_999);
    assert.equal(field.isClosed, false);
    await clock.advance(1);
    assert.equal(await asking, 'timedOut');
    assert.equal(field.isClosed, true);
  });

  it('is not taken any more when the run is stopped', async () => {
    const { field, clock, secrets } = scene();
    const stop = new AbortController();
    const asking = secrets.ask(request, stop.signal);
    await clock.advance(0);
    field.show();
    field.typed.resolve('too late');
    stop.abort();
    assert.equal(await asking, 'cancelled');
    assert.equal(clock.pending, 0);
  });

  it('is asked for without a title when there is none to be had', async () => {
    const { field, clock, secrets } = scene(() => Promise.reject(new Error('the store is gone')));
    void secrets.ask(request, never);
    await clock.advance(0);
    assert.equal(field.asked[0]?.conversation, '');
  });
});
