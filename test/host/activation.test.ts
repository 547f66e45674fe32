import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Command, TerminalProfile, View } from '../../src/ids.ts';

describe('activation in a real extension host', () => {
  const extension = vscode.extensions.getExtension('termind.termind');

  before(async () => {
    await extension?.activate();
  });

  it('the extension activates', () => {
    assert.equal(extension?.isActive, true);
  });

  it('every command of the registry is registered', async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      Object.values(Command).filter((command) => !registered.has(command)),
      [],
    );
  });

  it('no command is registered that the registry does not name', async () => {
    const named = new Set<string>(Object.values(Command));
    const editorsOwn = [...Object.values(View), 'workbench.view.extension.termind', TerminalProfile.ssh];
    const ours = (await vscode.commands.getCommands(true)).filter((command) =>
      command.startsWith('termind.'),
    );
    assert.deepEqual(
      ours.filter((command) => !named.has(command) && !editorsOwn.some((id) => command.startsWith(`${id}.`))),
      [],
    );
  });
});
