import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import type * as Cache from '../../../scripts/setup/cache.mjs';

describe('the cache of toolchains and editors', () => {
  let folder = '';
  let cache: typeof Cache;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'termind-cache-'));
    const before = process.env['TERMIND_CACHE'];
    process.env['TERMIND_CACHE'] = folder;
    cache = await import('../../../scripts/setup/cache.mjs');
    if (before === undefined) delete process.env['TERMIND_CACHE'];
    else process.env['TERMIND_CACHE'] = before;
  });

  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('builds once for two that ask at the same time', async () => {
    let builds = 0;
    const build = async (draft: string) => {
      builds++;
      writeFileSync(path.join(draft, 'tool'), 'whole');
    };
    const [first, second] = await Promise.all([cache.cached('once', build), cache.cached('once', build)]);
    assert.deepEqual([first, second, builds], [path.join(folder, 'once'), path.join(folder, 'once'), 1]);
  });

  it('leaves nothing behind when a build fails, and builds again when asked again', async () => {
    const failing = cache.cached('flaky', async (draft) => {
      writeFileSync(path.join(draft, 'half'), '');
      throw new Error('the registry went away');
    });
    await assert.rejects(failing, /the registry went away/);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('flaky')),
      [],
    );
    const built = await cache.cached('flaky', async (draft) => writeFileSync(path.join(draft, 'whole'), ''));
    assert.deepEqual(readdirSync(built), ['whole']);
  });

  it('takes over the lock of a process that is dead', async () => {
    const dead = spawnSync(process.execPath, ['-e', '0']).pid;
    const lock = path.join(folder, 'work.lock');
    writeFileSync(lock, String(dead));
    assert.equal(await cache.withLock(lock, async () => 'done'), 'done');
    assert.equal(existsSync(lock), false);
  });

  it('names the folder that it cannot write to and the way out', async () => {
    const file = path.join(folder, 'a file');
    writeFileSync(file, '');
    await assert.rejects(
      cache.withLock(path.join(file, 'inside', 'x.lock'), async () => undefined),
      { name: 'SetupFault', remedy: 'set TERMIND_CACHE to one that you may write to' },
    );
  });
});
