import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { after, before, describe, it } from 'mocha';
import type { JsonObject } from '../../../src/agentkit/index.ts';
import { FileToolScene } from './fileToolScene.ts';

const notShown = /was not there when the decision was made/;

/** Somebody else changes the host while a person reads what the assistant wants to do. */
describe('a decision about files of a real host covers only what was shown', function () {
  this.timeout(120_000);
  let scene: FileToolScene;

  before(async () => {
    scene = await FileToolScene.open();
  });
  after(() => scene.close());

  const at = (name: string): string => scene.path(name);
  const makeOpen = (name: string): void => {
    mkdirSync(at(name));
    chmodSync(at(name), 0o777);
  };

  /** The sentence of a call whose decision comes after `meanwhile`. */
  const decidedAfter = async (tool: string, args: JsonObject, meanwhile: () => void): Promise<string> => {
    const session = await scene.begin(tool, args, { mode: 'ask' });
    await scene.window.approval();
    meanwhile();
    await scene.window.decide('approve');
    return scene.sentence(session);
  };

  for (const [tool, args] of [
    ['sftp_delete', { kind: 'directory' }],
    ['sftp_chmod', { mode: '0700' }],
  ] as const)
    it(`${tool} leaves a directory alone that holds more by then`, async () => {
      const name = `tree-${tool}`;
      makeOpen(name);
      writeFileSync(at(`${name}/old`), 'old');
      const sentence = await decidedAfter(tool, { path: at(name), recursive: true, ...args }, () => {
        writeFileSync(at(`${name}/new`), 'new');
      });
      assert.match(sentence, notShown);
      assert.deepEqual(
        [readFileSync(at(`${name}/old`), 'utf8'), readFileSync(at(`${name}/new`), 'utf8')],
        ['old', 'new'],
      );
      assert.equal(statSync(at(name)).mode & 0o777, 0o777);
    });

  it('sftp_copy copies nothing that came by then', async () => {
    makeOpen('copied');
    makeOpen('copies');
    writeFileSync(at('copied/old'), 'old');
    const args = { from: at('copied'), to: at('copies/copied'), recursive: true };
    assert.match(
      await decidedAfter('sftp_copy', args, () => {
        writeFileSync(at('copied/new'), 'new');
      }),
      notShown,
    );
    assert.equal(existsSync(at('copies/copied')), false);
  });

  for (const tool of ['sftp_move', 'sftp_copy'])
    it(`${tool} does not replace a file that came by then`, async () => {
      const name = `over-${tool}`;
      makeOpen(name);
      writeFileSync(at(`${name}/a`), 'a');
      chmodSync(at(`${name}/a`), 0o666);
      const args = { from: at(`${name}/a`), to: at(`${name}/b`), overwrite: true };
      const sentence = await decidedAfter(tool, args, () => {
        writeFileSync(at(`${name}/b`), 'theirs');
        chmodSync(at(`${name}/b`), 0o666);
      });
      assert.match(sentence, notShown);
      assert.deepEqual(
        [readFileSync(at(`${name}/a`), 'utf8'), readFileSync(at(`${name}/b`), 'utf8')],
        ['a', 'theirs'],
      );
    });

  it('sftp_write leaves a file alone that was too large to be compared and has changed by then', async () => {
    makeOpen('large');
    const file = at('large/file');
    writeFileSync(file, '');
    truncateSync(file, 9 * 1_024 * 1_024);
    chmodSync(file, 0o666);
    const sentence = await decidedAfter('sftp_write', { path: file, content: 'short' }, () => {
      truncateSync(file, 10 * 1_024 * 1_024);
    });
    assert.match(sentence, /is another file than it was when the decision was made/);
    assert.equal(statSync(file).size, 10 * 1_024 * 1_024);
  });
});
