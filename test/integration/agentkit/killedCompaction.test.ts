import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  callTexts,
  newConversationId,
  type ModelStreamPort,
  type StoredConversation,
} from '../../../src/agentkit/index.ts';
import { editorModelStream } from '../../../src/application/assistant/editorModelStream.ts';
import { openStore, type Store } from '../../../src/infrastructure/store/openStore.ts';
import { conversation } from '../../contract/runStore.ts';
import { editorViolations } from '../../lab/editorRules.ts';
import { run } from '../../lab/run.ts';
import { streamResponse } from '../../lab/scriptedResponse.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { silentLog } from '../../support/silentLog.ts';
import { MemoryEditorModel } from '../../unit/application/assistant/editorModel.ts';
import { anthropic, chat, gemini, responses, type ProviderUnderTest } from '../providers/matrix.ts';
import { ranFile, readingRun } from './compactingScene.ts';

const child = fileURLToPath(new URL('./compactingChild.ts', import.meta.url));
const prompt = 'Read it all, but never restart prod-db';

/** Answers one request of a run with the model that it hands over, and gives what was asked, as text. */
type Trial = (goOn: (model: ModelStreamPort) => Promise<void>) => Promise<string>;

/** The real adapter against a strict server of its protocol. */
function overWire<Body>({ start, wire, model }: ProviderUnderTest<Body>): Trial {
  return async (goOn) => {
    const server = await start();
    try {
      server.enqueue(streamResponse(wire.answer({ text: 'Yes.' }, { turn: 99 })));
      await goOn(model(server.baseUrl));
      assert.deepEqual(server.violations, []);
      const [asked] = server.requests;
      return (asked?.conversation.messages ?? []).map(({ text }) => text).join('\n');
    } finally {
      await server.stop();
    }
  };
}

const throughEditor: Trial = async (goOn) => {
  const model = new MemoryEditorModel();
  await goOn(editorModelStream({ model, marks: { tools: true, images: false }, use: 'person' }));
  const messages = model.asked[0]?.messages ?? [];
  assert.deepEqual(editorViolations(messages), []);
  return messages
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.kind === 'text' || part.kind === 'result' ? [part.text] : []))
    .join('\n');
};

const adapters: Readonly<Record<string, Trial>> = {
  [chat.name]: overWire(chat),
  [responses.name]: overWire(responses),
  [anthropic.name]: overWire(anthropic),
  [gemini.name]: overWire(gemini),
  'models of the editor': throughEditor,
};

describe('a window whose process is killed in compaction', function () {
  this.timeout(120_000);
  const id = newConversationId();
  let directory: string;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'termind-compaction-'));
    await withStore(directory, ({ runs }) => runs.createConversation(conversation(id)));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  async function withStore<T>(folder: string, use: (store: Store) => Promise<T>): Promise<T> {
    const clock = new FakeClock(Date.now() + 60_000);
    const store = openStore({ directory: folder, windowId: 'after', clock, log: silentLog });
    try {
      return await use(store);
    } finally {
      store.dispose();
    }
  }

  /** What a window finds that opens this store. */
  async function restored({ runs }: Store): Promise<StoredConversation> {
    await runs.interruptLapsedRuns();
    const stored = await runs.load(id);
    assert.deepEqual(
      stored?.runs.map(({ state }) => state),
      ['interrupted'],
    );
    assert.ok(stored);
    return stored;
  }

  const ran = (folder: string): readonly string[] => readFileSync(ranFile(folder), 'utf8').trim().split('\n');

  async function killedAt(point: 'summary' | 'record'): Promise<void> {
    const result = await run(process.execPath, [child, point, directory, id]);
    assert.equal(result.status, undefined, `killed, not ended: ${result.stderr}`);
    assert.equal(new Set(ran(directory)).size, ran(directory).length, 'nothing ran twice');
  }

  /** The next run over every adapter, each with a copy of what the dead process left: it is answered, and runs nothing. What was asked. */
  async function everyAdapterAsked(): Promise<readonly (readonly [name: string, asked: string])[]> {
    const asked: [string, string][] = [];
    for (const [name, trial] of Object.entries(adapters)) {
      const copy = mkdtempSync(join(tmpdir(), 'termind-compaction-'));
      cpSync(directory, copy, { recursive: true });
      const text = await withStore(copy, async (store) => {
        const stored = await restored(store);
        return trial(async (model) => {
          const next = readingRun({ stored, store: store.runs, model, directory: copy, prompt: 'Sure?' });
          assert.equal(await next.run(), 'completed', name);
        });
      });
      assert.deepEqual(ran(copy), ran(directory), name);
      assert.equal(text.includes(callTexts.unknown), false, `${name}: every call is answered`);
      asked.push([name, text]);
      rmSync(copy, { recursive: true, force: true });
    }
    return asked;
  }

  it('while the summary is written: the conversation is as long as before', async () => {
    await killedAt('summary');
    for (const [name, asked] of await everyAdapterAsked()) {
      const pages = asked.split('{"page":').length - 1;
      assert.deepEqual([asked.includes(prompt), pages], [true, ran(directory).length], name);
      assert.equal(asked.includes('<summary>'), false, name);
    }
    const { compactions } = await withStore(directory, restored);
    assert.deepEqual(compactions, []);
  });

  it('when the record is stored: the next request begins with it', async () => {
    await killedAt('record');
    for (const [name, asked] of await everyAdapterAsked()) {
      assert.match(
        asked,
        /<summary>\n.*\n\n## Goal\nRead it all\.\n<\/summary>\n.*\nRead it all, but never restart prod-db\n/s,
        name,
      );
      const pages = asked.split('{"page":').length - 1;
      assert.ok(pages > 0 && pages < ran(directory).length, name);
    }
    const { compactions, messages } = await withStore(directory, restored);
    assert.deepEqual([compactions.length, messages[0]?.text], [1, prompt]);
  });
});
