import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { hasCode } from '../../../src/domain/fault.ts';
import { DiskFile } from '../../../src/infrastructure/files/localFile.ts';

/** What makes a file go to the disk while it is written. */
const large = Buffer.alloc(32 * 1024 * 1024);

describe('a file of this machine that is to be on the disk', () => {
  let folder: string;
  let handle: FileHandle;
  let file: DiskFile;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'termind-flushed-'));
    handle = await fs.open(path.join(folder, 'file'), 'wx+');
    file = new DiskFile(handle, 'file');
  });
  afterEach(async () => {
    await file.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const failing = (code: string) => (): Promise<void> =>
    Promise.reject(Object.assign(new Error(code), { code }));

  for (const code of ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EPERM'])
    it(`may be there or not where the file system has no such call: ${code}`, async () => {
      handle.sync = failing(code);
      await file.write(0, Buffer.from('content'));
      assert.equal(await file.flush(), false);
    });

  for (const [code, fault] of [
    ['ENOSPC', 'no-space'],
    ['EDQUOT', 'quota'],
    ['EIO', 'file-failed'],
  ] as const) {
    it(`fails when the disk does not take it: ${code}`, async () => {
      handle.sync = failing(code);
      await file.write(0, Buffer.from('content'));
      await assert.rejects(file.flush(), (error) => hasCode(error, fault));
    });

    it(`fails when the disk did not take it while it was written: ${code}`, async () => {
      handle.datasync = failing(code);
      await file.write(0, large);
      await assert.rejects(file.flush(), (error) => hasCode(error, fault));
    });
  }
});
