import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  callId,
  createRedactor,
  createSecretRegistry,
  toolResultMessageId,
} from '../../../src/agentkit/index.ts';
import { bodies, envelope, finished, results, systemPrompt } from './support/runHarness.ts';
import { answer, asks, call } from './support/scriptedStream.ts';
import { probeTool } from './support/probeTool.ts';

describe('a run', () => {
  it('answers a prompt and stores both', async () => {
    const run = await finished({ answers: [answer('Not busy.')] });
    assert.equal(run.state, 'completed');
    assert.deepEqual(
      (await run.stored()).map((row) => [row.role, row.text]),
      [
        ['user', 'How busy is it?'],
        ['assistant', 'Not busy.'],
      ],
    );
    assert.deepEqual(
      run.events.map((event) => event.body.kind),
      [
        'runStarted',
        'runState',
        'turnStarted',
        'runState',
        'messageStarted',
        'messageDelta',
        'runState',
        'messageFinished',
        'usageUpdated',
        'turnFinished',
        'runState',
        'runFinished',
      ],
    );
    assert.deepEqual(
      run.events.map((event) => event.seq),
      run.events.map((_, index) => index + 1),
    );
  });

  it('keeps the searches of a provider with its answer, redacted, and sends them to no model', async () => {
    const detail = [{ title: 'df(1)', url: 'https://example.com/?password=hunter2-of-a-page' }];
    const run = await finished({
      answers: [
        [{ kind: 'webSearch', query: 'df exit status', detail }, ...asks(call('call_1', 'probe', {}))],
        answer('Low.'),
      ],
      tools: [probeTool()],
      options: { redactor: createRedactor(createSecretRegistry()) },
    });
    const [asking, done] = (await run.stored()).filter((row) => row.role === 'assistant');
    assert.deepEqual(asking?.searches, [
      {
        query: 'df exit status',
        detail: [{ title: 'df(1)', url: 'https://example.com/?password=[redacted]' }],
      },
    ]);
    assert.equal(done?.searches, undefined);
    assert.doesNotMatch(JSON.stringify(run.model.requests), /df exit status|example\.com/);
  });

  it('answers a call before the next request, and asks again with the answer', async () => {
    const run = await finished({
      answers: [asks(call('call_1', 'probe', { value: 'up' })), answer('The load is low.')],
      tools: [probeTool()],
    });
    assert.equal(run.state, 'completed');
    const result = envelope('{"echo":"up"}');
    assert.deepEqual(results(await run.stored()), { call_1: result });
    assert.equal(run.model.requests[0]?.system, systemPrompt);
    assert.deepEqual(run.model.requests[1]?.items, [
      { role: 'user', id: 'user:How busy is it?', text: 'How busy is it?', images: [] },
      {
        role: 'assistant',
        id: 'message-1',
        text: '',
        reasoning: '',
        calls: [{ id: 'call_1', name: 'probe', argumentsText: '{"value":"up"}' }],
        providerItems: [],
      },
      {
        role: 'tool',
        id: toolResultMessageId(run.runId, callId('call_1')),
        callId: 'call_1',
        toolName: 'probe',
        text: result,
        isError: false,
      },
    ]);
    assert.deepEqual(
      bodies(run.events, 'toolProposed', 'toolStarted', 'toolFinished').map((body) => body.kind),
      ['toolProposed', 'toolStarted', 'toolFinished'],
    );
    assert.deepEqual(
      bodies(run.events, 'runState').map((body) => body.state),
      [
        'connecting',
        'writing',
        'connecting',
        'callingTools',
        'connecting',
        'writing',
        'connecting',
        'completed',
      ],
    );
  });
});
