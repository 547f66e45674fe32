import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { callTexts, newConversationId, type StoredConversation } from '../../../src/agentkit/index.ts';
import { buildItems } from '../../../src/agentkit/contextPipeline.ts';
import { repairHistory } from '../../../src/agentkit/historyRepair.ts';
import { chatRequestBody } from '../../../src/agentkit/providers/openai/chatRequest.ts';
import { openStore, type Store } from '../../../src/infrastructure/store/openStore.ts';
import { conversation } from '../../contract/runStore.ts';
import { checkChatRequest } from '../../lab/chatRules.ts';
import { run } from '../../lab/run.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { silentLog } from '../../support/silentLog.ts';
import { compactingModel } from '../../unit/agentkit/support/compactingModel.ts';
import { answer } from '../../unit/agentkit/support/scriptedStream.ts';
import { ranFile, readingRun } from './compactingScene.ts';

const child = fileURLToPath(new URL('./compactingChild.ts', import.meta.url));

describe('a window whose process is killed in compaction', function () {
  this.timeout(60_000);
  const id = newConversationId();
  let directory: string;
  let store: Store | undefined;

  const open = (windowId: string): Store =>
    (store = openStore({ directory, windowId, clock: new FakeClock(Date.now() + 60_000), log: silentLog }));

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'termind-compaction-'));
    await open('before').runs.createConversation(conversation(id));
    store?.dispose();
  });
  afterEach(() => {
    store?.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  async function killedAt(point: 'summary' | 'record'): Promise<StoredConversation> {
    const result = await run(process.execPath, [child, point, directory, id]);
    assert.equal(result.status, undefined, `killed, not ended: ${result.stderr}`);
    const { runs } = open('after');
    await runs.interruptLapsedRuns();
    const stored = await runs.load(id);
    assert.ok(stored);
    assert.deepEqual(
      stored.runs.map(({ state }) => state),
      ['interrupted'],
    );
    return stored;
  }

  /** What the next request would be, and what it ran. */
  function nextRequest({ messages, compactions }: StoredConversation): readonly string[] {
    const items = buildItems({
      messages: repairHistory(messages).messages,
      compactions,
      tag: 'any',
      contextBlock: () => '',
    });
    const dialect = { model: 'lab-1', images: false, reasoning: [], sendsCacheKey: false };
    const body = chatRequestBody({ system: 's', items, tools: [], cacheKey: 'k' }, dialect);
    const checked = checkChatRequest(body);
    assert.deepEqual(checked.ok ? [] : checked.violations, []);
    assert.ok(
      items.every((item) => item.text !== callTexts.unknown),
      'every call is answered',
    );
    return items.map(({ text }) => text);
  }

  const ran = (): readonly string[] => readFileSync(ranFile(directory), 'utf8').trim().split('\n');

  it('while the summary is written: the conversation is as long as before', async () => {
    const stored = await killedAt('summary');
    assert.deepEqual(stored.compactions, []);
    const [first, , ...rest] = nextRequest(stored);
    assert.equal(first, 'Read it all, but never restart prod-db');
    assert.ok(rest.length > 0);
    assert.equal(new Set(ran()).size, ran().length, 'nothing ran twice');
  });

  it('when the record is stored: the next request begins with it', async () => {
    const stored = await killedAt('record');
    assert.equal(stored.compactions.length, 1);
    const [summary, facts] = nextRequest(stored);
    assert.match(summary ?? '', /^<summary>\n.*\n\n## Goal\nRead it all\.\n<\/summary>$/s);
    assert.match(facts ?? '', /\nRead it all, but never restart prod-db\n/);
    assert.equal(new Set(ran()).size, ran().length, 'nothing ran twice');
    assert.equal(stored.messages[0]?.text, 'Read it all, but never restart prod-db');
  });

  it('the next run goes on, and runs nothing again', async () => {
    const stored = await killedAt('record');
    const before = ran();
    const model = compactingModel({ turns: [answer('Yes.')] }, { contextWindow: 40_000 });
    const { runs } = open('next');
    const next = readingRun({ stored, store: runs, model, directory, prompt: 'Sure?' });
    assert.equal(await next.run(), 'completed');
    assert.deepEqual(ran(), before);
  });
});
