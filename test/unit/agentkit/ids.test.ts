import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callId, runId, toolResultMessageId } from '../../../src/agentkit/ids.ts';

describe('ids', () => {
  it('a result row has the id that runtime, views and recovery derive alike', () => {
    assert.equal(
      toolResultMessageId(runId('0b6f0d0e-6d6f-4a53-8a38-111111111111'), callId('call_1')),
      '400b1004-ae15-b2eb-5a5d-0936e06b6959',
    );
  });
});
