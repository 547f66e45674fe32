import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { until } from '../e2e/harness/until.ts';

const at = (path: string): vscode.Uri =>
  vscode.Uri.from({ scheme: 'termind-scratch', path: `/host-test/${path}` });
const root = at('').with({ path: '/host-test' });
const text = (value: string): Uint8Array => Buffer.from(value, 'utf8');
const { fs } = vscode.workspace;

async function codeOf(work: Thenable<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    return error instanceof vscode.FileSystemError ? error.code : String(error);
  }
}

describe('termind-scratch: in the editor', () => {
  before(async () => {
    await vscode.extensions.getExtension('termind.termind')?.activate();
  });
  afterEach(async () => {
    await fs.delete(root, { recursive: true });
  });

  it('writes, lists, reads, renames, copies and deletes', async () => {
    await fs.writeFile(at('a.txt'), text('one\n'));
    await fs.rename(at('a.txt'), at('sub/b.txt'));
    await fs.copy(at('sub/b.txt'), at('c.txt'));
    assert.deepEqual(await fs.readDirectory(root), [
      ['c.txt', vscode.FileType.File],
      ['sub', vscode.FileType.Directory],
    ]);
    assert.equal(Buffer.from(await fs.readFile(at('sub/b.txt'))).toString(), 'one\n');
    assert.deepEqual((await fs.stat(at('c.txt'))).size, 4);
    await fs.delete(at('c.txt'));
    assert.equal(await codeOf(fs.stat(at('c.txt'))), 'FileNotFound');
  });

  it('opens as an editor, and saves what was typed', async () => {
    await fs.writeFile(at('note.txt'), text('first\n'));
    const document = await vscode.workspace.openTextDocument(at('note.txt'));
    const editor = await vscode.window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(new vscode.Position(1, 0), 'second\n'));
    assert.equal(await document.save(), true);
    assert.equal(Buffer.from(await fs.readFile(at('note.txt'))).toString(), 'first\nsecond\n');
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  it('shows a change behind an open editor', async () => {
    await fs.writeFile(at('live.txt'), text('old\n'));
    const document = await vscode.workspace.openTextDocument(at('live.txt'));
    await vscode.window.showTextDocument(document);
    await fs.writeFile(at('live.txt'), text('changed behind it\n'));
    await until({ what: 'the new text', probe: () => document.getText() === 'changed behind it\n' });
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });

  it('tells errors by the codes the editor knows', async () => {
    await fs.writeFile(at('file.txt'), text('x'));
    await fs.writeFile(at('other.txt'), text('y'));
    assert.equal(await codeOf(fs.readFile(at('missing.txt'))), 'FileNotFound');
    assert.equal(await codeOf(fs.copy(at('file.txt'), at('other.txt'), { overwrite: false })), 'FileExists');
    assert.equal(await codeOf(fs.readFile(root)), 'FileIsADirectory');
    assert.equal(await codeOf(fs.readFile(at('file.txt/below'))), 'FileNotADirectory');
    assert.equal(await codeOf(fs.writeFile(at('NUL.txt'), text('x'))), 'NoPermissions');
  });

  it('names the numbers when a file is too large', async () => {
    await fs.writeFile(at('small.txt'), text('x'));
    await assert.rejects(
      Promise.resolve(fs.writeFile(at('large.txt'), Buffer.alloc(8 * 1024 * 1024 + 1))),
      /8,?388,?608.*8,?388,?609/,
    );
    assert.equal(await codeOf(fs.stat(at('large.txt'))), 'FileNotFound');
  });
});
