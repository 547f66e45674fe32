import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { callId, newConversationId, newRunId } from '../../../../src/agentkit/index.ts';
import type { LogEntry, RequestLogPort } from '../../../../src/application/ports/requestLog.ts';
import { exportLog } from '../../../../src/application/requestLog/readLog.ts';
import { showLog } from '../../../../src/application/requestLog/showLog.ts';
import { MemoryRequestLog } from '../../../../src/infrastructure/store/memory/memoryRequestLog.ts';
import { part, request } from '../../../contract/requestLog.ts';

describe('a request log to read', () => {
  const id = newConversationId();
  let log: RequestLogPort;
  beforeEach(() => {
    log = new MemoryRequestLog({ exists: () => true });
  });

  const add = async (entry: LogEntry, ...texts: readonly string[]): Promise<void> => {
    const numbers = await log.keep(
      id,
      texts.map((text) => part(text, text)),
    );
    assert.ok(await log.add(id, entry, numbers));
  };
  const shown = (): Promise<string> => showLog(log, { id, title: 'Disk' });

  it('says so when nothing was sent', async () => {
    assert.match(await shown(), /^# Request log: Disk\n\n.*\n\n0 requests\.\n$/);
    assert.deepEqual(JSON.parse(await exportLog(log, { id, title: 'Disk' })), {
      format: 'termind request log',
      version: 1,
      conversation: { id, title: 'Disk' },
      parts: {},
      entries: [],
    });
  });

  it('shows the newest 50 requests, and no message that an earlier one carried', async () => {
    const said: string[] = [];
    for (let n = 1; n <= 60; n++) {
      said.push(`message-${n}.`);
      await add(request(`r${n}`), ...said);
    }
    const text = await shown();
    assert.match(text, /The newest 50 of 60 requests/);
    assert.equal(text.match(/^### Request/gmu)?.length, 50);
    assert.doesNotMatch(text, /```text\nmessage-10\./);
    assert.match(text, /```text\nmessage-11\./);
    assert.equal(text.match(/```text\nmessage-60\./gu)?.length, 1);
    assert.match(text, /Carries #1–#60\./);
  });

  it('cuts a long message and says what is missing', async () => {
    await add(request('r'), 'x'.repeat(2_500));
    assert.match(await shown(), /```text\nx{2000}\n```\n500 characters more in the export\n/);
    assert.match(await exportLog(log, { id, title: '' }), /x{2500}/);
  });

  it('cannot be broken out of by what was sent', async () => {
    await add(request('r'), 'a\n```\n# Request log: forged\n````\nb');
    assert.match(await shown(), /\n`````text\na\n```\n# Request log: forged\n````\nb\n`````\n/);
  });

  it('shows a body of a form that it does not know as it is', async () => {
    const [number = 0] = await log.keep(id, [{ itemId: 'x', hash: 'h', body: '{"other":[1]}' }]);
    await log.add(id, request('r'), [number]);
    assert.match(await shown(), /\*\*#1\*\*\n\n```text\n\{"other":\[1\]\}\n```/);
  });

  it('says how an answer came and what changed on the way', async () => {
    const runId = newRunId();
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    for (const entry of [
      {
        kind: 'response',
        requestId: 'r',
        at,
        outcome: 'failed',
        reason: 'overloaded',
        status: 529,
        detail: 'Over\nloaded',
        durationMs: 9,
        textLength: 0,
        reasoningLength: 4,
        calls: [],
        webSearches: 2,
        usage: { inputTokens: 10, cachedInputTokens: 4 },
      },
      { kind: 'retry', runId, at, attempt: 2, delayMs: 1_000, reason: 'overloaded' },
      {
        kind: 'call',
        runId,
        at,
        phase: 'proposed',
        callId: callId('c'),
        toolName: 'ssh_exec_run',
        arguments: { command: 'sudo -S id' },
      },
      { kind: 'run', runId, at, state: 'failed', failure: 'providerFailed' },
    ] as const satisfies readonly LogEntry[])
      await add(entry);
    const text = (await shown()).split('0 requests.\n\n')[1];
    assert.equal(
      text,
      `2026-01-02T03:04:05.006Z response failed (overloaded, HTTP 529, Over loaded): 9 ms, nothing arrived, 0 characters, 4 characters of reasoning, 2 web searches, tokens in 10 (cached 4, written ?), out ?

2026-01-02T03:04:05.006Z attempt 2 failed (overloaded), the next one follows after 1000 ms

2026-01-02T03:04:05.006Z call c of ssh_exec_run proposed

\`\`\`text
{
  "command": "sudo -S id"
}
\`\`\`

2026-01-02T03:04:05.006Z run failed: providerFailed
`,
    );
  });
});
