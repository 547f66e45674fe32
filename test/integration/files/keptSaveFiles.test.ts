import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { KeptSaveRecord } from '../../../src/domain/files/keptSave.ts';
import { newHostId } from '../../../src/domain/host/hostId.ts';
import { KeptSaveFiles } from '../../../src/infrastructure/files/keptSaveFiles.ts';
import { thisProcess, type LeaseOwner } from '../../../src/infrastructure/store/leases.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { faultOf } from '../ssh/sshBench.ts';

const dayMs = 24 * 60 * 60_000;
const content = Buffer.from([0, 1, 2, 255]);

describe('saves that are kept on this disk', () => {
  let folder: string;
  let clock: FakeClock;
  let record: KeptSaveRecord;
  beforeEach(() => {
    folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'termind-kept-')), 'made', 'later');
    clock = new FakeClock();
    record = {
      version: 1,
      host: newHostId(),
      path: '/etc/a \u{10feff} file',
      writer: 'editor',
      base: { sha256: 'a'.repeat(64), size: 3, mtime: undefined },
      keepsBackup: true,
      content: { sha256: 'b'.repeat(64), size: 4 },
      keptAt: clock.now(),
      trace: { target: '/etc/file', found: 'missing', part: '/etc/.file.x.part', isInPlace: true },
    };
  });
  afterEach(() => fs.rmSync(path.dirname(path.dirname(folder)), { recursive: true, force: true }));

  const window = (owner: LeaseOwner = thisProcess('one')): KeptSaveFiles =>
    new KeptSaveFiles({ folder, owner, clock });

  it('come back as they were, and only their owner reads them', async () => {
    assert.deepEqual(await window().list(), []);
    const id = await window().keep(record, content);
    assert.deepEqual(await window().list(), [{ ...record, id }]);
    assert.ok(content.equals(await window().content(id)));
    const modes = fs.readdirSync(folder).map((name) => fs.statSync(path.join(folder, name)).mode & 0o777);
    assert.deepEqual([modes, fs.statSync(folder).mode & 0o777], [[0o600, 0o600], 0o700]);
  });

  it('are noted anew and removed', async () => {
    const id = await window().keep(record, content);
    const { trace: _none, ...rest } = record;
    await window().note({ ...rest, id });
    assert.deepEqual(await window().list(), [{ ...rest, id }]);
    await window().remove(id);
    await window().remove(id);
    assert.deepEqual([await window().list(), fs.readdirSync(folder)], [[], []]);
    assert.equal((await faultOf(window().note({ ...rest, id }))).code, 'not-found');
    assert.equal((await faultOf(window().content(id))).code, 'not-found');
  });

  it('of a process that is gone are offered, those of one that may still save them are not', async () => {
    const gone: LeaseOwner = { ...thisProcess('two'), startToken: 'of an earlier process' };
    const elsewhere: LeaseOwner = { ...thisProcess('three'), machine: 'another' };
    const offered = await window(gone).keep(record, content);
    const running = await window(thisProcess('four')).keep(record, content);
    const unknown = await window(elsewhere).keep(record, content);
    assert.deepEqual(
      (await window().list()).map(({ id }) => id),
      [offered],
    );
    await clock.advance(dayMs);
    assert.deepEqual((await window().list()).map(({ id }) => id).sort(), [offered, running, unknown].sort());
  });

  it('lose nothing to a damaged one, and what a crash has left between two files goes after a day', async () => {
    const id = await window().keep(record, content);
    const other = 'c'.repeat(32);
    fs.writeFileSync(path.join(folder, `${'d'.repeat(32)}.json`), '{"save":');
    fs.writeFileSync(path.join(folder, `${other}.content`), 'without a record');
    fs.writeFileSync(path.join(folder, 'not-ours.txt'), 'x');
    const written = fs.statSync(path.join(folder, `${other}.content`)).mtimeMs;
    await clock.advance(written - clock.now() + 1);
    assert.deepEqual(
      (await window().list()).map((save) => save.id),
      [id],
    );
    assert.ok(fs.existsSync(path.join(folder, `${other}.content`)));
    await clock.advance(dayMs);
    assert.deepEqual(
      (await window().list()).map((save) => save.id),
      [id],
    );
    assert.deepEqual(
      [
        fs.existsSync(path.join(folder, `${other}.content`)),
        fs.existsSync(path.join(folder, 'not-ours.txt')),
      ],
      [false, true],
    );
  });

  it('are not made where the disk refuses, which is told with its reason', async () => {
    fs.writeFileSync(path.dirname(folder), 'a file in the way');
    const fault = await faultOf(window().keep(record, content));
    assert.deepEqual([fault.code, fault.stage], ['not-directory', 'local']);
  });
});
