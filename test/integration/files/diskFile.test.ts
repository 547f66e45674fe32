import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { faultOf } from '../../../src/domain/fault.ts';
import { DiskFile } from '../../../src/infrastructure/files/localFile.ts';

const mib = 2 ** 20;

describe('a large file of this machine', () => {
  let folder: string;
  let handle: FileHandle;
  let file: DiskFile;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'termind-disk-'));
    handle = await open(path.join(folder, 'file'), 'w+');
    file = new DiskFile(handle, 'file');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function write(mebibytes: number): Promise<void> {
    for (let n = 0; n < mebibytes; n++) await file.write(n * mib, Buffer.alloc(mib, n));
  }

  it('goes to the disk while it is written, one time after the other, and is closed after the last of them', async () => {
    const order: string[] = [];
    const held: (() => void)[] = [];
    const datasync = handle.datasync.bind(handle);
    handle.datasync = async () => {
      order.push('begin');
      await new Promise<void>((resolve) => held.push(resolve));
      await datasync();
      order.push('end');
    };
    await write(100);
    assert.deepEqual(order, ['begin']);
    const closed = file.close().then(() => order.push('closed'));
    held.forEach((go) => go());
    await closed;
    assert.deepEqual(order, ['begin', 'end', 'closed']);
  });

  it('says at the end what went wrong on the way, which the system tells once', async () => {
    const broken = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
    handle.datasync = () => Promise.reject(broken);
    await write(33);
    await assert.rejects(file.flush(), (error) => faultOf(error).facts['operation'] === 'flush');
    await file.close();
  });
});
