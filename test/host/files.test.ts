import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { textOfBytes } from '../../src/domain/files/nameText.ts';
import { aliasHostId } from '../../src/domain/host/hostId.ts';
import { Command, Scheme, Setting } from '../../src/ids.ts';
import { until } from '../e2e/harness/until.ts';
import { startSshd, type Sshd } from '../lab/sshd.ts';

const { File, Directory, SymbolicLink } = vscode.FileType;

async function codeOf(work: Thenable<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    return error instanceof vscode.FileSystemError ? error.code : String(error);
  }
}

/** The extension as the editor runs it, over a real server that the SSH configuration names. */
describe('files of a host in the editor', function () {
  this.timeout(120_000);
  const host = aliasHostId('filesLab');
  const originals = [
    'showWarningMessage',
    'showInputBox',
    'showInformationMessage',
    'showQuickPick',
    'showErrorMessage',
  ].map((name): readonly [string, unknown] => [name, Reflect.get(vscode.window, name)]);
  let server: Sshd;
  let settings: string;
  let folder: string;

  before(async () => {
    server = await startSshd({});
    settings = fs.mkdtempSync(path.join(os.tmpdir(), 'termind-files-'));
    fs.writeFileSync(path.join(settings, 'known'), server.knownHosts());
    fs.writeFileSync(
      path.join(settings, 'config'),
      [
        server.configText('filesLab'),
        `  UserKnownHostsFile ${path.join(settings, 'known')}`,
        '  GlobalKnownHostsFile none',
        'Host nobody',
        '  HostName 127.0.0.1',
        `  Port ${String(server.port)}`,
        '  IdentityFile none',
        '  UserKnownHostsFile none',
        '  GlobalKnownHostsFile none',
        '',
      ].join('\n'),
    );
    await vscode.workspace
      .getConfiguration()
      .update(Setting.sshConfigFile, path.join(settings, 'config'), vscode.ConfigurationTarget.Global);
    await vscode.extensions.getExtension('termind.termind')?.activate();
  });
  after(async () => {
    await vscode.commands.executeCommand(Command.disconnectHost, { kind: 'host', listing: { id: host } });
    await vscode.workspace
      .getConfiguration()
      .update(Setting.sshConfigFile, undefined, vscode.ConfigurationTarget.Global);
    await server.stop();
    fs.rmSync(settings, { recursive: true, force: true });
  });
  beforeEach(async () => {
    folder = path.join(settings, 'files');
    await vscode.workspace.fs.createDirectory(uri());
  });
  afterEach(async () => {
    for (const [name, original] of originals) Reflect.set(vscode.window, name, original);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const uri = (name = ''): vscode.Uri =>
    vscode.Uri.from({
      scheme: Scheme.sftp,
      authority: host,
      path: name === '' ? folder : `${folder}/${name}`,
    });
  const local = (name: string): string => path.join(folder, name);
  const row = (name: string): unknown => ({ kind: 'remoteFile', host, path: `${folder}/${name}` });
  /** Answers dialogs of one kind with the button of this text. */
  const answer = (dialog: string, button: string): string[] => {
    const asked: string[] = [];
    Reflect.set(vscode.window, dialog, async (text: string, ...rest: readonly unknown[]) => {
      asked.push(text);
      return rest.includes(button) ? button : undefined;
    });
    return asked;
  };

  it('are written, listed, read, renamed and deleted', async () => {
    const { fs: files } = vscode.workspace;
    await files.writeFile(uri('a.txt'), Buffer.from('one\n'));
    await files.rename(uri('a.txt'), uri('b.txt'));
    await files.createDirectory(uri('sub'));
    fs.symlinkSync('sub', local('toSub'));
    fs.symlinkSync('b.txt', local('toFile'));
    assert.deepEqual((await files.readDirectory(uri())).sort(), [
      ['b.txt', File],
      ['sub', Directory],
      ['toFile', SymbolicLink | File],
      ['toSub', SymbolicLink | Directory],
    ]);
    assert.equal(Buffer.from(await files.readFile(uri('toFile'))).toString(), 'one\n');
    assert.deepEqual((await files.stat(uri('b.txt'))).size, 4);
    assert.equal(await codeOf(files.rename(uri('b.txt'), uri('sub'))), 'FileExists');
    assert.equal(await codeOf(files.stat(uri('nothing'))), 'FileNotFound');
    assert.equal(await codeOf(files.readDirectory(uri('b.txt'))), 'FileNotADirectory');
    await files.delete(uri('sub'), { recursive: true });
    await files.delete(uri('b.txt'));
    assert.deepEqual(fs.readdirSync(folder).sort(), ['toFile', 'toSub']);
  });

  it('open under names that are no UTF-8', async () => {
    const name = Buffer.from('caf\xe9.txt', 'latin1');
    fs.writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name]), 'x');
    const [[listed] = []] = await vscode.workspace.fs.readDirectory(uri());
    assert.equal(listed, textOfBytes(name));
    const document = await vscode.workspace.openTextDocument(uri(textOfBytes(name)));
    assert.equal(document.getText(), 'x');
  });

  it('are edited and saved again and again, and the disk holds what the editor shows', async () => {
    await vscode.workspace.fs.writeFile(uri('a.txt'), Buffer.from('0'));
    const document = await vscode.workspace.openTextDocument(uri('a.txt'));
    const editor = await vscode.window.showTextDocument(document);
    for (const text of ['1', '2', '3']) {
      await editor.edit((edit) => edit.replace(new vscode.Range(0, 0, 0, 1), text));
      assert.equal(await document.save(), true);
      assert.equal(fs.readFileSync(local('a.txt'), 'utf8'), text);
    }
  });

  it('of another content with the same size and time are not saved over before the person says so', async () => {
    await vscode.workspace.fs.writeFile(uri('a.txt'), Buffer.from('old'));
    const document = await vscode.workspace.openTextDocument(uri('a.txt'));
    const editor = await vscode.window.showTextDocument(document);
    const { atime, mtime } = fs.statSync(local('a.txt'));
    fs.writeFileSync(local('a.txt'), 'wow');
    fs.utimesSync(local('a.txt'), atime, mtime);
    const asked: string[] = [];
    let overwrite = (): void => {};
    Reflect.set(vscode.window, 'showWarningMessage', (text: string, ...choices: readonly string[]) => {
      asked.push(text, ...choices);
      return new Promise((resolve) => (overwrite = () => resolve('Overwrite')));
    });
    await editor.edit((edit) => edit.replace(new vscode.Range(0, 0, 0, 3), 'new'));
    await document.save();
    await until({ what: 'the question', probe: () => asked.length > 0 });
    assert.deepEqual(asked, [
      `${folder}/a.txt was changed on filesLab after you opened it.`,
      ...['Merge…', 'Overwrite', 'Discard My Changes'],
    ]);
    assert.deepEqual([document.isDirty, fs.readFileSync(local('a.txt'), 'utf8')], [true, 'wow']);
    overwrite();
    await until({ what: 'the new content', probe: () => fs.readFileSync(local('a.txt'), 'utf8') === 'new' });
    await until({ what: 'the clean document', probe: () => !document.isDirty });
  });

  it('that are no text in UTF-8 are compared, not merged, and what the host holds later is a conflict again', async () => {
    fs.writeFileSync(local('a.txt'), Buffer.from('caf\xe9', 'latin1'));
    const document = await vscode.workspace.openTextDocument(uri('a.txt'), { encoding: 'iso88591' });
    const editor = await vscode.window.showTextDocument(document);
    fs.writeFileSync(local('a.txt'), Buffer.from('th\xe9', 'latin1'));
    const asked: (readonly string[])[] = [];
    const answers: ((answer: string) => void)[] = [];
    Reflect.set(vscode.window, 'showWarningMessage', (_text: string, ...choices: readonly string[]) => {
      asked.push(choices);
      return new Promise<string>((resolve) => answers.push(resolve));
    });
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'a '));
    await document.save();
    await until({ what: 'the question', probe: () => answers.length === 1 });
    fs.writeFileSync(local('a.txt'), 'nobody has seen this');
    answers[0]?.('Overwrite');
    await until({ what: 'the question about that', probe: () => answers.length === 2 });
    assert.equal(fs.readFileSync(local('a.txt'), 'utf8'), 'nobody has seen this');
    answers[1]?.('Overwrite');
    await until({ what: 'the clean document', probe: () => !document.isDirty });
    assert.equal(fs.readFileSync(local('a.txt'), 'latin1'), 'a caf\xe9');
    assert.deepEqual(
      asked.map((choices) => choices[0]),
      ['Compare', 'Compare'],
    );
  });

  describe('that conflict are merged:', () => {
    const lines = (...all: readonly string[]): string => all.join('\n');
    const resultOf = (): vscode.TextDocument | undefined =>
      vscode.workspace.textDocuments.find(
        ({ uri: { scheme, path: of } }) => scheme === Scheme.merge && of === local(name),
      );
    /** Another for each test: the editor holds a document on for some time after it is closed. */
    let name = '';
    let count = 0;
    beforeEach(() => (name = `merged-${String(++count)}.txt`));
    /** A document with changes would be asked about when it is closed. */
    afterEach(async () => {
      for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
        await vscode.window.showTextDocument(document);
        await vscode.commands.executeCommand('workbench.action.files.revert');
      }
    });

    /** Opens, has somebody else change it, changes it, and chooses to merge. Resolves with the document and the result. */
    const merging = async ({
      opened,
      theirs,
      mine,
    }: Readonly<Record<'opened' | 'theirs' | 'mine', string>>): Promise<
      Readonly<Record<'document' | 'result', vscode.TextDocument>>
    > => {
      fs.writeFileSync(local(name), opened);
      const document = await vscode.workspace.openTextDocument(uri(name));
      const editor = await vscode.window.showTextDocument(document);
      fs.writeFileSync(local(name), theirs);
      const asked = answer('showWarningMessage', 'Merge…');
      const end = document.positionAt(document.getText().length);
      await editor.edit((edit) => edit.replace(new vscode.Range(new vscode.Position(0, 0), end), mine));
      await document.save();
      const result = await until({ what: 'the merge', probe: resultOf });
      assert.equal(asked.length, 1);
      return { document, result };
    };

    it('what both sides changed apart from each other is there at once, and one save ends it', async () => {
      const { document, result } = await merging({
        opened: lines('a', 'b', 'c', ''),
        theirs: lines('A', 'b', 'c', ''),
        mine: lines('a', 'b', 'C', ''),
      });
      const merged = lines('A', 'b', 'C', '');
      await until({ what: 'the merged text', probe: () => result.getText() === merged });
      assert.equal(fs.readFileSync(local(name), 'utf8'), lines('A', 'b', 'c', ''));
      assert.equal(await result.save(), true);
      assert.equal(fs.readFileSync(local(name), 'utf8'), merged);
      await until({ what: 'the document', probe: () => !document.isDirty && document.getText() === merged });
      assert.deepEqual(fs.readdirSync(folder), [name]);
    });

    it('keep their line ends and the mark of UTF-8', async () => {
      const { result } = await merging({
        opened: '\uFEFFa\r\nb\r\nc\r\n',
        theirs: '\uFEFFA\r\nb\r\nc\r\n',
        mine: 'a\r\nb\r\nC\r\n',
      });
      await until({ what: 'the merged text', probe: () => result.getText() === 'A\r\nb\r\nC\r\n' });
      assert.equal(await result.save(), true);
      assert.equal(fs.readFileSync(local(name), 'utf8'), '\uFEFFA\r\nb\r\nC\r\n');
    });

    it('nothing is saved over a third content, and the question is asked anew', async () => {
      const { document, result } = await merging({
        opened: lines('a', 'b', 'c'),
        theirs: lines('A', 'b', 'c'),
        mine: lines('a', 'b', 'C'),
      });
      await until({ what: 'the merged text', probe: () => result.getText() === lines('A', 'b', 'C') });
      fs.writeFileSync(local(name), lines('third', 'b', 'c'));
      const asked = answer('showWarningMessage', '');
      await result.save();
      await until({ what: 'the question', probe: () => asked.length > 0 });
      assert.deepEqual(asked, [
        `${folder}/${name} was changed on filesLab again while you merged. Nothing was saved.`,
      ]);
      assert.deepEqual(
        [fs.readFileSync(local(name), 'utf8'), document.isDirty, result.isDirty],
        [lines('third', 'b', 'c'), true, true],
      );
    });

    it('a document that was changed further keeps its changes, and they are not saved over the merge', async () => {
      const { document, result } = await merging({
        opened: lines('a', 'b', 'c'),
        theirs: lines('A', 'b', 'c'),
        mine: lines('a', 'b', 'C'),
      });
      await until({ what: 'the merged text', probe: () => result.getText() === lines('A', 'b', 'C') });
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(1, 0), 'further ');
      await vscode.workspace.applyEdit(edit);
      assert.equal(await result.save(), true);
      assert.equal(fs.readFileSync(local(name), 'utf8'), lines('A', 'b', 'C'));
      const asked = answer('showWarningMessage', '');
      await document.save();
      await until({ what: 'the conflict', probe: () => asked.length > 0 });
      assert.deepEqual(
        [document.getText(), fs.readFileSync(local(name), 'utf8')],
        [lines('a', 'further b', 'C'), lines('A', 'b', 'C')],
      );
    });

    it('only a save by the person puts it on the host', async () => {
      const { result } = await merging({
        opened: lines('a', 'b', 'c'),
        theirs: lines('A', 'b', 'c'),
        mine: lines('a', 'b', 'C'),
      });
      await until({ what: 'the merged text', probe: () => result.getText() === lines('A', 'b', 'C') });
      const half = Buffer.from(lines('A', 'b', 'half'));
      assert.equal(await codeOf(vscode.workspace.fs.writeFile(result.uri, half)), 'NoPermissions');
      assert.equal(fs.readFileSync(local(name), 'utf8'), lines('A', 'b', 'c'));
      assert.equal(await result.save(), true);
      assert.equal(fs.readFileSync(local(name), 'utf8'), lines('A', 'b', 'C'));
    });

    it('places that nobody has decided are asked about before they undo both changes', async () => {
      const { document, result } = await merging({
        opened: lines('a', 'b', 'c'),
        theirs: lines('A', 'b', 'c'),
        mine: lines('mine', 'b', 'c'),
      });
      await until({
        what: 'the text without a decision',
        probe: () => result.getText() === lines('a', 'b', 'c'),
      });
      const asked = answer('showWarningMessage', '');
      assert.equal(await result.save(), false);
      assert.deepEqual(asked, [`Save ${folder}/${name} before everything is merged?`]);
      assert.deepEqual(
        [fs.readFileSync(local(name), 'utf8'), document.getText()],
        [lines('A', 'b', 'c'), lines('mine', 'b', 'c')],
      );
      const edit = new vscode.WorkspaceEdit();
      edit.replace(result.uri, new vscode.Range(0, 0, 0, 1), 'A mine');
      await vscode.workspace.applyEdit(edit);
      assert.equal(await result.save(), true);
      assert.equal(fs.readFileSync(local(name), 'utf8'), lines('A mine', 'b', 'c'));
    });

    it('an address of a merge that has ended writes nothing and says so', async () => {
      const gone = vscode.Uri.from({ scheme: Scheme.merge, path: '/etc/fstab', query: 'gone' });
      assert.equal(await codeOf(vscode.workspace.fs.stat(gone)), 'FileNotFound');
      assert.equal(await codeOf(vscode.workspace.fs.writeFile(gone, Buffer.from('x'))), 'Unavailable');
    });
  });

  it('that could not be saved are listed, and saved when the person wants it', async () => {
    await vscode.workspace.fs.writeFile(uri('a.txt'), Buffer.from('old'));
    const document = await vscode.workspace.openTextDocument(uri('a.txt'));
    const editor = await vscode.window.showTextDocument(document);
    const { atime, mtime } = fs.statSync(local('a.txt'));
    fs.writeFileSync(local('a.txt'), 'wow');
    fs.utimesSync(local('a.txt'), atime, mtime);
    const asked: string[] = [];
    Reflect.set(vscode.window, 'showWarningMessage', async (text: string) => {
      asked.push(text);
      return text.endsWith('holds something else by now.') ? 'Overwrite' : undefined;
    });
    const told: string[] = [];
    Reflect.set(vscode.window, 'showInformationMessage', async (text: string) => void told.push(text));
    await editor.edit((edit) => edit.replace(new vscode.Range(0, 0, 0, 3), 'new'));
    await document.save();
    await until({ what: 'the question', probe: () => asked.length > 0 });
    const wanted = [`${folder}/a.txt`, 'Save to the Host'];
    Reflect.set(vscode.window, 'showQuickPick', async (rows: readonly { readonly label: string }[]) => {
      const label = wanted.shift();
      return rows.find((row) => row.label === label);
    });
    await vscode.commands.executeCommand(Command.showKeptSaves);
    assert.equal(fs.readFileSync(local('a.txt'), 'utf8'), 'new');
    assert.deepEqual(told, [`${folder}/a.txt is saved.`]);
    await vscode.commands.executeCommand(Command.showKeptSaves);
    assert.deepEqual(told.at(-1), 'Every save was confirmed by its host.');
    await vscode.commands.executeCommand('workbench.action.files.revert');
    assert.equal(document.getText(), 'new');
  });

  it('hold again what they held before a save', async () => {
    await vscode.workspace.fs.writeFile(uri('a.txt'), Buffer.from('now'));
    const backup = '.a.txt.20261201T020304567Z.0123456789ab.old';
    fs.writeFileSync(local(backup), 'before');
    const wanted = ['Until ', 'Restore'];
    Reflect.set(vscode.window, 'showQuickPick', async (rows: readonly { readonly label: string }[]) => {
      const label = wanted.shift() ?? '';
      return rows.find((row) => row.label.startsWith(label));
    });
    const told: string[] = [];
    Reflect.set(vscode.window, 'showInformationMessage', async (text: string) => void told.push(text));
    await vscode.commands.executeCommand(Command.restorePrevious, row('a.txt'));
    assert.equal(fs.readFileSync(local('a.txt'), 'utf8'), 'before');
    const left = fs.readdirSync(folder).filter((name) => name.endsWith('.old'));
    assert.deepEqual(left.map((name) => fs.readFileSync(local(name), 'utf8')).sort(), ['before', 'now']);
    for (const name of left) fs.rmSync(local(name));
    await vscode.commands.executeCommand(Command.restorePrevious, row('a.txt'));
    const name = `${folder}/a.txt`;
    assert.deepEqual(told, [`${name} is saved.`, `Nothing is kept on the host of what ${name} held before.`]);
  });

  it('are not changed while their host is marked read-only, and are again after that', async () => {
    const { fs: files } = vscode.workspace;
    await files.writeFile(uri('a.txt'), Buffer.from('old'));
    const pick = async (label: string): Promise<void> => {
      Reflect.set(vscode.window, 'showQuickPick', async (rows: readonly { readonly label: string }[]) =>
        rows.find((row) => row.label === label),
      );
      await vscode.commands.executeCommand(Command.markFilesReadOnly, {
        kind: 'host',
        listing: { id: host },
      });
    };
    await pick('Read-only');
    try {
      assert.equal((await files.stat(uri('a.txt'))).permissions, vscode.FilePermission.Readonly);
      const refused = await Promise.all([
        codeOf(files.writeFile(uri('a.txt'), Buffer.from('new'))),
        codeOf(files.writeFile(uri('b.txt'), Buffer.from('new'))),
        codeOf(files.createDirectory(uri('sub'))),
        codeOf(files.rename(uri('a.txt'), uri('b.txt'))),
        codeOf(files.delete(uri('a.txt'))),
      ]);
      assert.deepEqual([...new Set(refused)], ['NoPermissions']);
      const [asked, told] = [
        answer('showWarningMessage', 'Delete Permanently'),
        answer('showErrorMessage', ''),
      ];
      await vscode.commands.executeCommand(Command.deleteFile, row('a.txt'));
      await until({ what: 'the refusal', probe: () => told.length > 0 });
      assert.deepEqual([asked, told], [[], [`${folder}/a.txt can only be read here.`]]);
      assert.deepEqual([fs.readdirSync(folder), fs.readFileSync(local('a.txt'), 'utf8')], [['a.txt'], 'old']);
    } finally {
      await pick('Read and write');
    }
    await files.writeFile(uri('a.txt'), Buffer.from('new'));
    assert.equal(fs.readFileSync(local('a.txt'), 'utf8'), 'new');
  });

  it('that are too large for an editor are offered as a download', async () => {
    await vscode.workspace.fs.writeFile(uri('large'), Buffer.from(''));
    fs.truncateSync(local('large'), 50 * 1024 * 1024 + 1);
    const asked = answer('showWarningMessage', '');
    assert.equal(await codeOf(vscode.workspace.fs.readFile(uri('large'))), 'NoPermissions');
    await until({ what: 'the offer', probe: () => asked.length > 0 });
    assert.deepEqual(asked, [`${folder}/large is too large for an editor.`]);
  });

  it('change their name and permissions by commands', async () => {
    await vscode.workspace.fs.writeFile(uri('a.txt'), Buffer.from('x'));
    Reflect.set(vscode.window, 'showInputBox', async () => 'b.txt');
    await vscode.commands.executeCommand(Command.renameFile, row('a.txt'));
    Reflect.set(vscode.window, 'showInputBox', async () => '0600');
    await vscode.commands.executeCommand(Command.changeFileMode, row('b.txt'));
    assert.equal(fs.statSync(local('b.txt')).mode & 0o777, 0o600);
  });

  it('keep a name with a line break, which an input box drops, until another is typed', async () => {
    fs.writeFileSync(local('a\nb'), 'x');
    const oneLine = async ({ value }: vscode.InputBoxOptions) => value?.replace(/[\r\n]/g, '');
    Reflect.set(vscode.window, 'showInputBox', oneLine);
    await vscode.commands.executeCommand(Command.renameFile, row('a\nb'));
    assert.equal(fs.readFileSync(local('a\nb'), 'utf8'), 'x');
    Reflect.set(vscode.window, 'showInputBox', async () => 'b');
    await vscode.commands.executeCommand(Command.renameFile, row('a\nb'));
    assert.equal(fs.readFileSync(local('b'), 'utf8'), 'x');
  });

  it('say what the server tells about them', async () => {
    await vscode.workspace.fs.writeFile(uri('a.txt'), Buffer.from('x'));
    fs.chmodSync(local('a.txt'), 0o640);
    let detail = '';
    Reflect.set(
      vscode.window,
      'showInformationMessage',
      async (_text: string, options: { readonly detail: string }) => void (detail = options.detail),
    );
    await vscode.commands.executeCommand(Command.fileProperties, row('a.txt'));
    assert.match(detail, /^Kind: file\nSize: 1 B\nPermissions: -rw-r----- \(0640\)\nOwner: .+\nModified: /);
    assert.match(detail, /\nFree on its file system: \d/);
  });

  it('are deleted for good after a question, where the person wants no trash', async () => {
    const configuration = vscode.workspace.getConfiguration();
    await configuration.update(Setting.deleteMode, 'permanent', vscode.ConfigurationTarget.Global);
    await vscode.workspace.fs.writeFile(uri('a.txt'), Buffer.from('gone'));
    answer('showWarningMessage', 'Move to Trash');
    await vscode.commands.executeCommand(Command.deleteFile, row('a.txt'));
    assert.deepEqual(fs.readdirSync(folder), ['a.txt']);
    const asked = answer('showWarningMessage', 'Delete Permanently');
    await vscode.commands.executeCommand(Command.deleteFile, row('a.txt'));
    assert.deepEqual(asked, [`Delete ${folder}/a.txt on filesLab?`]);
    assert.deepEqual(fs.readdirSync(folder), []);
    await configuration.update(Setting.deleteMode, undefined, vscode.ConfigurationTarget.Global);
  });

  it('are deleted with their folder when both were chosen, and named once', async () => {
    const configuration = vscode.workspace.getConfiguration();
    await configuration.update(Setting.deleteMode, 'permanent', vscode.ConfigurationTarget.Global);
    await vscode.workspace.fs.createDirectory(uri('sub'));
    await vscode.workspace.fs.createDirectory(uri('sub-2'));
    await vscode.workspace.fs.writeFile(uri('sub/a.txt'), Buffer.from('gone'));
    const asked = answer('showWarningMessage', 'Delete Permanently');
    const rows = ['sub/a.txt', 'sub', 'sub-2'].map(row);
    await vscode.commands.executeCommand(Command.deleteFile, rows[0], rows);
    assert.deepEqual(asked, ['Delete 2 files and folders on filesLab?']);
    assert.deepEqual(fs.readdirSync(folder), []);
    await configuration.update(Setting.deleteMode, undefined, vscode.ConfigurationTarget.Global);
  });

  describe('of a production host', () => {
    /** Makes the host one of this environment. */
    const setTier = async (label: string): Promise<void> => {
      Reflect.set(vscode.window, 'showQuickPick', async (rows: readonly { readonly label: string }[]) =>
        rows.find((one) => one.label === label),
      );
      answer('showWarningMessage', 'Change');
      await vscode.commands.executeCommand(Command.setTier, { kind: 'host', listing: { id: host } });
    };
    beforeEach(() => setTier('Production'));
    afterEach(() => setTier('None'));

    it('are deleted by the editor after a question, and stay without a decision', async () => {
      const { fs: files } = vscode.workspace;
      await files.createDirectory(uri('sub'));
      await files.writeFile(uri('sub/a.txt'), Buffer.from('needed'));
      for (const button of ['', 'Keep']) {
        const asked = answer('showWarningMessage', button);
        assert.equal(await codeOf(files.delete(uri('sub'), { recursive: true })), 'Unavailable');
        assert.deepEqual(asked, [`Delete ${folder}/sub on filesLab?`]);
        assert.deepEqual(fs.readdirSync(local('sub')), ['a.txt']);
      }
      answer('showWarningMessage', 'Delete Permanently');
      await files.delete(uri('sub'), { recursive: true });
      assert.deepEqual(fs.readdirSync(folder), []);
    });

    it('are replaced by a rename of the editor after one question, and renamed without one', async () => {
      const { fs: files } = vscode.workspace;
      fs.writeFileSync(local('a.txt'), 'new');
      fs.writeFileSync(local('b.txt'), 'needed');
      const asked = answer('showWarningMessage', 'Keep');
      await files.rename(uri('a.txt'), uri('c.txt'), { overwrite: true });
      assert.deepEqual(asked, []);
      const denied = files.rename(uri('c.txt'), uri('b.txt'), { overwrite: true });
      assert.equal(await codeOf(denied), 'Unavailable');
      assert.deepEqual(asked, [`Delete ${folder}/b.txt on filesLab?`]);
      assert.equal(fs.readFileSync(local('b.txt'), 'utf8'), 'needed');
      const allowed = answer('showWarningMessage', 'Delete Permanently');
      await files.rename(uri('c.txt'), uri('b.txt'), { overwrite: true });
      assert.deepEqual([allowed.length, fs.readdirSync(folder)], [1, ['b.txt']]);
      assert.equal(fs.readFileSync(local('b.txt'), 'utf8'), 'new');
    });

    it('are deleted by the Files view after one question', async () => {
      const configuration = vscode.workspace.getConfiguration();
      await configuration.update(Setting.deleteMode, 'permanent', vscode.ConfigurationTarget.Global);
      fs.writeFileSync(local('a.txt'), 'gone');
      const asked = answer('showWarningMessage', 'Delete Permanently');
      await vscode.commands.executeCommand(Command.deleteFile, row('a.txt'));
      await configuration.update(Setting.deleteMode, undefined, vscode.ConfigurationTarget.Global);
      assert.deepEqual([asked, fs.readdirSync(folder)], [[`Delete ${folder}/a.txt on filesLab?`], []]);
    });
  });

  it('of a host that needs a person are not available, and one notification offers to connect', async () => {
    const asked: string[] = [];
    let leave = (): void => {};
    Reflect.set(vscode.window, 'showInformationMessage', (text: string) => {
      asked.push(text);
      return new Promise((resolve) => (leave = () => resolve(undefined)));
    });
    const other = (name: string): vscode.Uri =>
      vscode.Uri.from({ scheme: Scheme.sftp, authority: aliasHostId('nobody'), path: name });
    const codes = await Promise.all(
      ['/a', '/b'].map((name) => codeOf(vscode.workspace.fs.stat(other(name)))),
    );
    assert.deepEqual(codes, ['Unavailable', 'Unavailable']);
    await until({ what: 'the offer', probe: () => asked.length > 0 });
    assert.deepEqual(asked, ['Connect to nobody to see its files.']);
    leave();
  });
});
