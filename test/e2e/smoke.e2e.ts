import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { Browser } from 'playwright-core';
import { ensureEditor } from '../../scripts/setup/editor.ts';
import { launchBrowser } from './harness/browser.ts';
import { editorLines } from './harness/editorLines.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { startServer } from './harness/server.ts';
import type { EditorServer } from './harness/server.ts';
import { packagedExtension } from './harness/vsix.ts';
import { Workbench } from './harness/workbench.ts';

for (const line of editorLines) {
  describe(`the packaged extension on the ${line} editor line`, () => {
    let server: EditorServer | undefined;
    let browser: Browser | undefined;
    let window: Workbench;

    before(async () => {
      server = await startServer({ editor: await ensureEditor(line), vsix: [packagedExtension()] });
      browser = await launchBrowser();
      window = await Workbench.open(browser, server);
    });

    after(async () => {
      await browser?.close();
      await server?.stop();
    });

    it('shows its hosts view, and how to add the first one', async () => {
      await window.openActivity('Termind');
      await window.page.locator('.sidebar').getByRole('button', { name: 'Add Host' }).first().waitFor();
      await window.screenshot(`smoke-${line}-hosts`);
    });

    it('activates and answers a command', async () => {
      await window.runCommand('Termind: Show Log');
      await window.page.locator('.part.panel .composite.title', { hasText: 'Output' }).waitFor();
      await window.screenshot(`smoke-${line}-log`);
    });

    it('shows the assistant in the secondary side bar', async () => {
      await window.runCommand('Termind: Open Assistant');
      const view = await window.webview('textarea');
      await view.locator('textarea').waitFor();
      await window.screenshot(`smoke-${line}-assistant`);
    });

    it('starts without a migration error and without an unhandled rejection', async () => {
      assert.deepEqual(await hostComplaints(window), []);
    });
  });
}
