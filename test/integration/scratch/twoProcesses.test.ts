import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { bytes, scratchFolder, signal, type ScratchFolder } from './scratchFolder.ts';

const hammer = path.join(import.meta.dirname, 'hammer.ts');

describe('scratch used by several processes', function () {
  this.timeout(240_000);
  let place: ScratchFolder;
  const running = new Set<ChildProcess>();

  beforeEach(() => (place = scratchFolder()));
  afterEach(async () => {
    for (const child of running) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    place.remove();
  });

  function start(task: string, name: string, count = 0): ChildProcess {
    const args = ['--no-warnings', hammer, task, place.root, name, String(count)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    child.once('close', () => running.delete(child));
    return child;
  }

  async function resultOf(child: ChildProcess): Promise<unknown> {
    let [output, problems] = ['', ''];
    child.stdout?.on('data', (chunk) => (output += String(chunk)));
    child.stderr?.on('data', (chunk) => (problems += String(chunk)));
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 0, problems);
    return JSON.parse(output);
  }

  /** Regular files and their bytes, as the disk has them. */
  function onDisk(folder = place.root): { files: number; bytes: number } {
    const sum = { files: 0, bytes: 0 };
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      sum.files++;
      sum.bytes += statSync(path.join(entry.parentPath, entry.name)).size;
    }
    return sum;
  }

  it('loses none of 10,000 writes of each', async () => {
    await Promise.all([resultOf(start('count', 'one', 10_000)), resultOf(start('count', 'two', 10_000))]);
    const scratch = place.open();
    assert.equal(String(await scratch.read('shared/figure', signal)), '15000');
    for (const name of ['one', 'two'])
      for (const last of [10_000, 9_904, 9_996])
        assert.equal(String(await scratch.read(`${name}/${last % 100}`, signal)), `${name} ${last}`);
    const { bytes: used, files } = await scratch.usage(signal);
    assert.deepEqual({ bytes: used, files }, onDisk());
    assert.deepEqual(readdirSync(place.folder).sort(), ['scratch', 'scratch.tmp', 'scratch.usage']);
    assert.deepEqual(JSON.parse(readFileSync(`${place.root}.usage`, 'utf8')), { bytes: used, files });
  }).timeout(600_000);

  for (const [what, size, total, code] of [
    ['the 512 files', 10, { files: 512, bytes: 5_120 }, 'scratchQuotaEntries'],
    ['the 64 MiB', 262_144, { files: 256, bytes: 67_108_864 }, 'scratchQuotaBytes'],
  ] as const)
    it(`shares ${what} to the last`, async () => {
      const results = await Promise.all([
        resultOf(start('fill', 'one', size)),
        resultOf(start('fill', 'two', size)),
      ]);
      assert.deepEqual(onDisk(), total);
      const made = results.map((result) => (result as { made: number }).made);
      assert.equal((made[0] ?? 0) + (made[1] ?? 0), total.files);
      assert.ok(results.every((result) => (result as { code: string }).code === code));
    });

  it('replaces an owner that was killed while it held the lock', async () => {
    const child = start('hold', 'one');
    if (child.stdout === null) throw new Error('no output');
    await once(child.stdout, 'data');
    const waiting = place.open().write('a', { bytes: bytes('x') }, signal);
    child.kill('SIGKILL');
    await once(child, 'close');
    assert.equal((await waiting).created, true);
  });

  it('stays whole and exactly counted however often a writer is killed', async () => {
    const scratch = place.open();
    for (let round = 0; round < 12; round++) {
      const child = start('forever', 'one');
      if (child.stdout === null) throw new Error('no output');
      await once(child.stdout, 'data');
      for (let own = 0; own <= round; own++)
        await scratch.write(`two/${own}`, { bytes: bytes('z'.repeat(own)) }, signal);
      child.kill('SIGKILL');
      await once(child, 'close');
      const { totals } = await scratch.write('last', { bytes: bytes(String(round)) }, signal);
      assert.deepEqual({ files: totals.files, bytes: totals.bytes }, onDisk());
    }
    for (const name of readdirSync(path.join(place.root, 'one')))
      assert.match(readFileSync(path.join(place.root, 'one', name), 'utf8'), /^([a-z])\1{19999}$/);
    assert.deepEqual(
      readdirSync(place.folder).filter((name) => name.includes('lock')),
      [],
    );
  });
});
