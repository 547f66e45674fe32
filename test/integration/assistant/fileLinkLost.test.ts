import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { startFaultProxy, type FaultProxy } from '../../lab/faultProxy.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { FileToolScene } from './fileToolScene.ts';

/** Slow enough that what is seen in a folder happens in the middle of a call. */
const slow = { bytesPerSecond: 6_000 } as const;

describe('a link that is cut while the assistant changes files', function () {
  this.timeout(180_000);
  let scene: FileToolScene;
  let proxy: FaultProxy | undefined;

  beforeEach(async () => {
    scene = await FileToolScene.open({
      through: async (port) => {
        proxy = await startFaultProxy({ port });
        return proxy.port;
      },
    });
  });
  afterEach(async () => {
    scene.window.close();
    await proxy?.stop();
    await scene.close();
  });

  /** Resolves when the folder holds what is looked for, now or later. */
  async function seen(folder: string, isThere: (names: readonly string[]) => boolean): Promise<void> {
    const watcher = watch(folder);
    try {
      const found = new Promise<void>((resolve) => {
        const look = (): void => {
          if (isThere(readdirSync(folder))) resolve();
        };
        watcher.on('change', look);
        look();
      });
      await withinDeadline('the change in the folder', found, 60_000);
    } finally {
      watcher.close();
    }
  }

  it('says that the outcome is unknown and how much was done, and repeats nothing', async () => {
    const folder = scene.path('doomed');
    mkdirSync(folder);
    for (let n = 0; n < 200; n++) writeFileSync(`${folder}/${String(n)}`, '');
    chmodSync(folder, 0o777);
    const session = await scene.begin(
      'sftp_delete',
      { path: folder, kind: 'directory', recursive: true },
      { mode: 'ask' },
    );
    await scene.window.approval();
    const begun = seen(folder, (names) => names.length < 200);
    proxy?.set(slow);
    await scene.window.decide('approve');
    await begun;
    proxy?.cutAll('reset');
    proxy?.set({});
    assert.match(
      await scene.sentence(session),
      /The outcome is unknown: .* \d+ of 201 entries were deleted before that\./,
    );
    assert.ok(readdirSync(folder).length > 0, 'the rest is still there');
    assert.equal((await scene.call('sftp_stat', { path: folder }))['kind'], 'directory');
  });

  it('leaves a file whole that is being written, and finishes over a new link', async () => {
    const folder = scene.path('saved');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    await scene.call('sftp_write', { path: `${folder}/file`, content: 'old\n' });
    const content = 'new line\n'.repeat(12_000);
    const session = await scene.begin('sftp_write', { path: `${folder}/file`, content }, { mode: 'ask' });
    await scene.window.approval();
    const begun = seen(folder, (names) => names.some((name) => name.endsWith('.part')));
    proxy?.set(slow);
    await scene.window.decide('approve');
    await begun;
    assert.equal(readFileSync(`${folder}/file`, 'utf8'), 'old\n');
    proxy?.cutAll('reset');
    proxy?.set({});
    const result = await scene.object(session);
    assert.equal(result['created'], false);
    assert.equal(readFileSync(`${folder}/file`, 'utf8'), content);
    assert.deepEqual(readdirSync(folder), ['file']);
  });
});
