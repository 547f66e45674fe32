import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { blockBytes } from '../../../src/domain/transfer/transferJournal.ts';
import { patterned } from '../sftp/sftpBench.ts';
import { digest, never, TransferBench } from './transferBench.ts';

const program = fileURLToPath(new URL('./killedProcess.ts', import.meta.url));

describe('a download whose process is killed', () => {
  let bench: TransferBench;
  beforeEach(() => (bench = new TransferBench()));
  afterEach(() => bench.dispose());

  it('leaves no target and a journal, and goes on from there', async () => {
    const content = patterned(8 * blockBytes + 5);
    const remote = path.join(bench.remote, 'file');
    writeFileSync(remote, content);
    const child = spawn(process.execPath, [program, remote, bench.local, bench.journals, bench.host], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    try {
      const saved = once(child.stdout, 'data').then(() => 'saved');
      assert.equal(await Promise.race([saved, closed.then(() => 'it ended by itself')]), 'saved');
      assert.deepEqual(
        readdirSync(bench.local).map((name) => name.endsWith('.part')),
        [true],
      );
    } finally {
      child.kill('SIGKILL');
      await closed;
    }
    const outcome = await bench.engine.file(
      { from: bench.there('file'), to: bench.here('file'), existing: 'skip' },
      never,
    );
    assert.ok(outcome.resumedBytes >= 2 * blockBytes);
    assert.deepEqual([readdirSync(bench.local), readdirSync(bench.journals)], [['file'], []]);
    assert.equal(digest(readFileSync(path.join(bench.local, 'file'))), digest(content));
  });
});
