import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { Browser } from 'playwright-core';
import { ensureEditor } from '../../scripts/setup/editor.ts';
import { launchBrowser } from './harness/browser.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { startServer, type EditorServer } from './harness/server.ts';
import { until } from './harness/until.ts';
import { packagedExtension } from './harness/vsix.ts';
import { Workbench } from './harness/workbench.ts';

const config = [
  'Host web',
  '  HostName 192.0.2.1',
  '  User deploy',
  '  Ciphers +aes128-cbc',
  'Match originalhost web exec "test %n = web"',
  '  Port 2222',
  'Host *',
  '  User everybody',
  '  ControlPath /run/%C',
  '  ServerAliveInterval 15',
].join('\n');

/** From the Hosts view to the line that set a value, with the consent that is asked on the way. */
describe('the SSH configuration in the packaged extension', () => {
  let folder: string;
  let server: EditorServer;
  let browser: Browser;
  let window: Workbench;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'termind-config-'));
    const file = path.join(folder, 'config');
    writeFileSync(file, config);
    server = await startServer({
      editor: await ensureEditor('newest'),
      vsix: [packagedExtension()],
      settings: { 'termind.ssh.configFile': file },
    });
    browser = await launchBrowser();
    window = await Workbench.open(browser, server);
  });

  after(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  it('asks for consent once, then shows every value with its line', async () => {
    await window.openActivity('Termind');
    await window.treeItem('web').waitFor();
    await window.runCommand('Termind: Show Effective SSH Configuration');
    await window.quickPickRow('web').first().click();
    await window.dialog('runs programs').waitFor();
    await window.screenshot('config-1-consent');
    await window.answerDialog('runs programs', 'Allow for This File');
    const page = await window.webview('h1');
    await page.getByText('give the same values').waitFor();
    const row = page.locator('tbody tr', { hasText: 'Port' }).first();
    assert.match(await row.innerText(), /Port\s+2222\s+.*config:6\s+honoured/);
    await window.screenshot('config-2-page', ['dark', 'light', 'highContrast']);
    await window.runCommand('Termind: Show Effective SSH Configuration');
    await window.quickPickRow('web').first().click();
    await page.getByText('give the same values').waitFor();
    assert.equal(await window.dialog('runs programs').count(), 0);
  });

  it('opens the line behind a value', async () => {
    const page = await window.webview('h1');
    await page
      .getByRole('button', { name: /config:6$/ })
      .first()
      .click();
    await until({ what: 'the file', probe: async () => (await window.editorText()).includes('Port 2222') });
    const cursor = window.statusBarItem('Ln 6, Col 1');
    await cursor.waitFor();
  });

  it('opens the block of a host that is to be edited', async () => {
    await window.pickFromContextMenu(window.treeItem('web'), 'Edit Host');
    await window.statusBarItem('Ln 1, Col 1').waitFor();
  });

  it('starts without a complaint of the extension host', async () => {
    assert.deepEqual(await hostComplaints(window), []);
  });
});
