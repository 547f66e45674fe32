import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { AgentEvent } from '../../../src/agentkit/index.ts';
import type { ConversationSession } from '../../../src/application/assistant/assistantLibrary.ts';
import { sse } from '../../lab/chatCompletions.ts';
import { freePort } from '../../lab/freePort.ts';
import { startScriptedModel, type Script, type ScriptedModel } from '../../lab/scriptedModel.ts';
import { errorResponse, plainResponse, streamResponse } from '../../lab/scriptedResponse.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { LabWindow } from './labWindow.ts';
import { says } from './scripts.ts';

describe('a model that fails', () => {
  let model: ScriptedModel;
  let window: LabWindow | undefined;
  const clock = new FakeClock();

  beforeEach(async () => {
    model = await startScriptedModel({ apiKey: 'sk-lab-0123456789' });
  });
  afterEach(async () => {
    window?.close();
    window?.remove();
    await model.stop();
    assert.deepEqual(model.violations, []);
  });

  async function open(parts: { key?: string; baseUrl?: string } = {}): Promise<ConversationSession> {
    window = new LabWindow({
      sshConfig: '',
      baseUrl: parts.baseUrl ?? model.baseUrl,
      clock,
      key: parts.key ?? 'sk-lab-0123456789',
    });
    return window.services.assistant.create();
  }

  /** Sends one message and moves time on whenever the run waits for a retry. */
  async function ask(session: ConversationSession): Promise<readonly AgentEvent['body'][]> {
    const events: AgentEvent['body'][] = [];
    const over = new Promise<void>((resolve) => {
      session.onEvent(({ body }) => {
        events.push(body);
        if (body.kind === 'modelRetryScheduled') void clock.advance(body.delayMs);
        if (body.kind === 'runFinished') resolve();
      });
    });
    await session.send('Hello');
    await withinDeadline('the end of the run', over);
    await window?.settled(session);
    return events;
  }

  const lastFailure = (session: ConversationSession): unknown => {
    const failure = session.snapshot().runs.at(-1)?.failure;
    return failure && [failure.code, failure.facts['status']];
  };

  it('fails the run without a retry when it refuses the key, and works with the right one', async () => {
    const session = await open({ key: 'sk-wrong-012345678' });
    await ask(session);
    assert.deepEqual(lastFailure(session), ['modelUnauthorized', '401']);
    window?.secrets.set('provider:lab', 'sk-lab-0123456789');
    model.enqueue(says('Hello.'));
    await clock.advance(1_000);
    await session.retry();
    await window?.settled(session);
    const { messages, runs } = session.snapshot();
    assert.deepEqual(
      messages.map(({ role, text }) => [role, text]),
      [
        ['user', 'Hello'],
        ['assistant', 'Hello.'],
      ],
    );
    assert.deepEqual(
      runs.map(({ state }) => state),
      ['failed', 'completed'],
    );
  });

  it('waits as long as it asks for, and then goes on', async () => {
    const session = await open();
    model.enqueue(errorResponse(429, 'Slow down.', { 'retry-after': '20' }), says('Hello.'));
    const events = await ask(session);
    const waits = events.flatMap((body) => (body.kind === 'modelRetryScheduled' ? [body.delayMs] : []));
    assert.deepEqual(waits, [20_000]);
    assert.equal(session.snapshot().messages.at(-1)?.text, 'Hello.');
  });

  it('fails the run when it asks to wait longer than five minutes, and says how long', async () => {
    const session = await open();
    model.enqueue(errorResponse(429, 'Come back later.', { 'retry-after': '3600' }));
    await ask(session);
    const failure = session.snapshot().runs.at(-1)?.failure;
    assert.deepEqual([failure?.code, failure?.facts['seconds']], ['modelRetryTooLong', '3600']);
  });

  const half = [sse.begin(), sse.text('Hello, this is')];
  for (const [what, script] of [
    ['ends in the middle', streamResponse(half, { ending: 'close' })],
    ['is reset in the middle', streamResponse(half, { ending: 'reset' })],
    ['ends without a finish reason', streamResponse(half)],
  ] as readonly (readonly [string, Script])[])
    it(`drops a stream that ${what} and asks again`, async () => {
      const session = await open();
      model.enqueue(script, says('Hello.'));
      const events = await ask(session);
      assert.equal(events.filter(({ kind }) => kind === 'modelRetryScheduled').length, 1);
      assert.deepEqual(
        session.snapshot().messages.map(({ text }) => text),
        ['Hello', 'Hello.'],
      );
    });

  it('gives up after six attempts and keeps the message', async () => {
    const session = await open();
    for (let attempt = 0; attempt < 6; attempt++) model.enqueue(errorResponse(503, 'Overloaded.'));
    await ask(session);
    assert.deepEqual(lastFailure(session), ['modelOverloaded', '503']);
    assert.equal(model.requests.length, 6);
    assert.deepEqual(
      session.snapshot().messages.map(({ text }) => text),
      ['Hello'],
    );
  });

  for (const [what, script, code] of [
    [
      'a page of something else',
      plainResponse(200, '<html>hi</html>', { 'content-type': 'text/html' }),
      'modelOtherService',
    ],
    ['a stream of nonsense', streamResponse(['data: {"choices": [}\n\n']), 'modelMalformed'],
  ] as readonly (readonly [string, Script, string])[])
    it(`fails the run for ${what}, without a retry`, async () => {
      const session = await open();
      model.enqueue(script);
      await ask(session);
      assert.equal(session.snapshot().runs.at(-1)?.failure?.code, code);
      assert.equal(model.requests.length, 1);
    });

  it('fails the run when nothing listens at its address', async () => {
    const session = await open({ baseUrl: `http://127.0.0.1:${await freePort()}/v1` });
    await ask(session);
    assert.equal(session.snapshot().runs.at(-1)?.failure?.code, 'modelNetwork');
    assert.deepEqual(
      session.snapshot().messages.map(({ text }) => text),
      ['Hello'],
    );
  });

  it('never sees or leaves its key anywhere but in the header', async () => {
    const session = await open();
    model.enqueue(says('Your key is sk-lab-0123456789.'));
    await ask(session);
    assert.equal(model.requests[0]?.headers.authorization, 'Bearer sk-lab-0123456789');
    assert.equal(model.requests[0].raw.includes('sk-lab'), false);
    assert.equal(session.snapshot().messages.at(-1)?.text, 'Your key is [redacted].');
    assert.equal(
      window?.log.lines.some((line) => line.includes('sk-lab')),
      false,
    );
  });
});
