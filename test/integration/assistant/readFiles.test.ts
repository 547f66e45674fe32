import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'mocha';
import type { JsonObject } from '../../../src/agentkit/index.ts';
import { FileToolScene, without } from './fileToolScene.ts';
import { textOf } from './labWindow.ts';

describe('what the assistant reads of the files of a real host', function () {
  this.timeout(120_000);
  let scene: FileToolScene;

  before(async () => {
    scene = await FileToolScene.open();
  });
  after(() => scene.close());

  const call = (tool: string, args: JsonObject) => scene.call(tool, args);
  const failure = (tool: string, args: JsonObject) => scene.failure(tool, args);
  const at = (name: string): string => scene.path(name);
  const host = (): JsonObject => ({ host_id: scene.host, label: 'lab' });

  it('a directory is listed by bytes, page after page, with hidden names and safe ones', async () => {
    mkdirSync(at('list'));
    for (const name of ['b', '.hidden', 'a\u001b[31m'])
      writeFileSync(at(`list/${name}`), 'xyz', { mode: 0o640 });
    writeFileSync(Buffer.concat([Buffer.from(`${at('list')}/z`), Buffer.from([0xe9])]), '');
    symlinkSync('b', at('list/link'));
    for (const name of ['b', '.hidden']) chmodSync(at(`list/${name}`), 0o640);

    const first = await call('sftp_list', { path: at('list'), limit: 3 });
    const shown = (result: JsonObject): unknown[] =>
      (result['entries'] as readonly JsonObject[]).map(({ name, kind, name_escaped: escaped }) => [
        name,
        kind,
        escaped ?? false,
      ]);
    assert.deepEqual(shown(first), [
      ['.hidden', 'file', false],
      ['a\\x1b[31m', 'file', true],
      ['b', 'file', false],
    ]);
    const [hidden] = first['entries'] as readonly JsonObject[];
    const { uid, gid, mtime } = statSync(at('list/.hidden'));
    assert.deepEqual(hidden, {
      name: '.hidden',
      kind: 'file',
      size: 3,
      mode: '0640',
      modified_at: new Date(Math.floor(mtime.getTime() / 1_000) * 1_000).toISOString(),
      uid,
      gid,
    });
    assert.deepEqual([first['host'], first['total_lines'], first['truncated']], [host(), 5, true]);

    const second = await call('sftp_list', { path: at('list'), limit: 3, cursor: first['cursor'] ?? '' });
    assert.deepEqual(shown(second), [
      ['link', 'symlink', false],
      ['z\\xE9', 'file', true],
    ]);
    assert.equal(second['cursor'], null);
    assert.match(
      await failure('sftp_list', { path: scene.folder.path, cursor: first['cursor'] ?? '' }),
      /cursor is not of this directory/,
    );
  });

  it('one path is described, and a link only itself when that is asked for', async () => {
    writeFileSync(at('target'), '12345');
    chmodSync(at('target'), 0o600);
    symlinkSync('target', at('pointer'));
    const followed = await call('sftp_stat', { path: at('pointer') });
    assert.deepEqual(without(followed, 'accessed_at', 'modified_at', 'owner', 'group', 'uid', 'gid'), {
      host: host(),
      path: at('pointer'),
      real_path: at('target'),
      kind: 'file',
      size: 5,
      mode: '0600',
      link_target: 'target',
    });
    const itself = await call('sftp_stat', { path: at('pointer'), follow: false });
    assert.deepEqual([itself['kind'], itself['link_target']], ['symlink', 'target']);
    assert.match(await failure('sftp_stat', { path: at('nowhere') }), /nowhere does not exist/);
  });

  it('lines of a text are read from an offset, with LF only, and the total once the end is seen', async () => {
    writeFileSync(at('text'), '\ufeffone\r\ntwo\r\nthree\r\n');
    const page = await call('sftp_read', { path: at('text'), offset: 2, limit: 1 });
    assert.deepEqual(without(page, 'modified_at'), {
      host: host(),
      path: at('text'),
      content: 'two\n',
      offset: 2,
      next_offset: 3,
      size: statSync(at('text')).size,
      line_ending: 'crlf',
      returned_lines: 1,
      total_lines: null,
      truncated: true,
      marker: '[Showing lines 2-2]',
    });
    const rest = await call('sftp_read', { path: at('text'), offset: 3 });
    assert.deepEqual([rest['content'], rest['total_lines'], rest['next_offset']], ['three\n', 3, null]);
    assert.match(
      await failure('sftp_read', { path: at('text'), offset: 4 }),
      /offset 4 is past the end of .*, which has 3 lines/,
    );
  });

  it('an empty file has no lines, a file of /proc is read to its real end', async () => {
    writeFileSync(at('empty'), '');
    const empty = await call('sftp_read', { path: at('empty') });
    assert.deepEqual([empty['content'], empty['total_lines'], empty['next_offset']], ['', 0, null]);
    const proc = await call('sftp_read', { path: '/proc/self/status' });
    assert.match(textOf(proc, 'content'), /^Name:\t/);
    assert.equal(proc['size'], 0);
  });

  it('a line that can never be shown is named and skipped', async () => {
    writeFileSync(at('wide'), `${'x'.repeat(100_000)}\nafter\n`);
    const page = await call('sftp_read', { path: at('wide') });
    assert.deepEqual(
      [page['content'], page['skipped_line'], page['next_offset']],
      ['', { line: 1, bytes: 100_000 }, 2],
    );
    const behind = await call('sftp_read', { path: at('wide'), offset: 2 });
    assert.equal(behind['content'], 'after\n');
  });

  it('bytes, directories and pipes are no text', async () => {
    writeFileSync(at('bytes'), Buffer.from([0x41, 0xff, 0x42]));
    assert.match(await failure('sftp_read', { path: at('bytes') }), /not UTF-8 text.*scratch_pull/);
    assert.match(await failure('sftp_read', { path: '/' }), /is a directory/);
    assert.match(await failure('sftp_read', { path: '/dev/null' }), /not a regular file/);
  });

  it('a secret is hidden on every page, also where its first line is on another one', async () => {
    const key = ['-----BEGIN PRIVATE KEY-----', 'Q0FOQVJZ'.repeat(8), '-----END PRIVATE KEY-----'];
    writeFileSync(at('secret'), ['password=hunter2-canary', ...key, 'end', ''].join('\n'));
    const whole = await call('sftp_read', { path: at('secret') });
    const page = await call('sftp_read', { path: at('secret'), offset: 3, limit: 1 });
    assert.doesNotMatch(JSON.stringify([whole, page]), /hunter2|Q0FOQVJZ/);
    assert.match(JSON.stringify(page), /\[redacted\]/);
    const sent = JSON.stringify(scene.model.requests.map(({ raw }) => raw));
    assert.doesNotMatch(sent, /hunter2|Q0FOQVJZ/);
  });

  it('a path is absolute and normal, and unknown hosts are said to be so', async () => {
    assert.match(await failure('sftp_list', { path: 'etc' }), /must be an absolute path/);
    assert.match(await failure('sftp_list', { path: '/etc/../root' }), /must be an absolute path/);
    assert.match(await failure('sftp_stat', { host_id: 'x', path: '/' }), /There is no host with this id/);
    assert.match(await failure('sftp_list', { path: '/dev/null' }), /is not a directory/);
  });
});
