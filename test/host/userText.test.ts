import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { AgentError } from '../../src/agentkit/index.ts';
import { localFault } from '../../src/domain/fault.ts';
import { describeError } from '../../src/platform/vscode/userText.ts';

describe('sentences about what failed', () => {
  const words = '[Repair](command:workbench.action.quit)';
  for (const [what, error] of [
    ['a fault', localFault('config-error', { reason: words })],
    ['an error of the runtime', new AgentError('scratchNotFound', { path: words })],
    ['anything else', new Error(words)],
  ] as const)
    it(`make no link of what somebody else wrote, in ${what}`, () => {
      const sentence = describeError(error);
      assert.ok(sentence.includes('Repair'), sentence);
      assert.equal(sentence.includes(']('), false, sentence);
    });

  it('say why a host certificate was refused', () => {
    assert.equal(
      describeError(localFault('cert-refused', { reason: 'expired' })),
      'The host certificate was refused: it has expired. Ask whoever issues certificates for this host.',
    );
  });
});
