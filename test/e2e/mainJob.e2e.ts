import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Browser, BrowserContext, Frame, Locator } from 'playwright-core';
import { ensureEditor } from '../../scripts/setup/editor.ts';
import { labSettings, startLab, type Lab } from '../lab/lab.ts';
import { startSshd, type Sshd } from '../lab/sshd.ts';
import { skipBecause } from '../skip.ts';
import { launchBrowser } from './harness/browser.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { press } from './harness/press.ts';
import { startServer, type EditorServer } from './harness/server.ts';
import { until } from './harness/until.ts';
import { packagedExtension } from './harness/vsix.ts';
import { Workbench } from './harness/workbench.ts';

/** The five steps of the README, walked in the packaged extension by clicks and keys, each with a picture. */
describe('the main job, end to end', function () {
  let lab: Lab;
  let own: Sshd;
  let server: EditorServer;
  let browser: Browser;
  let context: BrowserContext;
  let window: Workbench;
  let view: Frame;

  before(async function () {
    if (process.getuid?.() !== 0)
      skipBecause(this, 'the password host needs an account of its own, which only root can make');
    lab = await startLab({ pauseMs: 15 });
    own = await startSshd({ account: { hasPassword: true } });
    server = await startServer({
      editor: await ensureEditor('newest'),
      vsix: [packagedExtension()],
      settings: labSettings(lab),
    });
    browser = await launchBrowser();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    window = await Workbench.open(browser, server, { context });
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot('main-failed', ['dark']);
  });

  after(async () => {
    await browser.close();
    await server.stop();
    await own.stop();
    await lab.stop();
  });

  const appLog = (name: string): string => path.join(lab.appFolder, 'log', name);
  const composer = (): Locator => view.getByRole('textbox', { name: 'Message' });

  async function openAssistant(): Promise<void> {
    await window.runCommand('Termind: Open Assistant');
    view = await window.webview('.composer');
  }

  async function ask(text: string): Promise<void> {
    await composer().fill(text);
    await composer().press('Enter');
  }

  const approvalOf = (command: string): Locator => view.locator('.approval .exact', { hasText: command });

  /** Waits until this command needs a decision. */
  async function approvalFor(command: string): Promise<void> {
    await approvalOf(command).waitFor();
  }

  /** Presses a button of the approval until it acted. */
  const decide = (name: string, hasActed: () => Promise<boolean>): Promise<void> =>
    press(view.locator('.approval').getByRole('button', { name }), hasActed);

  it('1: shows the host of the configuration, and takes one of the person’s own', async () => {
    await window.openActivity('Termind');
    await window.treeItem('lab').first().waitFor();
    await window.runCommand('Termind: Add Host');
    await window.page.getByText('Add Host (1 of 3)').waitFor();
    await window.answerInput(`${own.account.name}@127.0.0.1:${own.port}`);
    await window.page.getByText('Add Host (2 of 3)').waitFor();
    await window.answerInput('my server');
    await window.page.getByText('Add Host (3 of 3)').waitFor();
    await window.quickPickRow('A password').click();
    await window.treeItem('my server').waitFor();
  });

  it('1: shows an unknown host key once, and accepts it once', async () => {
    const dialog = window.dialog('my server');
    await dialog.waitFor();
    await dialog.getByText(own.hostKeys[0]?.fingerprint ?? 'no key').waitFor();
    await window.screenshot('main-1-host-key');
    await window.answerDialog('my server', 'Accept and Remember');
    await window.answerInput(own.account.password ?? '');
    await window.quickPickRow('Use it for this connection only').click();
    await window.terminalShows(/\$\s*$/);
    await window.typeInTerminal('exit\n');
    await window.terminalShows('exited with status 0');
    await window.typeInTerminal('x');
  });

  it('2: opens a terminal, runs top in it and shows the exit status', async () => {
    await window.treeItem('lab').last().dblclick();
    const dialog = window.dialog('lab');
    await dialog.waitFor();
    await window.answerDialog('lab', 'Accept and Remember');
    await window.terminalShows('@lab:');
    await window.typeInTerminal('echo size $(stty size)\n');
    const before = /size (\d+ \d+)/.exec(await window.terminalShows(/size \d+ \d+/))?.[1];
    await window.page.setViewportSize({ width: 1280, height: 720 });
    await until({
      what: 'the new size in the remote shell',
      probe: async () => {
        await window.typeInTerminal('clear; echo size $(stty size)\n');
        const now = /size (\d+ \d+)/.exec(await window.terminalShows(/size \d+ \d+/))?.[1];
        return now !== undefined && now !== before;
      },
    });
    await window.page.setViewportSize({ width: 1440, height: 900 });
    await window.typeInTerminal('top\n');
    await window.terminalShows(/load average/);
    await window.screenshot('main-2-top');
    await window.typeInTerminal('q');
    await window.terminalShows(/@lab:\S+\$$/);
    await window.typeInTerminal('exit 3\n');
    await window.terminalShows('exited with status 3');
    await window.screenshot('main-2-exit');
    await window.typeInTerminal('x');
  });

  it('3: answers, and runs what is proven read-only unasked', async () => {
    await openAssistant();
    await window.screenshot('main-3-empty');
    await ask('Why is the disk of lab filling up?');
    await view.getByText('I will find out what fills the disk').first().waitFor();
    await window.screenshot('main-3-streaming');
    await view.locator('.card', { hasText: 'df -h' }).waitFor();
    await view.locator('.card', { hasText: 'du -sh' }).waitFor();
  });

  it('3: shows 5,000 lines as their tail, with the marker and the saved whole', async () => {
    const card = view.locator('.card', { hasText: `cat ${appLog('app.log')}` });
    await card.locator('.marker').waitFor();
    assert.match(
      await card.locator('.marker').innerText(),
      /^\[Showing lines \d+-5000 of 5000\. Full output: [0-9a-f-]+\/outputs\/ssh-exec-[0-9a-f-]+\.txt\]$/,
    );
    await window.screenshot('main-3-marker');
    await card.getByRole('button', { name: 'Open full output' }).click();
    const firstLine = readFileSync(appLog('app.log'), 'utf8').split('\n')[0] ?? '';
    await until({
      what: 'the first line of the log in an editor',
      probe: async () => (await window.editorText()).startsWith(firstLine),
    });
    assert.match((await window.activeTab()) ?? '', /ssh-exec-/);
    await window.screenshot('main-3-scratch');
    await window.runCommand('View: Close Editor');
  });

  it('4: shows what it wants to change, where and as whom, and does nothing before the decision', async () => {
    await approvalFor(`rm ${appLog('app.log.2')}`);
    const card = view.locator('.approval');
    await card.getByText(`Run on lab as ${lab.sshd.account.name}`).waitFor();
    await card.getByText('rm deletes files.').waitFor();
    assert.ok(existsSync(appLog('app.log.2')));
    await window.screenshot('main-4-approval');
    await composer().press('Enter');
    assert.ok(existsSync(appLog('app.log.2')));
  });

  it('4: a denial reaches the model, and the file stays', async () => {
    await decide('Deny…', () => view.getByLabel('Reason').isVisible());
    await view.getByLabel('Reason').fill('I want to keep this one');
    await decide('Deny', async () => (await approvalOf(`rm ${appLog('app.log.2')}`).count()) === 0);
    await view.getByText('You declined the removal of').first().waitFor();
    assert.ok(existsSync(appLog('app.log.2')));
    const posted = JSON.stringify(lab.model.requests.at(-1)?.body ?? {});
    assert.match(posted, /I want to keep this one/);
  });

  it('4: an approval runs the command, and only then the file is gone', async () => {
    await approvalFor(`rm ${appLog('app.log.1')}`);
    assert.ok(existsSync(appLog('app.log.1')));
    await decide('Allow once', async () => !existsSync(appLog('app.log.1')));
    await view.getByRole('heading', { name: 'Done on lab' }).waitFor();
    assert.ok(existsSync(appLog('app.log.2')));
    assert.deepEqual(lab.model.violations, []);
    await window.screenshot('main-4-done');
  });

  it('5: after the window was closed in the middle of a run, the conversation says what is not known', async () => {
    await ask('Watch the log of lab for a minute');
    await approvalFor('timeout 60 tail');
    await decide('Allow once', async () => (await approvalOf('timeout 60 tail').count()) === 0);
    await view.locator('.card', { hasText: 'timeout 60 tail' }).waitFor();
    await lab.sshd.waitForLog(/Starting session: command/);
    const [host] = server.extensionHosts();
    assert.ok(host !== undefined);
    process.kill(host, 'SIGKILL');
    await window.close();
    window = await Workbench.open(browser, server, { context });
    await openAssistant();
    await view.getByText(/Interrupted\. The outcome of .* is unknown/).waitFor();
    await window.screenshot('main-5-unknown');
  });

  it('5: the run after it is valid and repeats nothing', async () => {
    const before = lab.model.requests.length;
    await ask('What can you do?');
    await until({ what: 'an answer', probe: () => lab.model.requests.length > before });
    assert.deepEqual(lab.model.violations, []);
    const posted = JSON.stringify(lab.model.requests.at(-1)?.body ?? {});
    assert.match(posted, /outcome of this call is unknown/);
  });

  it('leaves no complaint in the log of the extension host', async () => {
    assert.deepEqual(await hostComplaints(window), []);
  });
});
