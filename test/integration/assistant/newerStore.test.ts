import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openStore, type Store } from '../../../src/infrastructure/store/openStore.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { silentLog } from '../../support/silentLog.ts';
import { LibraryScene } from '../../unit/application/assistant/libraryScene.ts';
import { says, ScriptedModel } from '../../unit/application/assistant/scriptedModel.ts';

describe('a store written by a newer Termind', () => {
  let directory: string;
  let store: Store | undefined;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'termind-newer-'));
  });
  afterEach(() => {
    store?.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  function open(...answers: readonly string[]): LibraryScene {
    store?.dispose();
    store = openStore({ directory, windowId: 'w', clock: new FakeClock(), log: silentLog });
    return new LibraryScene(new ScriptedModel(...answers.map(says)), store);
  }

  it('is read, and every message is refused with the reason and changes nothing', async () => {
    const before = open('Hello.');
    const session = await before.library.create();
    await session.send('First');
    await before.settled(session);
    store?.dispose();
    const file = new DatabaseSync(join(directory, 'termind.db'));
    file.exec('PRAGMA user_version = 9999');
    file.close();

    const after = open('Never asked.');
    assert.deepEqual(
      (await after.library.list()).map(({ id }) => id),
      [session.id],
    );
    const again = await after.library.open(session.id);
    assert.ok(again);
    await assert.rejects(
      again.send('Second'),
      (error) => isTermindError(error) && error.fault.code === 'store-newer',
    );
    assert.equal(again.isRunning, false);
    assert.deepEqual(
      again.snapshot().messages.map(({ text }) => text),
      ['First', 'Hello.'],
    );
    assert.equal(after.model.requests.length, 0);
    await assert.rejects(
      after.library.create(),
      (error) => isTermindError(error) && error.fault.code === 'store-newer',
    );
  });
});
