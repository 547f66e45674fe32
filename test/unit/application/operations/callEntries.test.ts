import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callId, runId, type ApprovalSubject, type DurableEvent } from '../../../../src/agentkit/index.ts';
import { callEntry } from '../../../../src/application/operations/callEntries.ts';

/** What the log says of a call with this card that starts. */
function started(subject: ApprovalSubject): ReturnType<typeof callEntry> {
  const event: DurableEvent = {
    seq: 1,
    at: 5,
    runId: runId('r'),
    body: { kind: 'toolStarted', callId: callId('c'), toolName: 't', ground: { kind: 'proof' }, mode: 'ask' },
  };
  const presentation = { symbol: 's', activity: 'a', actionKind: 'read', groupsWithAdjacent: false } as const;
  const proposed = { callId: callId('c'), toolName: 't', arguments: {}, presentation, subject };
  return callEntry(event, {
    window: 'w',
    conversation: { id: 'v', title: '' },
    recorded: () => ({ proposed, review: undefined, isDispatched: false }),
  });
}

describe('what the operations log says of an address', () => {
  const address = { label: 'Address', value: '192.0.2.7:22' };
  const card = { action: 'x', target: 'lab', identity: '', tier: '', details: [address] };

  it('stands with the host of the call', () => {
    const entry = started({ ...card, targetId: 'h1' });
    assert.ok(entry?.kind === 'callStarted');
    assert.deepEqual([entry.host?.address, entry.action?.details], ['192.0.2.7:22', []]);
  });

  it('stands with the action where there is no host, as for a web page', () => {
    const entry = started({ ...card, targetId: '' });
    assert.ok(entry?.kind === 'callStarted');
    assert.deepEqual([entry.host, entry.action?.details], [undefined, [address]]);
  });
});
