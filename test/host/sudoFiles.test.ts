import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { pathOfText } from '../../src/domain/files/remotePath.ts';
import { aliasHostId } from '../../src/domain/host/hostId.ts';
import { documentOf, uriOf } from '../../src/features/files/sftpUri.ts';
import { Command, Setting } from '../../src/ids.ts';
import { until } from '../e2e/harness/until.ts';
import type { LabAccount } from '../lab/account.ts';
import { startSshd, type Sshd } from '../lab/sshd.ts';
import { createSudoer, sudoObstacle } from '../lab/sudoer.ts';
import { skipBecause } from '../skip.ts';

describe('addresses of files with the rights of another user', () => {
  const host = aliasHostId('sudoLab');
  const path = pathOfText('/etc/hosts');

  for (const as of ['root', 'Root', 'www-data', 'DOMAIN\\some.body', 'jörg', 'a%41', 'x&y=z'])
    it(`come back as they were, also written as text: ${as}`, () => {
      const uri = uriOf({ host, path, as });
      assert.equal(uri.authority, host);
      for (const one of [uri, vscode.Uri.parse(uri.toString(), true)])
        assert.deepEqual(documentOf(one), { host, path, as });
    });

  it('keep the user when another path is made of them', () => {
    const uri = vscode.Uri.joinPath(uriOf({ host, path: pathOfText('/etc'), as: 'root' }), 'hosts');
    assert.deepEqual(documentOf(uri), { host, path, as: 'root' });
  });

  it('are those of the one who is signed in where the query is the editor’s own', () => {
    assert.deepEqual(documentOf(uriOf({ host, path }).with({ query: 'version=1' })), { host, path });
  });

  for (const query of ['as=', 'as=-u', 'as=%23 0', 'as=a/b', 'as=ro%6ft', 'as=%zz'])
    it(`name nothing when the user is none: ${query}`, () => {
      assert.throws(() => documentOf(uriOf({ host, path }).with({ query })), vscode.FileSystemError);
    });
});

/** The extension as the editor runs it, over a real server with the real sudo. */
describe('files with the rights of root in the editor', function () {
  this.timeout(120_000);
  const host = aliasHostId('sudoLab');
  const originals = ['showWarningMessage', 'showInputBox', 'showInformationMessage', 'showErrorMessage'].map(
    (name): readonly [string, unknown] => [name, Reflect.get(vscode.window, name)],
  );
  let account: LabAccount;
  let server: Sshd;
  let settings: string;
  /** The temporary folder of the editor under test is closed to other accounts. */
  let open: string;
  let file: string;
  let titles: string[];

  before(async function () {
    const obstacle = sudoObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
    account = await createSudoer();
    server = await startSshd({ account });
    settings = fs.mkdtempSync(path.join(os.tmpdir(), 'termind-sudo-'));
    open = fs.mkdtempSync('/tmp/termind-sudo-');
    fs.chmodSync(open, 0o755);
    fs.writeFileSync(path.join(settings, 'known'), server.knownHosts());
    const lines = [
      server.configText('sudoLab'),
      `  UserKnownHostsFile ${path.join(settings, 'known')}`,
      '  GlobalKnownHostsFile none',
      '',
    ];
    fs.writeFileSync(path.join(settings, 'config'), lines.join('\n'));
    await vscode.workspace
      .getConfiguration()
      .update(Setting.sshConfigFile, path.join(settings, 'config'), vscode.ConfigurationTarget.Global);
    await vscode.extensions.getExtension('termind.termind')?.activate();
  });
  after(async () => {
    if (sudoObstacle() !== undefined) return;
    await vscode.commands.executeCommand(Command.disconnectHost, { kind: 'host', listing: { id: host } });
    await vscode.workspace
      .getConfiguration()
      .update(Setting.sshConfigFile, undefined, vscode.ConfigurationTarget.Global);
    await server.stop();
    account.dispose();
    for (const folder of [settings, open]) fs.rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    titles = [];
    file = path.join(open, 'for-root.conf');
    fs.writeFileSync(file, 'old', { mode: 0o640 });
    answerQuestions(account.password);
  });
  afterEach(async () => {
    for (const [name, original] of originals) Reflect.set(vscode.window, name, original);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand(Command.closeSudo, row('root'));
    fs.rmSync(file, { force: true });
  });

  const row = (as?: string): unknown => ({ kind: 'remoteFile', host, path: file, as });
  const uri = (as?: string): vscode.Uri =>
    uriOf({ host, path: pathOfText(file), ...(as === undefined ? {} : { as }) });
  /** Names root and types this password; undefined cancels. */
  const answerQuestions = (password: string | undefined): void => {
    Reflect.set(vscode.window, 'showInputBox', async (options: vscode.InputBoxOptions) => {
      if (options.title?.startsWith('Password for ')) return account.password; // to sign in
      titles.push(options.title ?? '');
      return options.password === true ? password : options.value;
    });
  };
  const replaceText = async (text: string): Promise<vscode.TextDocument> => {
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor !== undefined);
    const all = new vscode.Range(0, 0, editor.document.lineCount, 0);
    await editor.edit((edit) => edit.replace(editor.document.validateRange(all), text));
    return editor.document;
  };
  const onDisk = (): readonly unknown[] => {
    const { uid, mode } = fs.statSync(file);
    return [fs.readFileSync(file, 'utf8'), uid, mode & 0o7777];
  };
  const openWithSudo = async (): Promise<void> => {
    await vscode.commands.executeCommand(Command.openWithSudo, row());
    await until({
      what: 'the editor',
      probe: () => vscode.window.activeTextEditor?.document.uri.toString() === uri('root').toString(),
    });
  };

  it('open after a question, and are saved with their owner and mode as they were', async () => {
    await openWithSudo();
    assert.equal(vscode.window.activeTextEditor?.document.getText(), 'old');
    assert.equal(await (await replaceText('new')).save(), true);
    assert.deepEqual(onDisk(), ['new', 0, 0o640]);
    assert.deepEqual(titles, ['Whose rights do you want to use?', 'Password of sudo on sudoLab']);
  });

  it('stay closed, with nothing left behind, when the person cancels the password', async () => {
    answerQuestions(undefined);
    await vscode.commands.executeCommand(Command.openWithSudo, row());
    assert.deepEqual([titles.length, vscode.window.activeTextEditor], [2, undefined]);
    assert.deepEqual(onDisk(), ['old', 0, 0o640]);
  });

  it('are not read by an address alone: one notification asks the person first', async () => {
    const told: string[] = [];
    let go: (button: string) => void = () => {};
    Reflect.set(vscode.window, 'showInformationMessage', (text: string) => {
      told.push(text);
      return new Promise((resolve) => (go = resolve));
    });
    for (let time = 0; time < 2; time++)
      await assert.rejects(async () => vscode.workspace.fs.readFile(uri('root')), vscode.FileSystemError);
    assert.deepEqual([told.length, titles], [1, []]);
    go('Continue…');
    await until({ what: 'the password', probe: () => titles.length === 1 });
    await until({
      what: 'the file',
      probe: async () =>
        vscode.workspace.fs.readFile(uri('root')).then(
          (bytes) => Buffer.from(bytes).toString() === 'old',
          () => false,
        ),
    });
  });

  it('are not changed by an address alone: nobody is asked for a password of what no person has changed', async () => {
    const told: string[] = [];
    Reflect.set(vscode.window, 'showInformationMessage', async (text: string) => void told.push(text));
    const { fs: files } = vscode.workspace;
    for (const change of [
      () => files.writeFile(uri('root'), Buffer.from('theirs')),
      () => files.delete(uri('root')),
      () => files.rename(uri('root'), vscode.Uri.joinPath(uri('root'), '../other')),
      () => files.createDirectory(vscode.Uri.joinPath(uri('root'), '../folder')),
    ])
      await assert.rejects(async () => change(), vscode.FileSystemError);
    await until({ what: 'the notification', probe: () => told.length > 0 });
    assert.match(told[0] ?? '', /are open with the rights of root/);
    assert.deepEqual(titles, []);
    assert.deepEqual([onDisk(), fs.readdirSync(open)], [['old', 0, 0o640], [path.basename(file)]]);
  });

  it('are saved as root when they were opened without and the host refuses the save', async () => {
    fs.chmodSync(file, 0o644);
    const asked: string[] = [];
    Reflect.set(vscode.window, 'showWarningMessage', async (text: string, ...buttons: readonly string[]) => {
      asked.push(text);
      return buttons[0];
    });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri()));
    const document = await replaceText('mine');
    await document.save();
    await until({ what: 'the saved document', probe: () => !document.isDirty });
    assert.deepEqual(asked, [`You may not write ${file}. Your changes are still in the editor.`]);
    assert.deepEqual([onDisk(), titles], [['mine', 0, 0o644], ['Password of sudo on sudoLab']]);
  });

  it('are offered with sudo when they were opened without and the host lets nobody else read them', async () => {
    const asked: string[] = [];
    Reflect.set(vscode.window, 'showWarningMessage', async (text: string, ...buttons: readonly string[]) => {
      asked.push(text);
      return buttons[0];
    });
    await vscode.commands.executeCommand(Command.openFile, row());
    await until({
      what: 'the editor',
      probe: () => vscode.window.activeTextEditor?.document.uri.toString() === uri('root').toString(),
    });
    assert.equal(vscode.window.activeTextEditor?.document.getText(), 'old');
    assert.deepEqual(asked, [`You may not read ${file}.`]);
    assert.deepEqual(titles, ['Whose rights do you want to use?', 'Password of sudo on sudoLab']);
  });

  it('are not offered when something that no tab shows could not be read', async () => {
    const asked: string[] = [];
    Reflect.set(vscode.window, 'showWarningMessage', async (text: string) => void asked.push(text));
    await assert.rejects(async () => vscode.workspace.fs.readFile(uri()), vscode.FileSystemError);
    assert.deepEqual([asked, titles], [[], []]);
  });

  it('are closed to the editor once the rights are given up', async () => {
    await openWithSudo();
    await vscode.commands.executeCommand(Command.closeSudo, row('root'));
    Reflect.set(vscode.window, 'showInformationMessage', async () => undefined);
    await assert.rejects(async () => vscode.workspace.fs.readFile(uri('root')), vscode.FileSystemError);
    assert.equal(titles.length, 2);
  });
});
