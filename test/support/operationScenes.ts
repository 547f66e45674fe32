import { operationsOf } from '../../src/application/operations/operation.ts';
import type { CallEntry, OperationEntry, OperationRow } from '../../src/application/ports/operations.ts';
import { chainStart } from '../../src/domain/operations/operationChain.ts';
import { entryIn, sealed } from '../../src/infrastructure/store/operations/operationRows.ts';
import { operationsDocument } from './plainEditor.ts';

const web = { id: 'h1', label: 'web-1', user: 'deploy', address: 'web-1.example.com:22', tier: 'prod' };
const lab = { id: 'h2', label: 'lab', user: 'root', address: '192.0.2.7:2222', tier: 'dev' };

function call(callId: string, more: Partial<Pick<CallEntry, 'host' | 'tool'>> = {}) {
  return {
    window: 'w1',
    actor: 'assistant' as const,
    conversation: { id: 'c1', title: 'Why is the disk of web-1 full?' },
    runId: 'r1',
    callId,
    tool: 'ssh_exec_run',
    ...more,
  };
}
const action = (text: string, details: readonly { label: string; value: string }[] = []) => ({
  text,
  details,
  arguments: { command: text },
  digest: 'ab12cd34'.repeat(8),
});
const asked = 'fe98dc76'.repeat(8);

const act = (at: number, what: string, facts: Readonly<Record<string, string>> = {}): OperationEntry => ({
  kind: 'act',
  at,
  window: 'w1',
  actor: 'person',
  what,
  host: web,
  facts,
});

const everything: readonly OperationEntry[] = [
  { kind: 'pruned', at: 1, window: 'w1', actor: 'termind', through: 17, hash: '0'.repeat(64) },
  act(2, 'tierChanged', { from: 'stage', to: 'prod' }),
  { ...act(3, 'connected'), actor: 'termind' } as OperationEntry,
  act(4, 'hostKeyTrusted', {
    name: 'web-1.example.com',
    key: `ssh-ed25519 SHA256:${'k'.repeat(43)}`,
    origin: 'asked',
  }),
  {
    kind: 'callStarted',
    at: 5,
    ...call('1', { host: web }),
    mode: 'ask',
    ground: { kind: 'proof' },
    action: action('df -h /var'),
  },
  {
    kind: 'callEnded',
    at: 6,
    ...call('1', { host: web }),
    outcome: 'succeeded',
    durationMs: 1_240,
    status: 'exited',
    exitCode: 0,
    outputBytes: 412,
    isInferred: false,
  },
  {
    kind: 'callDecided',
    at: 7,
    ...call('2', { host: lab }),
    mode: 'ask',
    allowed: true,
    by: 'user',
    id: 'approval-1',
    asked,
  },
  {
    kind: 'callStarted',
    at: 8,
    ...call('2', { host: lab }),
    mode: 'ask',
    ground: { kind: 'user', id: 'approval-1', asked },
    action: action('journalctl --vacuum-size=200M', [{ label: 'Before it', value: 'cd /var/log' }]),
  },
  { kind: 'callEnded', at: 9, ...call('2', { host: lab }), outcome: 'unknown', isInferred: true },
  {
    kind: 'callDecided',
    at: 10,
    ...call('3', { host: web }),
    mode: 'review',
    allowed: false,
    by: 'review',
    asked,
    words: 'It deletes more than the person asked for.',
    risk: 'high',
    authorization: 'low',
  },
  {
    kind: 'callRefused',
    at: 11,
    ...call('3', { host: web }),
    action: action('rm -rf /var/log/*'),
    outcome: 'denied',
    reason: 'The security review denied this call.',
  },
  {
    kind: 'callStarted',
    at: 12,
    ...call('4', { tool: 'scratch_write' }),
    mode: 'ask',
    ground: { kind: 'contained' },
    action: action('scratch_write {"path":"plan.md"}'),
  },
  {
    kind: 'callEnded',
    at: 13,
    ...call('4', { tool: 'scratch_write' }),
    outcome: 'succeeded',
    isInferred: false,
  },
  {
    kind: 'callStarted',
    at: 14,
    ...call('5', { host: lab }),
    mode: 'full',
    ground: { kind: 'fullAccess' },
    action: action(`printf '%s' ${'x'.repeat(400)}\u202e`),
  },
  {
    kind: 'callStarted',
    at: 15,
    ...call('6', { tool: 'fetch' }),
    mode: 'full',
    ground: { kind: 'proof' },
    action: action('GET https://example.com/'),
  },
  {
    kind: 'callDecided',
    at: 16,
    ...call('6', { tool: 'fetch' }),
    action: action('GET http://192.0.2.1/', [{ label: 'Redirected from', value: 'https://example.com/' }]),
    mode: 'full',
    allowed: true,
    by: 'fullAccess',
    asked,
  },
  { kind: 'callEnded', at: 17, ...call('6', { tool: 'fetch' }), outcome: 'succeeded', isInferred: false },
];

/** Entries as rows of one chain, oldest first. */
export function rowsOf(entries: readonly OperationEntry[]): readonly OperationRow[] {
  const rows: OperationRow[] = [];
  for (const entry of entries) {
    const row = sealed(entry, rows.at(-1) ?? chainStart);
    rows.push({ ...row, entry: entryIn(row.text) });
  }
  return rows;
}

function pageOf(entries: readonly OperationEntry[], more: { host?: string; isCut?: boolean } = {}) {
  const rows = [...rowsOf(entries)].reverse();
  const { host, isCut = false } = more;
  const moment = (at: number): string => `12:00:${String(at).padStart(2, '0')}`;
  return operationsDocument({ timeline: { operations: operationsOf(rows), isCut }, host, moment });
}

const broken: OperationRow = { seq: 9, hash: '', text: '{', entry: undefined };

/** The page of the operations log in its states. */
export const operationPages = {
  everything: pageOf(everything, { isCut: true }),
  oneHost: pageOf(everything.slice(3, 6), { host: 'web-1' }),
  nothing: pageOf([]),
  unreadable: operationsDocument({
    timeline: { operations: operationsOf([broken]), isCut: false },
    host: undefined,
    moment: String,
  }),
};
