import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ProviderError } from '../../../src/agentkit/index.ts';
import { secret } from './support/plainRedactor.ts';
import { probeTool } from './support/probeTool.ts';
import { allowing, bodies, finished, person, plainPolicy } from './support/runHarness.ts';
import { answer, asks, call, say, think } from './support/scriptedStream.ts';
import { newRunId } from '../../../src/agentkit/ids.ts';

describe('a secret that goes in everywhere', () => {
  it('comes out of no request, no stored row and no event, the words of the model on their way included', async () => {
    const received: unknown[] = [];
    const run = await finished({
      answers: [
        [
          think(`use ${secret}`),
          say(`Trying ${secret}. `),
          ...asks(call('a', 'act', { value: secret }), call('b', 'act', `{"value": "${secret}`)),
        ],
        answer(`It was ${secret}.`),
      ],
      tools: [
        probeTool('act', {
          descriptor: { safety: 'requiresAuthorization' },
          preflight: () => ({
            reasons: [`sends ${secret}`],
            subject: { action: 'act', target: '', targetId: '', identity: '', tier: '', details: [] },
          }),
          execute: (args, context) => {
            received.push(args.value);
            context.report({ line: secret });
            return { kind: 'success', fields: { echo: secret }, presentation: { line: secret } };
          },
        }),
      ],
      options: {
        prompt: { ...person('Use it.', newRunId()), text: `The password is ${secret}.` },
        approvals: allowing,
        policies: { ...plainPolicy, contextFields: () => ({ notes: `remember ${secret}` }) },
      },
    });
    assert.equal(run.state, 'completed');
    assert.deepEqual(received, [secret], 'the tool itself gets the value');
    assert.ok(!JSON.stringify(run.model.requests).includes(secret), 'requests');
    assert.ok(!JSON.stringify(await run.store.load(run.conversationId)).includes(secret), 'stored rows');
    assert.ok(!JSON.stringify(run.events).includes(secret), 'events');
    const shown = bodies(run.events, 'messageDelta').map(({ text }) => text);
    assert.equal(shown.join(''), 'Trying [redacted]. It was [redacted].');
  });

  it('comes out of no failure', async () => {
    const error = new ProviderError({
      code: 'unauthorized',
      retryable: false,
      detail: `Wrong key: ${secret}`,
    });
    const run = await finished({ answers: [[error]], options: { prompt: person('Hi', newRunId()) } });
    assert.equal(bodies(run.events, 'failed')[0]?.failure.facts['detail'], 'Wrong key: [redacted]');
    assert.ok(!JSON.stringify(await run.store.load(run.conversationId)).includes(secret));
  });

  it('arguments without one keep their exact bytes', async () => {
    const run = await finished({
      answers: [asks(call('a', 'probe', '{ "value" :  "x" }')), answer('Done.')],
      tools: [probeTool()],
    });
    const row = (await run.stored()).find((message) => message.role === 'assistant');
    assert.equal(row?.role === 'assistant' && row.calls[0]?.argumentsText, '{ "value" :  "x" }');
  });
});
