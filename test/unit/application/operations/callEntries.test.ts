import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  approvalId,
  callId,
  runId,
  type ApprovalSubject,
  type DurableEvent,
  type Ground,
} from '../../../../src/agentkit/index.ts';
import { callEntry } from '../../../../src/application/operations/callEntries.ts';

/** What the log says of this about a call with this card. */
function entryOf(body: DurableEvent['body'], subject: ApprovalSubject): ReturnType<typeof callEntry> {
  const presentation = { symbol: 's', activity: 'a', actionKind: 'read', groupsWithAdjacent: false } as const;
  const proposed = { callId: callId('c'), toolName: 't', arguments: { url: 'u' }, presentation, subject };
  return callEntry(
    { seq: 1, at: 5, runId: runId('r'), body },
    {
      window: 'w',
      conversation: { id: 'v', title: '' },
      recorded: () => ({ proposed, review: undefined, isDispatched: false }),
    },
  );
}

function started(subject: ApprovalSubject): ReturnType<typeof callEntry> {
  const ground = { kind: 'proof' } as const;
  return entryOf({ kind: 'toolStarted', callId: callId('c'), toolName: 't', ground, mode: 'ask' }, subject);
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

describe('what the operations log says of a decision', () => {
  const page = { target: 'example.com', targetId: '', identity: '', tier: '' };
  const card = { ...page, action: 'GET https://example.com/', details: [] };
  const details = [
    { label: 'Redirected from', value: 'https://example.com/' },
    { label: 'Address', value: '192.0.2.1: documentation' },
  ];
  const further = { ...page, action: 'GET http://192.0.2.1/', target: '192.0.2.1', details };
  const grounds: readonly Ground[] = [
    { kind: 'fullAccess' },
    { kind: 'grant', id: 'g1' },
    { kind: 'user', id: approvalId('a1') },
    { kind: 'review', id: approvalId('a1') },
  ];
  const decided = (ground: Ground, step?: ApprovalSubject): ReturnType<typeof callEntry> =>
    entryOf(
      {
        kind: 'callDecided',
        callId: callId('c'),
        mode: 'ask',
        ...(step === undefined ? {} : { further: step }),
        answer: { allowed: true, ground },
      },
      card,
    );

  for (const ground of grounds)
    it(`names what was decided in the middle of a call, with its digest (${ground.kind})`, () => {
      const entry = decided(ground, further);
      assert.ok(entry?.kind === 'callDecided');
      assert.deepEqual([entry.by, entry.tool, entry.host], [ground.kind, 't', undefined]);
      const { digest = '', ...shown } = entry.action ?? {};
      assert.deepEqual(shown, { text: 'GET http://192.0.2.1/', details, arguments: { url: 'u' } });
      assert.match(digest, /^[0-9a-f]{64}$/);
      const other = decided(ground, { ...further, action: 'GET http://192.0.2.2/' });
      assert.ok(other?.kind === 'callDecided');
      assert.notEqual(other.action?.digest, digest);
    });

  it('names the machine that the further step is about', () => {
    const entry = decided({ kind: 'fullAccess' }, { ...further, target: 'lab', targetId: 'h1' });
    assert.ok(entry?.kind === 'callDecided');
    assert.deepEqual([entry.host?.id, entry.host?.address], ['h1', '192.0.2.1: documentation']);
    assert.deepEqual(entry.action?.details, details.slice(0, 1));
  });

  it('has no action of its own where it is about the call itself', () => {
    const entries = grounds.map((ground) => decided(ground));
    assert.deepEqual(
      entries.map((entry) => entry?.kind === 'callDecided' && [entry.by, entry.action]),
      [false, false, ['user', undefined], ['review', undefined]],
    );
  });
});
