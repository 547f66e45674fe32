import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ShownMemory } from '../../../../src/features/assistant/model/shownMemory.ts';
import { modelSetUp, run, snapshotOf, summaryOf, type ModelSetUp } from './support.ts';

interface MemorySetUp extends ModelSetUp {
  readonly memory: ShownMemory;
  readonly stored: Map<string, unknown>;
}

/** A window that shows nothing yet; `before` is what it remembers. */
function memorySetUp(before?: unknown, stored = snapshotOf()): MemorySetUp {
  const set = modelSetUp(stored);
  set.model.show(undefined);
  const values = new Map<string, unknown>([['termind.assistant.shown', before]]);
  const memory = new ShownMemory({
    get: (key) => values.get(key),
    update: async (key, value) => void values.set(key, value),
  });
  return { ...set, memory, stored: values };
}

const interrupted = snapshotOf({
  summary: summaryOf({ run: { id: run, state: 'interrupted', live: false } }),
});

describe('the conversation of before a restart', () => {
  it('is shown again', async () => {
    const set = memorySetUp(summaryOf().id);
    await set.memory.restore(set.model, set.library);
    assert.equal(set.model.current?.session.id, summaryOf().id);
  });

  it('is the newest interrupted one where none is remembered', async () => {
    const set = memorySetUp(undefined, interrupted);
    await set.memory.restore(set.model, set.library);
    assert.equal(set.model.current?.session.id, summaryOf().id);
  });

  it('is a new one where nothing was left unfinished', async () => {
    const set = memorySetUp();
    await set.memory.restore(set.model, set.library);
    assert.equal(set.model.current, undefined);
  });

  it('does not replace what a person has opened meanwhile', async () => {
    const set = memorySetUp('22222222-2222-4222-8222-222222222222', interrupted);
    set.model.show(set.session);
    const chosen = set.model.current;
    await set.memory.restore(set.model, set.library);
    assert.equal(set.model.current, chosen);
  });

  it('is not forgotten before it was looked up', async () => {
    const set = memorySetUp(summaryOf().id);
    set.memory.note(set.model);
    assert.equal(set.stored.get('termind.assistant.shown'), summaryOf().id);
    await set.memory.restore(set.model, set.library);
    set.model.show(undefined);
    set.memory.note(set.model);
    assert.equal(set.stored.get('termind.assistant.shown'), undefined);
  });

  it('a panel that is restored names it first', async () => {
    const set = memorySetUp(undefined);
    set.memory.prefer(summaryOf().id);
    await set.memory.restore(set.model, set.library);
    assert.equal(set.model.current?.session.id, summaryOf().id);
  });
});
