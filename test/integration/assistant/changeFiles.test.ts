import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { after, before, describe, it } from 'mocha';
import type { JsonObject } from '../../../src/agentkit/index.ts';
import { linkedRecord } from '../../../src/application/vault/linkedRecord.ts';
import { parseHostId } from '../../../src/domain/host/hostId.ts';
import { canCreateAccounts } from '../../lab/account.ts';
import { skipBecause } from '../../skip.ts';
import { FileToolScene } from './fileToolScene.ts';
import { resultsOf, textOf, unwrapped } from './labWindow.ts';

/** Whether the account of the host is root, because the lab cannot make another. */
function isAllPowerful(): boolean {
  return process.getuid?.() === 0 && !canCreateAccounts();
}

describe('what the assistant changes in the files of a real host', function () {
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
  const modeOf = (name: string): string => (statSync(at(name)).mode & 0o7777).toString(8);
  /** A folder that the account of the host may change. */
  const makeOpen = (name: string): void => {
    mkdirSync(at(name));
    chmodSync(at(name), 0o777);
  };

  it('a directory is made once a person has seen what and where', async () => {
    const session = await scene.begin('sftp_mkdir', { path: at('made'), mode: '0750' }, { mode: 'ask' });
    const { request } = await scene.window.approval();
    assert.equal(existsSync(at('made')), false);
    assert.deepEqual(
      {
        action: request.subject.action,
        target: request.subject.target,
        details: request.subject.details.slice(1),
        reasons: request.reasons,
        alwaysAskUser: request.alwaysAskUser,
        canGrant: request.canGrant,
      },
      {
        action: `Make directory ${at('made')}`,
        target: 'lab',
        details: [{ label: 'Mode', value: '0750' }],
        reasons: ['It makes a directory on the host.'],
        alwaysAskUser: false,
        canGrant: true,
      },
    );
    await scene.window.decide('approve');
    assert.deepEqual(await scene.result(session), {
      host: host(),
      path: at('made'),
      created: true,
      mode: '0750',
    });
    assert.equal(modeOf('made'), '750');
  });

  it('parents are made only when asked for, and a directory that is there is no failure then', async () => {
    assert.match(
      await failure('sftp_mkdir', { path: at('p/q/r') }),
      /parent directory of .*p\/q\/r does not exist/,
    );
    const made = await call('sftp_mkdir', { path: at('p/q/r'), parents: true });
    const again = await call('sftp_mkdir', { path: at('p/q/r'), parents: true });
    assert.deepEqual([made['created'], again['created'], existsSync(at('p/q/r'))], [true, false, true]);
    assert.match(await failure('sftp_mkdir', { path: at('p/q/r') }), /exists already/);
    writeFileSync(at('plain'), '');
    assert.match(await failure('sftp_mkdir', { path: at('plain/x'), parents: true }), /is not a directory/);
  });

  it('a move replaces a file only when asked for, and never a directory', async () => {
    makeOpen('moves');
    for (const name of ['a', 'b']) writeFileSync(at(`moves/${name}`), name);
    mkdirSync(at('moves/d'));
    const move = { from: at('moves/a'), to: at('moves/b') };
    assert.match(await failure('sftp_move', move), /moves\/b exists already/);
    assert.deepEqual(await call('sftp_move', { ...move, overwrite: true }), {
      host: host(),
      ...move,
      kind: 'file',
      overwritten: true,
    });
    assert.deepEqual([existsSync(at('moves/a')), readFileSync(at('moves/b'), 'utf8')], [false, 'a']);
    for (const [args, sentence] of [
      [
        { from: at('moves/b'), to: at('moves/d'), overwrite: true },
        /is a directory, which is never overwritten/,
      ],
      [{ from: at('moves/b'), to: at('moves/b') }, /Source and target are the same/],
      [{ from: at('moves/d'), to: at('moves/d/e') }, /target lies inside the source/],
      [{ from: at('moves/none'), to: at('moves/x') }, /moves\/none does not exist/],
    ] as const)
      assert.match(await failure('sftp_move', args), sentence);
  });

  it('what the account may not do is said to be denied', async function () {
    if (isAllPowerful()) skipBecause(this, 'the account of the host may do everything');
    assert.match(await failure('sftp_mkdir', { path: '/etc/termind-new' }), /may not do this/);
  });

  it('what is on another file system is not moved, and the sentence names the way', async function () {
    const shared = statSync('/dev/shm', { throwIfNoEntry: false });
    if (shared === undefined || shared.dev === statSync(scene.folder.path).dev)
      return skipBecause(this, 'there is no other file system');
    makeOpen('far');
    writeFileSync(at('far/a'), 'a');
    const to = `/dev/shm/termind-${String(process.pid)}-moved`;
    assert.match(await failure('sftp_move', { from: at('far/a'), to }), /another file system.*Use sftp_copy/);
    assert.equal(existsSync(at('far/a')), true);
  });

  it('modes of a whole directory are set without following links, and the card counts the entries', async () => {
    const made = await call('sftp_mkdir', { path: at('tree/sub'), parents: true });
    assert.equal(made['created'], true);
    const copied = await scene.begin('ssh_exec_run', {
      command: `cd ${at('tree')} && echo x > sub/file && ln -s ${at('outside')} sub/link`,
    });
    await scene.result(copied);
    writeFileSync(at('outside'), '', { mode: 0o644 });
    const session = await scene.begin(
      'sftp_chmod',
      { path: at('tree'), mode: '0700', recursive: true },
      { mode: 'ask' },
    );
    const { request } = await scene.window.decide('approve');
    assert.deepEqual(request.reasons, ['It changes the permissions of 3 entries on the host.']);
    assert.equal(request.canGrant, false);
    const result = await scene.result(session);
    assert.ok(typeof result !== 'string');
    assert.deepEqual([result['mode'], result['changed']], ['0700', 3]);
    assert.deepEqual([modeOf('tree'), modeOf('outside')], ['700', '644']);
  });

  it('a directory goes with everything in it only when asked for, and links are not followed', async () => {
    makeOpen('outer');
    writeFileSync(at('outer/kept'), '');
    const made = await scene.begin('ssh_exec_run', {
      command: `mkdir -p ${at('gone/sub')} && touch ${at('gone/sub/f')} && ln -s ${at('outer')} ${at('gone/link')}`,
    });
    await scene.result(made);
    const target = { path: at('gone'), kind: 'directory' };
    assert.match(await failure('sftp_delete', target), /is not empty/);
    assert.match(await failure('sftp_delete', { ...target, kind: 'file' }), /is a directory, not a file/);
    assert.match(
      await failure('sftp_delete', { path: at('gone/link'), kind: 'directory' }),
      /is a symlink, not a directory/,
    );
    const session = await scene.begin('sftp_delete', { ...target, recursive: true }, { mode: 'ask' });
    const { request } = await scene.window.decide('approve');
    assert.deepEqual(request.reasons, ['It deletes 4 entries on the host for good.']);
    assert.deepEqual(await scene.result(session), {
      host: host(),
      ...target,
      deleted: 4,
      method: 'permanent',
    });
    assert.deepEqual([existsSync(at('gone')), existsSync(at('outer/kept'))], [false, true]);
  });

  it('deleted files go to the trash of the host when the person has set so, and the card says where', async function () {
    if (!canCreateAccounts()) skipBecause(this, "the home directory of the host would be somebody's own");
    const trashing = await FileToolScene.open({ deleteMode: 'trash' });
    try {
      const made = await trashing.begin('ssh_exec_run', {
        command: 'mkdir -p doomed/sub && echo kept > doomed/sub/f && pwd',
      });
      const home = textOf(unwrapped(resultsOf(await trashing.settled(made)).at(-1) ?? ''), 'output').trim();
      const target = { path: `${home}/doomed`, kind: 'directory' };
      assert.match(await trashing.failure('sftp_delete', target), /is not empty/);
      const session = await trashing.begin('sftp_delete', { ...target, recursive: true }, { mode: 'ask' });
      const { request } = await trashing.window.decide('approve');
      assert.deepEqual(request.reasons, ['It moves 3 entries to the trash of the host.']);
      assert.deepEqual(request.subject.details.at(-1), { label: 'Goes to', value: `${home}/.termind-trash` });
      assert.deepEqual((await trashing.object(session))['method'], 'trash');
      const found = await trashing.begin('ssh_exec_run', {
        command: 'cat .termind-trash/*/doomed/sub/f && test ! -e doomed && echo gone',
      });
      const shown = unwrapped(resultsOf(await trashing.settled(found)).at(-1) ?? '');
      assert.match(textOf(shown, 'output'), /^kept\ngone$/m);

      const gone = { path: `${home}/.termind-trash`, kind: 'directory', recursive: true };
      assert.equal((await trashing.call('sftp_delete', gone))['method'], 'permanent');
    } finally {
      await trashing.close();
    }
  });

  it('files are copied with their mode, links as links, and directories only when asked for', async () => {
    const made = await scene.begin('ssh_exec_run', {
      command: `mkdir -p ${at('src/sub')} && head -c 400000 /dev/zero > ${at('src/sub/big')} && echo small > ${at('src/small')} && ln -s nowhere ${at('src/link')} && chmod 640 ${at('src/small')} && chmod 550 ${at('src/sub')}`,
    });
    await scene.result(made);
    const copied = await call('sftp_copy', { from: at('src'), to: at('dst'), recursive: true });
    const { method, ...rest } = copied;
    assert.deepEqual(rest, {
      host: host(),
      from: at('src'),
      to: at('dst'),
      kind: 'directory',
      files: 3,
      bytes: 400_006,
      overwritten: false,
    });
    assert.match(JSON.stringify(method), /"(server|stream)"/);
    assert.deepEqual(readFileSync(at('dst/sub/big')), readFileSync(at('src/sub/big')));
    assert.deepEqual(
      [modeOf('dst/small'), modeOf('dst/sub'), readlinkSync(at('dst/link'))],
      ['640', '550', 'nowhere'],
    );

    const one = { from: at('src/small'), to: at('dst/sub-copy') };
    assert.equal((await call('sftp_copy', one))['overwritten'], false);
    assert.match(await failure('sftp_copy', one), /exists already/);
    assert.equal((await call('sftp_copy', { ...one, overwrite: true }))['overwritten'], true);
    assert.deepEqual(
      readdirSync(at('dst')).filter((name) => name.endsWith('.part')),
      [],
    );
    for (const [args, sentence] of [
      [{ from: at('src'), to: at('other') }, /is a directory; that needs recursive/],
      [{ from: at('src'), to: at('src/in'), recursive: true }, /target lies inside the source/],
      [
        { from: at('src/small'), to: at('dst'), overwrite: true },
        /is a directory, which is never overwritten/,
      ],
      [{ from: '/dev/null', to: at('null') }, /neither a file nor a directory nor a link/],
    ] as const)
      assert.match(await failure('sftp_copy', args), sentence);
    for (const path of [at('src'), at('dst')])
      await call('sftp_chmod', { path, mode: '0755', recursive: true });
  });

  it('a copy that ends part-way says how much there is', async function () {
    if (isAllPowerful()) skipBecause(this, 'the account of the host may read everything');
    const made = await scene.begin('ssh_exec_run', {
      command: `mkdir ${at('half')} && echo a > ${at('half/a')} && echo b > ${at('half/b')}`,
    });
    await scene.result(made);
    writeFileSync(at('half/secret'), 'x', { mode: 0o000 });
    assert.match(
      await failure('sftp_copy', { from: at('half'), to: at('half2'), recursive: true }),
      /may not do this.* of 4 entries were copied before that\./,
    );
    assert.equal(existsSync(at('half/a')), true);
  });

  it('the root, what stands in it and the home directory are never deleted, under any name', async () => {
    symlinkSync('/', at('root'));
    const where = await scene.begin('ssh_exec_run', { command: 'pwd' });
    const home = textOf(unwrapped(resultsOf(await scene.settled(where)).at(-1) ?? ''), 'output').trim();
    for (const path of ['/etc', '/tmp', `${at('root')}/etc`, home])
      assert.match(await failure('sftp_delete', { path, kind: 'directory' }), /is never deleted/, path);
  });

  it('a path that leads to trusted files over a link asks the person, whoever else could decide', async () => {
    makeOpen('.ssh');
    symlinkSync(at('.ssh'), at('innocent'));
    const session = await scene.begin('sftp_mkdir', { path: at('innocent/new') }, { mode: 'review' });
    const { request } = await scene.window.decide('deny');
    assert.deepEqual([request.alwaysAskUser, request.canGrant], [true, false]);
    assert.match(request.reasons[1] ?? '', /\.ssh\/new", which decides who may log in/);
    assert.deepEqual(request.subject.details.at(-1), { label: 'Behind links', value: at('.ssh/new') });
    assert.match(await scene.sentence(session), /denied/);
    assert.equal(existsSync(at('.ssh/new')), false);
  });

  it('a link that leads somewhere else when the decision comes keeps the call from running', async () => {
    makeOpen('first');
    makeOpen('second');
    symlinkSync(at('first'), at('way'));
    const session = await scene.begin('sftp_mkdir', { path: at('way/new') }, { mode: 'ask' });
    await scene.window.approval();
    symlinkSync(at('second'), at('other'));
    renameSync(at('other'), at('way'));
    await scene.window.decide('approve');
    assert.match(await scene.sentence(session), /is another file than it was when the decision was made/);
    assert.deepEqual([existsSync(at('first/new')), existsSync(at('second/new'))], [false, false]);
  });

  it('what is allowed for the conversation covers the same change only', async () => {
    makeOpen('granted');
    const change = { path: at('granted'), mode: '0755' };
    const session = await scene.begin('sftp_chmod', change, { mode: 'ask' });
    const { request } = await scene.window.approval();
    scene.window.services.assistant.approvals.settle({
      approvalId: request.id,
      shownDigest: request.digest,
      verdict: 'approveForConversation',
    });
    await scene.result(session);
    await scene.begin('sftp_chmod', change, { mode: 'ask', session });
    await scene.window.settled(session);
    assert.deepEqual(scene.window.services.assistant.approvals.waiting, []);
    await scene.begin('sftp_chmod', { ...change, mode: '0700' }, { mode: 'ask', session });
    await scene.window.decide('deny');
    await scene.window.settled(session);
  });

  it('while planning nothing is changed', async () => {
    const session = await scene.begin('sftp_mkdir', { path: at('planned') }, { mode: 'ask', planning: true });
    assert.match(await scene.sentence(session), /While planning/);
    assert.equal(existsSync(at('planned')), false);
  });

  it('a production host is read and not changed', async () => {
    const id = parseHostId(scene.host);
    const { hosts, hostStore } = scene.window.services;
    const listing = id && (await hosts.get(id));
    assert.ok(listing);
    await hostStore.put({ ...linkedRecord(listing), tier: 'prod' });
    assert.match(await failure('sftp_mkdir', { path: at('prod') }), /is a production host and read-only/);
    assert.equal(existsSync(at('prod')), false);
    assert.equal((await call('sftp_stat', { path: scene.folder.path }))['kind'], 'directory');
  });
});
