import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { after, before, describe, it } from 'mocha';
import type { RemoteFiles } from '../../../src/application/ports/remoteFiles.ts';
import {
  joinPath,
  pathOfText,
  remoteName,
  textOfPath,
  type RemotePath,
} from '../../../src/domain/files/remotePath.ts';
import { Emitter } from '../../../src/agentkit/index.ts';
import { startEquipment, type Equipment } from '../../lab/equipment.ts';
import { withinDeadline } from '../../support/withinDeadline.ts';
import { faultOf, never, targetAt } from '../ssh/sshBench.ts';
import { FilesBench } from './filesBench.ts';
import { listAll, patterned, readAll, SftpFolder, writeAll } from './sftpBench.ts';

/** A host with a shell, whose start-up file prints, and without any program for SFTP. */
function startWithoutSftp(onCommand: (command: string) => void = () => {}): Promise<Equipment> {
  return startEquipment({
    serve: (channel, command) => {
      onCommand(command);
      const line = `echo Welcome; ${command.replaceAll('/sftp-server', '/no-such-program')}`;
      const child = spawn('/bin/sh', ['-c', line], { stdio: 'pipe' });
      channel.pipe(child.stdin.on('error', () => {}));
      child.stdout.pipe(channel, { end: false });
      child.stderr.pipe(channel.stderr, { end: false });
      channel.once('close', () => child.kill('SIGKILL')); // it may wait for something
      child.once('close', (code) => {
        channel.exit(code ?? 255);
        channel.end();
      });
    },
  });
}

describe('SFTP-2: files of a host that has a shell and no SFTP', () => {
  const folder = new SftpFolder();
  let equipment: Equipment;
  let bench: FilesBench;
  let files: RemoteFiles;
  let readOnly: RemoteFiles;
  const closing: (() => void)[] = [];
  before(async () => {
    equipment = await startWithoutSftp();
    bench = await FilesBench.open(targetAt(equipment));
    const first = await bench.service.openTransfer(bench.host, never);
    bench.service.allowWritingByShell(bench.host);
    const second = await bench.service.openTransfer(bench.host, never);
    closing.push(
      () => first.release(),
      () => second.release(),
    );
    [readOnly, files] = [first.files, second.files];
  });
  after(async () => {
    for (const close of closing) close();
    await bench.dispose();
    await equipment.stop();
    folder.dispose();
  });

  const at = (name: string): RemotePath => folder.at(name).remote;

  it('are reached by plain commands, which is remembered', () => {
    assert.deepEqual([files.capabilities.way, bench.facts.files?.way], ['shell', 'shell']);
  });

  it('can only be read until the user allows more', async () => {
    fs.writeFileSync(folder.at('kept').local, 'kept');
    assert.equal((await readAll(readOnly, at('kept'))).toString(), 'kept');
    const commands = equipment.commands.length;
    const changes = [
      readOnly.remove(at('kept'), never),
      readOnly.mkdir(at('new'), undefined, never),
      readOnly.open(at('kept'), { access: 'write', truncate: true }, never),
      readOnly.rename({ from: at('kept'), to: at('other'), replace: true }, never),
    ];
    const faults = await Promise.all(changes.map(faultOf));
    assert.deepEqual(
      [...new Set(faults.map(({ code, outcome }) => `${code} ${outcome}`))],
      ['read-only not-sent'],
    );
    assert.deepEqual([equipment.commands.length, readOnly.capabilities.isReadOnly], [commands, true]);
  });

  for (const length of [0, 1, 1_048_577, 2_500_000])
    it(`gives ${length.toString()} bytes as they are`, async () => {
      fs.writeFileSync(folder.at('bytes').local, patterned(length));
      assert.ok((await readAll(files, at('bytes'))).equals(patterned(length)));
    });

  it('SFTP-4: reads what says that it is empty', async () => {
    const version = pathOfText('/proc/version');
    assert.equal((await readAll(files, version)).toString(), fs.readFileSync('/proc/version', 'utf8'));
  });

  it('writes, also in the middle of a file', async () => {
    await writeAll(files, at('written'), patterned(70_000));
    assert.ok(fs.readFileSync(folder.at('written').local).equals(patterned(70_000)));
    const file = await files.open(at('written'), { access: 'readWrite' }, never);
    await file.write(10, Buffer.from('middle'), never);
    await file.setstat({ size: 20 }, never);
    await file.close(never);
    const expected = patterned(20);
    expected.write('middle', 10);
    assert.ok(fs.readFileSync(folder.at('written').local).equals(expected));
  });

  it('tells what the disk knows, and changes it', async () => {
    fs.writeFileSync(folder.at('mode').local, 'four');
    const times = { accessed: 1_000_000, modified: 2_000_000 };
    await files.setstat(at('mode'), { mode: 0o751, times }, never);
    const { uid, gid } = fs.statSync(folder.at('mode').local);
    assert.deepEqual(await files.stat(at('mode'), never), {
      size: 4,
      mode: 0o100751,
      owner: { uid, gid },
      times,
    });
  });

  it('lists and renames names that would mean something to a shell', async () => {
    const names = ["quo'te", '-rf', 'a\nb', '$(touch pwned)', '*', '..x'];
    await files.mkdir(at('odd'), 0o755, never);
    const inside = (name: string): RemotePath => joinPath(at('odd'), remoteName(Buffer.from(name)));
    for (const name of names) await writeAll(files, inside(name), Buffer.from(name));
    await files.symlink({ at: inside('link'), to: pathOfText('nowhere') }, never);
    const entries = await listAll(files, at('odd'));
    assert.deepEqual(
      entries.map(({ name }) => Buffer.from(name).toString()).sort(),
      [...names, 'link'].sort(),
    );
    assert.equal(entries.find(({ name }) => Buffer.from(name).toString() === 'link')?.kind, 'symlink');
    assert.equal(textOfPath(await files.readlink(inside('link'), never)), './nowhere');
    for (const name of names) {
      assert.equal((await readAll(files, inside(name))).toString(), name);
      await files.rename({ from: inside(name), to: inside('moved'), replace: false }, never);
      await files.remove(inside('moved'), never);
    }
    await files.remove(inside('link'), never);
    await files.rmdir(at('odd'), never);
    assert.deepEqual([fs.existsSync(folder.at('odd').local), fs.existsSync('pwned')], [false, false]);
  });

  it('says why it could not', async () => {
    fs.writeFileSync(folder.at('there').local, 'x');
    fs.mkdirSync(folder.at('full').local);
    fs.writeFileSync(folder.at('full', 'file').local, 'x');
    const rows: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['not-found', () => files.stat(at('missing'), never)],
      ['not-found', () => files.open(at('missing'), { access: 'read' }, never)],
      ['not-found', () => files.remove(at('missing'), never)],
      ['not-found', () => listAll(files, at('missing'))],
      ['exists', () => files.open(at('there'), { access: 'write', create: 'new' }, never)],
      ['exists', () => files.mkdir(at('there'), undefined, never)],
      ['exists', () => files.rename({ from: at('full'), to: at('there'), replace: false }, never)],
      ['is-directory', () => files.remove(at('full'), never)],
      ['is-directory', () => files.rename({ from: at('there'), to: at('full'), replace: true }, never)],
      ['is-directory', () => readAll(files, at('full'))],
      ['not-empty', () => files.rmdir(at('full'), never)],
      ['not-directory', () => files.rmdir(at('there'), never)],
      ['not-directory', () => listAll(files, at('there'))],
      ['unsupported', () => files.statvfs(at('there'), never)],
    ];
    const codes: string[] = [];
    for (const [, work] of rows) codes.push((await faultOf(work())).code);
    assert.deepEqual(
      codes,
      rows.map(([code]) => code),
    );
  });

  it('refuses names that no command line can carry', async () => {
    const name = folder.atBytes(Buffer.from([0x66, 0xe9]));
    const fault = await faultOf(files.stat(name.remote, never));
    assert.deepEqual(
      [fault.code, fault.outcome, fault.facts['path']?.endsWith('f\\xE9')],
      ['bad-name', 'not-sent', true],
    );
  });
});

describe('files of a host that has a shell and no SFTP, when its connection is lost', () => {
  const folder = new SftpFolder();
  let equipment: Equipment;
  let bench: FilesBench;
  const commands = new Emitter<string>(assert.ifError);
  before(async () => {
    equipment = await startWithoutSftp((command) => commands.fire(command));
    bench = await FilesBench.open(targetAt(equipment));
    bench.service.allowWritingByShell(bench.host);
    fs.writeFileSync(folder.at('file').local, 'still there');
  });
  after(async () => {
    await bench.dispose();
    await equipment.stop();
    folder.dispose();
  });

  it('end, say what is not known, and are opened over the next connection', async () => {
    const fifo = folder.at('fifo');
    execFileSync('mkfifo', [fifo.local]);
    const browsed = bench.service.browse(bench.host);
    const first = await browsed.use(async (files) => files, { isRepeatable: true }, never);
    const begun = new Promise((resolve) => commands.event(resolve));
    const change = faultOf(first.open(fifo.remote, { access: 'write' }, never)); // waits for a reader
    await withinDeadline('the command', begun);
    equipment.drop();
    assert.equal((await withinDeadline('the end of the command', change)).code, 'outcome-unknown');
    const cause = await withinDeadline('the end of the files', first.ended);
    const later = await faultOf(first.stat(fifo.remote, never));
    assert.deepEqual(
      [first.isEnded, later.code, later.outcome, bench.held],
      [true, cause.code, 'not-sent', []],
    );

    await bench.reconnect();
    const content = await browsed.use(
      (files) => readAll(files, folder.at('file').remote),
      { isRepeatable: true },
      never,
    );
    assert.equal(content.toString(), 'still there');
  });
});
