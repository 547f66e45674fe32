import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { LabAccount } from '../lab/account.ts';
import { startSshd, type Sshd } from '../lab/sshd.ts';
import { createSudoer, sudoObstacle } from '../lab/sudoer.ts';
import { skipBecause } from '../skip.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { startLabEditor, type LabEditor } from './harness/labEditor.ts';
import { press } from './harness/press.ts';
import { until } from './harness/until.ts';
import type { Workbench } from './harness/workbench.ts';

/** A file of root on a real server, by the real sudo, into the editor and back. */
describe('files with the rights of root in the packaged extension', () => {
  let account: LabAccount;
  let sshd: Sshd | undefined;
  let editor: LabEditor | undefined;
  let window: Workbench;
  let file: string;

  before(async function () {
    const obstacle = sudoObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
    account = await createSudoer();
    file = path.join(account.home, 'for-root.conf');
    fs.writeFileSync(file, 'listen 80;', { mode: 0o600 });
    fs.mkdirSync(path.join(account.home, 'closed'), { mode: 0o700 });
    fs.writeFileSync(path.join(account.home, 'closed', 'inside.conf'), '');
    sshd = await startSshd({ account });
    editor = await startLabEditor(sshd, { viewport: { width: 1280, height: 1_100 } });
    window = editor.window;
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot('sudo-files-failed', ['dark']);
  });
  after(async () => {
    await editor?.stop();
    await sshd?.stop();
    if (sshd !== undefined) account.dispose();
  });

  it('opens a file that only root reads, and says whose rights it has', async () => {
    await window.openActivity('Termind');
    await window.pickFromContextMenu(window.treeItem('@127.0.0.1'), 'Browse Files');
    await window.treeItem('where you sign in').waitFor();
    for (const other of ['Hosts', 'Forwards', 'Transfers']) {
      const header = window.page.locator('.sidebar .pane-header', { hasText: other });
      await press(header, async () => (await header.getAttribute('aria-expanded')) === 'false');
    }
    await window.treeItem('where you sign in').click();
    await window.pickFromContextMenu(window.treeItem('for-root.conf'), 'Open with sudo…');
    await window.page.getByText('Whose rights do you want to use?').waitFor();
    await window.page.keyboard.press('Enter');
    await window.page.getByText('Password of sudo on lab').waitFor();
    assert.equal(await window.quickInput().getAttribute('type'), 'password');
    await window.screenshot('sudo-files-1-password');
    await window.answerInput(account.password ?? '');
    await until({ what: 'the file', probe: async () => (await window.editorText()).includes('listen 80;') });
    await window.statusBarItem('as root on lab').waitFor();
    await window.screenshot('sudo-files-2-editor', ['dark', 'light', 'highContrast']);
  });

  it('saves it with the owner and the mode that it had', async () => {
    await window.page.locator('.editor-group-container.active .monaco-editor .view-line').last().click();
    await window.page.keyboard.press('Control+End');
    await window.page.keyboard.type(' # mine');
    await until({ what: 'the typed text', probe: async () => (await window.editorText()).includes('mine') });
    await window.page.keyboard.press('Control+s');
    await until({
      what: 'the saved file',
      probe: () => fs.readFileSync(file, 'utf8') === 'listen 80; # mine',
    });
    const { uid, gid, mode } = fs.statSync(file);
    assert.deepEqual([uid, gid, mode & 0o7777], [0, 0, 0o600]);
  });

  it('browses a closed folder without another question, and gives the rights up', async () => {
    await window.pickFromContextMenu(window.treeItem('closed'), 'Browse with sudo…');
    await window.page.getByText('Whose rights do you want to use?').waitFor();
    await window.page.keyboard.press('Enter');
    const inside = window.treeItem('inside.conf');
    await inside.waitFor();
    await window.screenshot('sudo-files-3-tree');
    await window.pickFromContextMenu(inside, 'Give Up the Rights of Another User');
    await inside.waitFor({ state: 'detached' });
  });

  it('starts without a complaint of the extension host', async () => {
    assert.deepEqual(await hostComplaints(window), []);
  });
});
