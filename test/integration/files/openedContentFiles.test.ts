import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sha256Of } from '../../../src/domain/files/contentStamp.ts';
import { OpenedContentFiles } from '../../../src/infrastructure/files/openedContentFiles.ts';
import { thisProcess, type LeaseOwner } from '../../../src/infrastructure/store/leases.ts';
import { FakeClock } from '../../support/fakeClock.ts';

const dayMs = 24 * 60 * 60_000;
const bytes = (text: string): Buffer => Buffer.from(text);

describe('contents that documents were made from, on this disk', () => {
  let root: string;
  let folder: string;
  let clock: FakeClock;
  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'termind-opened-'));
    folder = path.join(root, 'made', 'later');
    clock = new FakeClock();
  });
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

  const window = (pid = process.pid, maxBytes = 1_000): OpenedContentFiles => {
    const owner: LeaseOwner = { ...thisProcess('one'), pid };
    return new OpenedContentFiles({ folder, owner, clock, maxBytes });
  };
  const find = async (file: string, text: string, by = window()): Promise<string | undefined> => {
    const content = await by.find(file, sha256Of(bytes(text)));
    return content === undefined ? undefined : Buffer.from(content).toString();
  };
  /** When they were written, for the order of their age. */
  const age = (at: number): void => {
    for (const name of fs.readdirSync(folder)) fs.utimesSync(path.join(folder, name), at / 1_000, at / 1_000);
  };
  /** The parent of this process: it is another one, and it lives. */
  const other = process.ppid;
  /** No process has it: it is above what systems give. */
  const noProcess = 4_194_305;

  it('are found by their file and digest, and only their owner reads them', async () => {
    assert.equal(await find('h/a', 'one'), undefined);
    await window().keep('h/a', bytes('one'));
    assert.deepEqual(
      [await find('h/a', 'one'), await find('h/b', 'one'), await find('h/a', 'two')],
      ['one', undefined, undefined],
    );
    const modes = fs.readdirSync(folder).map((name) => fs.statSync(path.join(folder, name)).mode & 0o777);
    assert.deepEqual([modes, fs.statSync(folder).mode & 0o777], [[0o600], 0o700]);
  });

  it('take each other’s place in one window, and no other window’s', async () => {
    await window(other).keep('h/a', bytes('one'));
    await window().keep('h/a', bytes('one'));
    await window().keep('h/a', bytes('two'));
    assert.deepEqual([await find('h/a', 'one'), await find('h/a', 'two')], ['one', 'two']);
    await window().forget('h/a');
    assert.deepEqual([await find('h/a', 'one'), await find('h/a', 'two')], ['one', undefined]);
  });

  it('of a window that is gone are found once more, and forgotten with the file', async () => {
    await window(noProcess).keep('h/a', bytes('one'));
    assert.equal(await find('h/a', 'one'), 'one');
    await window().forget('h/a');
    assert.deepEqual(fs.readdirSync(folder), []);
  });

  it('that were cut off are not found', async () => {
    await window().keep('h/a', bytes('one'));
    for (const name of fs.readdirSync(folder)) fs.truncateSync(path.join(folder, name), 2);
    assert.equal(await find('h/a', 'one'), undefined);
  });

  it('go when there are too many bytes, the oldest first, and one that finds no room is not kept', async () => {
    await window(process.pid, 7).keep('h/a', bytes('one'));
    age(clock.now() - 2_000);
    await window(process.pid, 7).keep('h/b', bytes('two'));
    await window(process.pid, 7).keep('h/c', bytes('six'));
    await window(process.pid, 7).keep('h/d', bytes('too large'));
    const found = [await find('h/a', 'one'), await find('h/b', 'two'), await find('h/c', 'six')];
    assert.deepEqual([...found, await find('h/d', 'too large')], [undefined, 'two', 'six', undefined]);
  });

  it('go after thirty days', async () => {
    await window().keep('h/a', bytes('one'));
    age(clock.now() - 30 * dayMs);
    await window().keep('h/b', bytes('two'));
    assert.deepEqual([await find('h/a', 'one'), await find('h/b', 'two')], [undefined, 'two']);
  });
});
