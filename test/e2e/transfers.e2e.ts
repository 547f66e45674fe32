import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Browser } from 'playwright-core';
import { ensureEditor } from '../../scripts/setup/editor.ts';
import { canCreateAccounts } from '../lab/account.ts';
import { startSshd, type Sshd } from '../lab/sshd.ts';
import { launchBrowser } from './harness/browser.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { startServer, type EditorServer } from './harness/server.ts';
import { until } from './harness/until.ts';
import { packagedExtension } from './harness/vsix.ts';
import { Workbench } from './harness/workbench.ts';

/** From a folder of this machine to one of a real server and back, as the Transfers view shows it. */
describe('transfers in the packaged extension', () => {
  let sshd: Sshd;
  let folder: string;
  let local: string;
  let site: string;
  let server: EditorServer;
  let browser: Browser;
  let window: Workbench;

  before(async () => {
    sshd = await startSshd(canCreateAccounts() ? { account: {} } : {});
    folder = fs.mkdtempSync(path.join(tmpdir(), 'termind-transfers-'));
    local = path.join(folder, 'site');
    site = fs.mkdtempSync(path.join(sshd.account.home, 'srv-'));
    fs.chownSync(site, sshd.account.uid, sshd.account.gid);
    for (const [file, text] of [
      ['index.html', '<h1>Welcome</h1>'],
      ['css/main.css', 'body { margin: 0 }'],
    ] as const) {
      fs.mkdirSync(path.dirname(path.join(local, file)), { recursive: true });
      fs.writeFileSync(path.join(local, file), text);
    }
    fs.mkdirSync(path.join(folder, 'back', 'here'), { recursive: true });
    const known = path.join(folder, 'known');
    fs.writeFileSync(known, sshd.knownHosts());
    const config = path.join(folder, 'config');
    const trust = [`  UserKnownHostsFile ${known}`, '  GlobalKnownHostsFile none', ''];
    fs.writeFileSync(config, [sshd.configText('lab'), ...trust].join('\n'));
    server = await startServer({
      editor: await ensureEditor('newest'),
      vsix: [packagedExtension()],
      settings: { 'termind.ssh.configFile': config },
    });
    browser = await launchBrowser();
    window = await Workbench.open(browser, server);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot('transfers-failed', ['dark']);
  });
  after(async () => {
    await browser.close();
    await server.stop();
    for (const one of [folder, site]) fs.rmSync(one, { recursive: true, force: true });
    await sshd.stop();
  });

  /** Answers the editor's own dialog for folders, which is an input box here; it takes what is typed when it has looked there. */
  async function chooseFolder(
    where: string,
    { button: name, shows }: { button: string; shows: string },
  ): Promise<void> {
    const box = window.page.locator('.quick-input-widget');
    const input = box.locator('.quick-input-box input');
    const button = box.getByRole('button', { name, exact: true });
    await button.waitFor();
    await until({
      what: 'the content of the folder in the dialog',
      probe: async () => {
        await input.fill(`${where}/`);
        return box.locator('.monaco-list-row', { hasText: shows }).isVisible();
      },
    });
    await until({
      what: 'the folder to be chosen',
      probe: async () => {
        await button.click({ timeout: 2_000 }).catch(() => {}); // it may be gone
        return !(await box.isVisible());
      },
    });
  }

  it('uploads a folder and shows that it has arrived', async () => {
    await window.openActivity('Termind');
    await window.runCommand('Termind: Upload…');
    await window.quickPickRow('lab').first().click();
    await window.page.locator('.quick-input-widget', { hasText: 'The folder on lab' }).waitFor();
    await window.answerInput(site);
    await window.quickPickRow('Folders…').click();
    await chooseFolder(local, { button: 'Upload', shows: 'css' });
    await window.runCommand('Termind: Focus on Transfers View');
    await window.treeItem('↑ lab · 34 B, 2 files').waitFor();
    assert.deepEqual(contents(path.join(site, 'site')), contents(local));
    await window.screenshot('transfers-1-uploaded', ['dark', 'light']);
  });

  it('downloads a folder', async () => {
    await window.runCommand('Termind: Download to…');
    await window.quickPickRow('lab').first().click();
    await window.page.locator('.quick-input-widget', { hasText: 'The file or folder on lab' }).waitFor();
    await window.answerInput(path.join(site, 'site'));
    await chooseFolder(path.join(folder, 'back'), { button: 'Download Here', shows: 'here' });
    await window.treeItem('↓ lab · 34 B, 2 files').waitFor();
    assert.deepEqual(contents(path.join(folder, 'back', 'site')), contents(local));
    await window.page.setViewportSize({ width: 640, height: 800 });
    await window.screenshot('transfers-2-narrow', ['dark']);
    assert.deepEqual(await hostComplaints(window), []);
  });
});

function contents(root: string): readonly string[] {
  return ['index.html', 'css/main.css'].map((file) => fs.readFileSync(path.join(root, file), 'utf8'));
}
