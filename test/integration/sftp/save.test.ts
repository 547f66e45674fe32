import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { SavedFile, SaveOutcome } from '../../../src/application/files/save/fileSaving.ts';
import { currentAccount } from '../../lab/account.ts';
import type { Sshd } from '../../lab/sshd.ts';
import { never, startServer, targetOf } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';
import { SaveBench } from './saveBench.ts';
import { patterned } from './sftpBench.ts';

describe('saving a file', () => {
  let server: Sshd;
  let connection: FilesBench;
  let bench: SaveBench;
  before(async () => {
    server = await startServer({ account: currentAccount() });
    connection = await FilesBench.open(targetOf(server));
  });
  after(async () => {
    await connection.dispose();
    await server.stop();
  });
  beforeEach(() => {
    bench = SaveBench.over(connection.transport);
  });
  afterEach(() => bench.dispose());

  it('puts a new file into the place of a plain one, with its mode', async () => {
    fs.writeFileSync(bench.at('plain'), 'old', { mode: 0o640 });
    const { ino } = fs.statSync(bench.at('plain'));
    const saved = saidSaved(await bench.window().save(bench.request('plain', patterned(700_000)), never));
    const { mode, mtime } = fs.statSync(bench.at('plain'));
    assert.deepEqual(bench.read('plain'), patterned(700_000));
    assert.deepEqual(
      { ...saved, stamp: saved.stamp.mtime },
      {
        k: 'saved',
        stamp: Math.floor(mtime.getTime() / 1_000),
        way: 'replaced',
        because: undefined,
        backup: undefined,
        warnings: [],
        isSuperseded: false,
      },
    );
    assert.notEqual(fs.statSync(bench.at('plain')).ino, ino);
    assert.equal(mode & 0o7777, 0o640);
    assert.deepEqual([bench.names(), await bench.window().kept()], [['plain'], []]);
  });
});

function saidSaved(outcome: SaveOutcome): SavedFile {
  if (outcome.k !== 'saved')
    assert.fail(
      JSON.stringify(outcome, (_key, value: unknown) => (value instanceof Uint8Array ? '(bytes)' : value)),
    );
  return outcome;
}
