import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Frame } from 'playwright-core';
import { canCreateAccounts } from '../lab/account.ts';
import { startSshd, type Sshd } from '../lab/sshd.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { startLabEditor, type LabEditor } from './harness/labEditor.ts';
import type { Workbench } from './harness/workbench.ts';

/** From a folder in the Files view to the plan, the question and the result. */
describe('folders that are compared in the packaged extension', () => {
  let sshd: Sshd;
  let folder: string;
  let local: string;
  let site: string;
  let trash: string | undefined;
  let editor: LabEditor;
  let window: Workbench;

  before(async () => {
    sshd = await startSshd(canCreateAccounts() ? { account: {} } : {});
    folder = fs.mkdtempSync(path.join(tmpdir(), 'termind-sync-'));
    local = path.join(folder, 'site');
    site = fs.mkdtempSync(path.join(sshd.account.home, 'site-'));
    const then = 1_700_000_000;
    const put = (file: string, text: string, time = then): void => {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
      fs.utimesSync(file, time, time);
    };
    for (const root of [local, site]) put(path.join(root, 'same.html'), 'same');
    put(path.join(local, 'index.html'), '<h1>Welcome</h1>\n<p>new</p>\n', then + 60);
    put(path.join(site, 'index.html'), '<h1>Welcome</h1>\n');
    put(path.join(local, 'css/main.css'), 'body { margin: 0 }\n');
    put(path.join(site, 'log/access.log'), 'GET /\n');
    put(path.join(local, 'data'), 'a file here');
    put(path.join(site, 'data/rows'), 'a folder there');
    fs.symlinkSync('index.html', path.join(local, 'start.html'));
    const { uid, gid } = sshd.account;
    for (const name of ['', ...(fs.readdirSync(site, { recursive: true }) as string[])])
      fs.chownSync(path.join(site, name), uid, gid);
    editor = await startLabEditor(sshd);
    window = editor.window;
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot('sync-failed', ['dark']);
  });
  after(async () => {
    await editor.stop();
    for (const one of [folder, site, ...(trash === undefined ? [] : [trash])])
      fs.rmSync(one, { recursive: true, force: true });
    await sshd.stop();
  });

  const plan = (): Promise<Frame> => window.webview('h1');

  it('shows the whole plan before anything is done', async () => {
    await window.openActivity('Termind');
    await window.runCommand('Termind: Browse Files');
    await window.quickPickRow('lab').first().click();
    const home = window.treeItem('where you sign in');
    await home.waitFor();
    await home.click();
    const row = window.treeItem(path.basename(site)).first();
    await row.waitFor();
    await window.pickFromContextMenu(row, 'Compare Folders');
    await window.quickPickRow('A Folder of This Machine').click();
    await window.chooseFolder(local, { button: 'Compare', shows: 'css' });
    await window.quickPickRow('Change the Right Folder').waitFor();
    await window.screenshot('sync-1-direction', ['dark']);
    await window.quickPickRow('Change the Right Folder').click();
    const page = await plan();
    await page.getByText('Create 2, replace 1, delete 0').waitFor();
    const index = page.locator('tbody tr', { hasText: 'index.html' }).first();
    assert.match(await index.innerText(), /index\.html[^]*→ replace[^]*the sizes differ/);
    await window.screenshot('sync-2-plan', ['dark', 'light', 'highContrast']);
    assert.equal(fs.existsSync(path.join(site, 'css')), false);
  });

  it('shows two files side by side', async () => {
    const page = await plan();
    await page.getByRole('button', { name: 'Open Diff' }).first().click();
    await window.page
      .locator('.monaco-diff-editor .modified .view-line', { hasText: 'Welcome' })
      .first()
      .waitFor();
    await window.screenshot('sync-3-diff', ['dark']);
    await window.runCommand('View: Close Editor');
  });

  it('compares again with deletions when they are chosen', async () => {
    const page = await plan();
    await page.getByRole('button', { name: 'Options…' }).click();
    await window.quickPickRow('Delete what only the changed folder has').click();
    await window.page.keyboard.press('Enter');
    await page.getByText('Create 2, replace 1, delete 2').waitFor();
    await window.page.setViewportSize({ width: 640, height: 800 });
    await window.screenshot('sync-4-narrow', ['dark', 'light']);
    await window.page.setViewportSize({ width: 1280, height: 800 });
  });

  it('makes what was shown after a question, and tells how it ended', async () => {
    const page = await plan();
    await page.getByRole('button', { name: 'Synchronize…' }).click();
    const question = window.dialog('Synchronize the folders?');
    await question.waitFor();
    await question.getByText('.termind-trash').waitFor();
    await window.screenshot('sync-5-question');
    await window.answerDialog('Synchronize the folders?', 'Synchronize');
    await page.getByText('Changes made: 5 of 5').waitFor();
    await window.screenshot('sync-6-result');
    assert.equal(fs.readFileSync(path.join(site, 'css/main.css'), 'utf8'), 'body { margin: 0 }\n');
    assert.deepEqual(fs.readdirSync(site).sort(), ['css', 'data', 'index.html', 'same.html']);
    trash = /What was deleted is in (\S+) on the host/.exec(await page.locator('body').innerText())?.[1];
    assert.equal(fs.readFileSync(path.join(trash ?? '', 'log/access.log'), 'utf8'), 'GET /\n');
  });

  it('has nothing to do when it compares again', async () => {
    const page = await plan();
    await page.getByRole('button', { name: 'Compare Again' }).click();
    await page.getByText('Nothing to do').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Synchronize…' }).count(), 0);
    await window.screenshot('sync-7-equal', ['dark']);
  });

  it('starts without a complaint of the extension host', async () => {
    assert.deepEqual(await hostComplaints(window), []);
  });
});
