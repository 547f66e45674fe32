import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { openStore, type Store } from '../../../src/infrastructure/store/openStore.ts';
import { isTermindError } from '../../../src/domain/fault.ts';
import { isRoot, passesAsOrdinaryUser } from '../../support/asOrdinaryUser.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { silentLog } from '../../support/silentLog.ts';
import { LibraryScene } from '../../unit/application/assistant/libraryScene.ts';
import { says, ScriptedModel } from '../../unit/application/assistant/scriptedModel.ts';

/** Each makes a store unwritable. */
const states = [
  {
    what: 'was written by a newer Termind',
    code: 'store-newer',
    needsModes: false,
    make: (directory: string) => {
      const file = new DatabaseSync(join(directory, 'termind.db'));
      file.exec('PRAGMA user_version = 9999');
      file.close();
    },
  },
  {
    what: 'may only be read',
    code: 'store-read-only',
    needsModes: true,
    make: (directory: string) => {
      chmodSync(join(directory, 'termind.db'), 0o400);
      chmodSync(directory, 0o500);
    },
  },
] as const;

for (const { what, code, needsModes, make } of states)
  describe(`a store that ${what}`, () => {
    let directory: string;
    let store: Store | undefined;

    beforeEach(() => {
      directory = mkdtempSync(join(tmpdir(), 'termind-unwritable-'));
    });
    afterEach(() => {
      store?.dispose();
      chmodSync(directory, 0o700);
      rmSync(directory, { recursive: true, force: true });
    });

    function open(...answers: readonly string[]): LibraryScene {
      store?.dispose();
      store = openStore({ directory, windowId: 'w', clock: new FakeClock(), log: silentLog });
      return new LibraryScene(new ScriptedModel(...answers.map(says)), store);
    }

    it('is read, and every message is refused with the reason and changes nothing', async () => {
      if (needsModes && isRoot) {
        const title = `a store that ${what}`;
        return passesAsOrdinaryUser({ file: fileURLToPath(import.meta.url), title, folder: directory });
      }
      const before = open('Hello.');
      const session = await before.library.create();
      await session.send('First');
      await before.settled(session);
      store?.dispose();
      make(directory);

      const after = open('Never asked.');
      assert.deepEqual(
        (await after.library.list()).map(({ id }) => id),
        [session.id],
      );
      const again = await after.library.open(session.id);
      assert.ok(again);
      const refused = (error: unknown): boolean => isTermindError(error) && error.fault.code === code;
      await assert.rejects(again.send('Second'), refused);
      assert.equal(again.isRunning, false);
      assert.deepEqual(
        again.snapshot().messages.map(({ text }) => text),
        ['First', 'Hello.'],
      );
      assert.equal(after.model.requests.length, 0);
      await assert.rejects(after.library.create(), refused);
    });
  });
