import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { after, before, describe, it } from 'mocha';
import type { JsonObject } from '../../../src/agentkit/index.ts';
import { linkedRecord } from '../../../src/application/vault/linkedRecord.ts';
import { parseHostId } from '../../../src/domain/host/hostId.ts';
import { FileToolScene, without } from './fileToolScene.ts';

const never = new AbortController().signal;
const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

describe('what the assistant writes into files of a real host', function () {
  this.timeout(120_000);
  let scene: FileToolScene;
  let folder: string;

  before(async () => {
    scene = await FileToolScene.open();
    folder = scene.path('w');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
  });
  after(() => scene.close());

  const call = (tool: string, args: JsonObject) => scene.call(tool, args);
  const failure = (tool: string, args: JsonObject) => scene.failure(tool, args);
  const at = (name: string): string => scene.path(`w/${name}`);
  const content = (name: string): string => readFileSync(at(name), 'utf8');
  const host = (): JsonObject => ({ host_id: scene.host, label: 'lab' });
  /** A file that belongs to the account of the host. */
  const own = async (name: string, text: string): Promise<void> => {
    await call('sftp_write', { path: at(name), content: text });
  };

  it('a new file is written once a person has seen its size and digest', async () => {
    const session = await scene.begin(
      'sftp_write',
      { path: at('new'), content: 'one\n', mode: '0600' },
      { mode: 'ask' },
    );
    const { request } = await scene.window.approval();
    assert.equal(existsSync(at('new')), false);
    assert.deepEqual(request.subject.details.slice(1), [
      { label: 'Size', value: '4 bytes' },
      { label: 'SHA-256', value: sha256('one\n') },
      { label: 'There now', value: 'No file.' },
    ]);
    assert.equal(request.contentSha256, sha256('one\n'));
    assert.equal(request.invocation.arguments['content'], 'one\n');
    await scene.window.decide('approve');
    assert.deepEqual(without(await scene.object(session), 'note'), {
      host: host(),
      path: at('new'),
      created: true,
      bytes: 4,
      sha256: sha256('one\n'),
      mode: '0600',
      method: 'replaced',
    });
    assert.equal(content('new'), 'one\n');
  });

  it('the card of a change shows a diff without secrets, and the file keeps its mode and its link', async () => {
    await own('config', 'port=1\npassword=canary-hunter2\nlast=1\n');
    await call('sftp_chmod', { path: at('config'), mode: '0640' });
    symlinkSync('config', at('link'));
    const session = await scene.begin(
      'sftp_write',
      { path: at('link'), content: 'port=2\npassword=canary-hunter3\nlast=1\n' },
      { mode: 'ask' },
    );
    const { request } = await scene.window.decide('approve');
    const changes = request.subject.details.find(({ label }) => label === 'Changes')?.value ?? '';
    assert.match(changes, /^-port=1\n\+port=2$/m);
    assert.match(changes, /password=\[redacted\]/);
    assert.doesNotMatch(JSON.stringify(request), /canary-hunter/);
    const result = await scene.object(session);
    assert.deepEqual([result['created'], result['mode']], [false, '0640']);
    assert.equal(content('config'), 'port=2\npassword=canary-hunter3\nlast=1\n');
    assert.equal(lstatSync(at('link')).isSymbolicLink(), true);
    assert.equal((statSync(at('config')).mode & 0o777).toString(8), '640');
  });

  it('a file that was changed while the decision was open is left alone', async () => {
    await own('race', 'old\n');
    const session = await scene.begin('sftp_write', { path: at('race'), content: 'new\n' }, { mode: 'ask' });
    await scene.window.approval();
    writeFileSync(at('race'), 'somebody else\n');
    await scene.window.decide('approve');
    assert.match(await scene.sentence(session), /holds another content than expected/);
    assert.equal(content('race'), 'somebody else\n');

    const fresh = await scene.begin('sftp_write', { path: at('fresh'), content: 'new\n' }, { mode: 'ask' });
    await scene.window.approval();
    writeFileSync(at('fresh'), 'somebody else\n');
    await scene.window.decide('approve');
    assert.match(await scene.sentence(fresh), /exists by now, so nothing was written/);
    assert.equal(content('fresh'), 'somebody else\n');
    assert.deepEqual(await scene.window.services.saving.kept(), []);
  });

  it('conditions on what is there are checked before anybody is asked', async () => {
    await own('there', 'there\n');
    const write = { path: at('there'), content: 'x' };
    assert.match(await failure('sftp_write', { ...write, create_only: true }), /exists already/);
    assert.match(
      await failure('sftp_write', { ...write, expected_sha256: sha256('other') }),
      new RegExp(`holds another content than expected \\(SHA-256 ${sha256('there\n')}\\)`),
    );
    assert.match(
      await failure('sftp_write', { path: at('none'), content: 'x', expected_sha256: sha256('') }),
      /does not exist, so its SHA-256 differs/,
    );
    writeFileSync(at('large'), Buffer.alloc(8 * 1_024 * 1_024 + 1));
    assert.match(
      await failure('sftp_write', { path: at('large'), content: 'x', expected_sha256: sha256('') }),
      /is larger than 8388608 bytes/,
    );
    assert.match(await failure('sftp_write', { path: folder, content: 'x' }), /is a directory/);
    assert.match(await failure('sftp_write', { ...write, mode: '8' }), /octal digits/);
    const written = await call('sftp_write', { ...write, expected_sha256: sha256('there\n') });
    assert.equal(written['sha256'], sha256('x'));
  });

  it('the mark of a hidden secret never overwrites the secret', async () => {
    await own('token', 'token=abcdefghijkl\n');
    assert.match(
      await failure('sftp_write', { path: at('token'), content: 'token=[redacted]\n' }),
      /contains \[redacted\].*scratch_pull/,
    );
    assert.equal(content('token'), 'token=abcdefghijkl\n');
    writeFileSync(at('marked'), 'it says [redacted]\n');
    chmodSync(at('marked'), 0o666);
    await call('sftp_write', { path: at('marked'), content: 'still [redacted]\n' });
    assert.equal(content('marked'), 'still [redacted]\n');
  });

  it('writing the same content again changes nothing and says so', async () => {
    await own('same', 'same\n');
    const before = statSync(at('same'));
    const result = await call('sftp_write', { path: at('same'), content: 'same\n' });
    assert.match(JSON.stringify(result['note']), /held this content already/);
    assert.equal(statSync(at('same')).ino, before.ino);
  });

  it('files that configure trust ask the person under every name', async () => {
    mkdirSync(at('.ssh'));
    chmodSync(at('.ssh'), 0o777);
    writeFileSync(at('.ssh/authorized_keys'), '');
    symlinkSync(at('.ssh/authorized_keys'), at('notes'));
    const session = await scene.begin('sftp_write', { path: at('notes'), content: 'x' }, { mode: 'review' });
    const { request } = await scene.window.decide('deny');
    assert.deepEqual([request.alwaysAskUser, request.canGrant], [true, false]);
    assert.match(await scene.sentence(session), /denied/);
    assert.equal(content('.ssh/authorized_keys'), '');
  });

  it('bytes go into scratch and back, and the model never sees them', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 1]);
    writeFileSync(at('bytes'), bytes);
    const pulled = await call('scratch_pull', { remote_path: at('bytes'), scratch_path: 'work/bytes' });
    assert.deepEqual(without(pulled, 'total_bytes'), {
      host: host(),
      remote_path: at('bytes'),
      scratch_path: 'work/bytes',
      bytes: bytes.length,
      sha256: sha256(bytes),
      overwritten: false,
    });
    const pushed = await call('scratch_push', { scratch_path: 'work/bytes', remote_path: at('back') });
    assert.deepEqual(without(pushed, 'note'), {
      host: host(),
      scratch_path: 'work/bytes',
      remote_path: at('back'),
      overwritten: false,
      bytes: bytes.length,
      sha256: sha256(bytes),
      mode: '0644',
      method: 'replaced',
    });
    assert.deepEqual(readFileSync(at('back')), bytes);
  });

  it('what is in scratch already, no file, or too large is not pulled', async () => {
    writeFileSync(at('small'), 'small');
    const pull = { remote_path: at('small'), scratch_path: 'work/small' };
    await call('scratch_pull', pull);
    assert.match(await failure('scratch_pull', pull), /Already exists in scratch: work\/small/);
    assert.equal((await call('scratch_pull', { ...pull, overwrite: true }))['overwritten'], true);
    const fresh = { scratch_path: 'work/fresh' };
    assert.match(await failure('scratch_pull', { ...fresh, remote_path: folder }), /not a regular file/);
    assert.match(await failure('scratch_pull', { ...fresh, remote_path: at('none') }), /does not exist/);
    assert.match(
      await failure('scratch_pull', { remote_path: at('small'), scratch_path: '../x' }),
      /scratch path is refused/,
    );
    writeFileSync(at('huge'), Buffer.alloc(8 * 1_024 * 1_024 + 1));
    assert.match(
      await failure('scratch_pull', { ...fresh, remote_path: at('huge') }),
      /more than 8388608 bytes/,
    );
  });

  it('a scratch file that changes while the decision is open is not pushed', async () => {
    const { scratch } = scene.window.services;
    await scratch.write('work/push', { bytes: Buffer.from('user=me\npassword=canary-push\n') }, never);
    const push = { scratch_path: 'work/push', remote_path: at('pushed') };
    const session = await scene.begin('scratch_push', push, { mode: 'ask' });
    const { request } = await scene.window.approval();
    assert.deepEqual(request.subject.details.slice(1), [
      { label: 'From', value: 'work/push (scratch)' },
      { label: 'Size', value: '29 bytes' },
      { label: 'SHA-256', value: sha256('user=me\npassword=canary-push\n') },
      { label: 'There now', value: 'No file.' },
      { label: 'Content', value: 'user=me\npassword=[redacted]' },
    ]);
    await scratch.write('work/push', { bytes: Buffer.from('something else') }, never);
    await scene.window.decide('approve');
    assert.match(await scene.sentence(session), /was changed after it was shown/);
    assert.equal(existsSync(at('pushed')), false);

    await call('scratch_push', push);
    assert.match(await failure('scratch_push', push), /exists already/);
    assert.match(
      await failure('scratch_push', { ...push, overwrite: true, expected_sha256: sha256('x') }),
      /another content than expected/,
    );
    assert.match(
      await failure('scratch_push', { ...push, scratch_path: 'work/none' }),
      /Not found in scratch: work\/none/,
    );
    assert.equal((await call('scratch_push', { ...push, overwrite: true }))['overwritten'], true);
  });

  it('nothing of a save is left beside the files', () => {
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.part') || name.endsWith('.old')),
      [],
    );
  });

  it('on a raised production host the old content is kept beside the file, and the log names the call', async () => {
    await own('prod', 'old\n');
    const id = parseHostId(scene.host);
    const { hosts, hostStore, assistant, operations } = scene.window.services;
    const listing = id && (await hosts.get(id));
    assert.ok(listing);
    await hostStore.put({ ...linkedRecord(listing), tier: 'prod' });
    const write = { path: at('prod'), content: 'new\n' };
    assert.match(await failure('sftp_write', write), /is a production host and read-only/);

    const session = await assistant.create();
    assistant.raised.raise(session.id, { id: listing.id, label: 'lab' });
    await scene.begin('sftp_write', write, { mode: 'ask', session });
    const { request } = await scene.window.decide('approve');
    assert.deepEqual([request.subject.tier, request.canGrant], ['prod', false]);
    assert.match(JSON.stringify(request.subject.details), /Raised by you for this request/);
    const result = await scene.object(session);
    const backup =
      readdirSync(folder).find((name) => name.startsWith('.prod.') && name.endsWith('.old')) ?? '';
    assert.match(JSON.stringify(result['note']), /What it held before is kept in /);
    assert.ok(JSON.stringify(result['note']).includes(backup));
    assert.deepEqual([content('prod'), content(backup)], ['new\n', 'old\n']);

    await operations.settle();
    const rows = await operations.timeline({ hostId: listing.id, limit: 100 });
    assert.match(JSON.stringify(rows), new RegExp(`"Write ${at('prod')}"`));
  });
});
