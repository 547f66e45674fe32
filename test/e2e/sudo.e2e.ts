import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Browser, BrowserContext, Frame } from 'playwright-core';
import { ensureEditor } from '../../scripts/setup/editor.ts';
import { aliasHostId } from '../../src/domain/host/hostId.ts';
import { unwrapped } from '../integration/assistant/labWindow.ts';
import { calls, callsOn, command, says } from '../integration/assistant/scripts.ts';
import type { LabAccount } from '../lab/account.ts';
import { startScriptedModel, type ScriptedModel } from '../lab/scriptedModel.ts';
import { startSshd, type Sshd } from '../lab/sshd.ts';
import { createSudoer, sudoObstacle } from '../lab/sudoer.ts';
import { skipBecause } from '../skip.ts';
import { hits, printedForms } from '../support/canaries.ts';
import { launchBrowser } from './harness/browser.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { press } from './harness/press.ts';
import { startServer, type EditorServer } from './harness/server.ts';
import { packagedExtension } from './harness/vsix.ts';
import { Workbench } from './harness/workbench.ts';

/** What the person types. Nothing that is kept anywhere may hold it, in any form. */
const password = 'sudo "w\\rd" ü/+?&=%41 typed';

describe('a sudo password that a person types in the editor', function () {
  let account: LabAccount;
  let sshd: Sshd;
  let model: ScriptedModel;
  let server: EditorServer;
  let browser: Browser;
  let context: BrowserContext;
  let window: Workbench;
  let view: Frame;
  let profile: string;
  let elsewhere: string;

  before(async function () {
    const obstacle = sudoObstacle();
    if (obstacle !== undefined) skipBecause(this, obstacle);
    profile = mkdtempSync(path.join(tmpdir(), 'termind-profile-'));
    elsewhere = mkdtempSync(path.join(tmpdir(), 'termind-sudo-'));
    account = await createSudoer({ password });
    [sshd, model] = await Promise.all([startSshd({ account }), startScriptedModel({ title: 'Restart' })]);
    const config = path.join(elsewhere, 'config');
    writeFileSync(config, sshd.configText('lab'));
    writeFileSync(path.join(elsewhere, 'leak'), `${printedForms(password).join('\n')}\n`);
    chmodSync(elsewhere, 0o755);
    const provider = { id: 'lab', label: 'Lab', kind: 'openai-chat', baseUrl: model.baseUrl, model: 'lab-1' };
    server = await startServer({
      editor: await ensureEditor('newest'),
      vsix: [packagedExtension()],
      profile,
      settings: { 'termind.providers': [provider], 'termind.ssh.configFile': config },
    });
    browser = await launchBrowser();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    window = await Workbench.open(browser, server, { context });
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot('sudo-failed', ['dark']);
  });

  after(async () => {
    await browser.close();
    await server.stop();
    await Promise.all([sshd.stop(), model.stop()]);
    account.dispose();
    for (const folder of [profile, elsewhere])
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** Everything on disk below the profile: settings, storage, logs, caches, homes and temporary files. */
  const stored = (): readonly (readonly [string, Buffer])[] =>
    readdirSync(profile, { recursive: true, withFileTypes: true }).flatMap((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return entry.isFile() ? [[file, readFileSync(file)] as const] : [];
    });

  it('is asked for in a masked field that says what it is for', async () => {
    model.enqueue(
      calls({
        id: 'ask',
        name: 'request_user_secret',
        args: {
          prompt: 'For the restart of nginx',
          host_id: aliasHostId('lab'),
          consumer_tool: 'ssh_exec_run',
          purpose: 'sudo',
        },
      }),
      callsOn(({ conversation }) => {
        const answer = conversation.messages.findLast(({ role }) => role === 'tool')?.text ?? '';
        const { secret_handle } = unwrapped(answer);
        const line = `sudo sh -c 'id -un; cat ${elsewhere}/leak; cat ${elsewhere}/leak >&2'`;
        return [command('run', aliasHostId('lab'), { line, secret_handle, yield_ms: 60_000 })];
      }),
      says('Restarted as **root**.'),
    );
    await window.runCommand('Termind: Open Assistant');
    view = await window.webview('.composer');
    await view.getByRole('textbox', { name: 'Message' }).fill('Restart nginx on lab');
    await view.getByRole('textbox', { name: 'Message' }).press('Enter');
    await window.page.getByText('Password for sudo on lab').waitFor();
    await window.page.getByText('For the restart of nginx').waitFor();
    assert.equal(await window.quickInput().getAttribute('type'), 'password');
    await window.quickInput().pressSequentially(password);
    await window.screenshot('sudo-1-field');
    await window.page.keyboard.press('Enter');
  });

  it('goes to sudo, and the output that repeats it is redacted', async () => {
    const approval = view.locator('.approval .exact', { hasText: 'sudo -S -p termind-sudo-' });
    await approval.waitFor();
    await press(view.getByRole('button', { name: 'Allow once' }), async () => (await approval.count()) === 0);
    await window.dialog('lab').waitFor();
    await window.answerDialog('lab', 'Accept and Remember');
    await view.getByText('Restarted as').waitFor();
    const result = model.requests.at(-1)?.conversation.messages.findLast(({ role }) => role === 'tool')?.text;
    assert.match(result ?? '', /root\\n/);
    assert.match(result ?? '', /\[redacted\]/);
    await window.screenshot('sudo-2-done');
  });

  it('is in nothing that was sent, shown or kept while the window is open', async () => {
    const shown = await Promise.all(
      window.page
        .frames()
        .map(async (frame, index) => [`frame ${String(index)}`, await frame.content()] as const),
    );
    assert.deepEqual(
      hits({ password }, [
        ...stored(),
        ...shown,
        ...model.requests.map(({ raw }, index) => [`request ${String(index)}`, raw] as const),
        ['console', window.console],
        ['storage of the browser', await context.storageState()],
        ['output of the editor', server.output()],
      ]),
      [],
    );
    assert.deepEqual(model.violations, []);
  });

  it('is in no stored byte after everything has ended', async () => {
    assert.deepEqual(await hostComplaints(window), []);
    await window.close();
    await server.stop();
    const files = stored();
    for (const name of ['termind.db', 'settings.json'])
      assert.ok(
        files.some(([file]) => path.basename(file) === name),
        `${name} is among the files that were looked at`,
      );
    assert.deepEqual(hits({ password }, files), []);
  });
});
