import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Browser, Frame, Locator } from 'playwright-core';
import { ensureEditor } from '../../scripts/setup/editor.ts';
import { aliasHostId } from '../../src/domain/host/hostId.ts';
import { sharedFolder, startLabHost } from '../integration/assistant/labHost.ts';
import { calls, command, says } from '../integration/assistant/scripts.ts';
import { startScriptedModel, type Script, type ScriptedModel } from '../lab/scriptedModel.ts';
import { silentResponse, streamResponse } from '../lab/scriptedResponse.ts';
import type { Sshd } from '../lab/sshd.ts';
import { launchBrowser } from './harness/browser.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { press } from './harness/press.ts';
import { startServer, type EditorServer } from './harness/server.ts';
import { packagedExtension } from './harness/vsix.ts';
import { Workbench } from './harness/workbench.ts';

/** Two models, each with a server of its own: one works, the other reviews what it wants to do. */
describe('Approve for me in the packaged extension', () => {
  let sshd: Sshd;
  let model: ScriptedModel;
  let reviewer: ScriptedModel;
  let folder: ReturnType<typeof sharedFolder>;
  let server: EditorServer;
  let browser: Browser;
  let window: Workbench;
  let view: Frame;

  before(async () => {
    folder = sharedFolder();
    [sshd, model, reviewer] = await Promise.all([
      startLabHost(),
      startScriptedModel({ title: 'Files' }),
      startScriptedModel(),
    ]);
    const config = path.join(folder.path, 'config');
    writeFileSync(config, sshd.configText('lab'));
    const provider = (id: string, label: string, { baseUrl }: ScriptedModel) => ({
      id,
      label,
      kind: 'openai-chat',
      baseUrl,
      model: 'lab-1',
    });
    server = await startServer({
      editor: await ensureEditor('newest'),
      vsix: [packagedExtension()],
      settings: {
        'termind.providers': [provider('worker', 'Worker', model), provider('judge', 'Judge', reviewer)],
        'termind.ssh.configFile': config,
      },
    });
    browser = await launchBrowser();
    window = await Workbench.open(browser, server);
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot('review-failed', ['dark']);
  });

  after(async () => {
    await browser.close();
    await server.stop();
    await Promise.all([sshd.stop(), model.stop(), reviewer.stop()]);
    folder.remove();
  });

  const fileOf = (name: string): string => path.join(folder.path, name);
  const verdict = (outcome: string, risk_level: string, user_authorization: string): Script =>
    says(JSON.stringify({ rationale: `Because of ${outcome}.`, risk_level, user_authorization, outcome }));
  const lastCard = (): Locator => view.locator('.card').last();

  /** The person asks for a file, and the assistant wants to make it. */
  async function ask(name: string, ...verdicts: readonly Script[]): Promise<void> {
    model.enqueue(calls(command(name, aliasHostId('lab'), `touch ${fileOf(name)}`)), says(`End of ${name}.`));
    reviewer.enqueue(...verdicts);
    await view.getByRole('textbox', { name: 'Message' }).fill(`Make the file ${name} on lab`);
    await view.getByRole('textbox', { name: 'Message' }).press('Enter');
  }

  async function ended(name: string): Promise<void> {
    await view.getByText(`End of ${name}.`, { exact: true }).waitFor();
  }

  it('asks who reviews before it is switched on, and switches on nothing without an answer', async () => {
    await window.runCommand('Termind: Open Assistant');
    view = await window.webview('.composer');
    await view.getByRole('button', { name: 'Permission mode: Ask for approval' }).waitFor();
    await window.runCommand('Termind: Choose Permission Mode');
    await window.quickPickRow('Approve for me').click();
    await window.quickPickRow('judge/lab-1').waitFor();
    await window.page.keyboard.press('Escape');
    await window.quickPickRow('judge/lab-1').waitFor({ state: 'hidden' });
    await view.getByRole('button', { name: 'Permission mode: Ask for approval' }).waitFor();
    await window.runCommand('Termind: Choose Permission Mode');
    await window.quickPickRow('Approve for me').click();
    await window.quickPickRow('judge/lab-1').click();
    await view.getByRole('button', { name: 'Permission mode: Approve for me' }).waitFor();
  });

  it('what the reviewer allows runs without a question, and the card says why', async () => {
    await ask('allowed', verdict('allow', 'low', 'high'));
    await window.dialog('lab').waitFor();
    await window.answerDialog('lab', 'Accept and Remember');
    await ended('allowed');
    assert.equal(existsSync(fileOf('allowed')), true);
    const card = await lastCard().innerText();
    assert.match(card, /Allowed by the security review · low risk · clearly covered by your words/);
    assert.match(card, /Because of allow\./);
    const posted = JSON.stringify(reviewer.requests[0]?.body ?? {});
    assert.match(posted, /Make the file allowed on lab/);
    await window.screenshot('review-1-allowed');
  });

  it('what the reviewer denies does not run, and the assistant reads why', async () => {
    await ask('denied', verdict('deny', 'high', 'low'));
    await ended('denied');
    assert.equal(existsSync(fileOf('denied')), false);
    const card = await lastCard().innerText();
    assert.match(card, /Denied by the security review · high risk · hardly covered by your words/);
    const posted = JSON.stringify(model.requests.at(-1)?.body ?? {});
    assert.match(posted, /The security review denied this call: .*Because of deny\./);
    await window.screenshot('review-2-denied');
  });

  it('a reviewer that lies three times has allowed nothing', async () => {
    const lie = verdict('allow', 'critical', 'high');
    await ask('lied', lie, lie, lie);
    await ended('lied');
    assert.equal(existsSync(fileOf('lied')), false);
    assert.match(await lastCard().innerText(), /Not allowed: the review model gave no valid verdict\./);
  });

  it('a reviewer that hangs up every time has allowed nothing', async () => {
    const broken = streamResponse([], { ending: 'reset' });
    await ask('broken', broken, broken, broken);
    await ended('broken');
    assert.equal(existsSync(fileOf('broken')), false);
    assert.match(
      await lastCard().innerText(),
      /Not allowed: the review model could not be reached or failed\./,
    );
  });

  it('a reviewer that says nothing until its time is over has allowed nothing', async () => {
    await ask('late', silentResponse);
    await ended('late');
    assert.equal(existsSync(fileOf('late')), false);
    assert.match(await lastCard().innerText(), /Not allowed: the security review took longer/);
  });

  it('while a reviewer says nothing the view tells it, and nothing is allowed', async () => {
    await ask('stopped', silentResponse);
    await view.getByText('in security review').waitFor();
    await view.getByText('Security review', { exact: true }).waitFor();
    await press(
      view.getByRole('button', { name: 'Stop', exact: true }).first(),
      // A machine that is busy for half a minute sees the time of the review end first.
      async () => (await view.getByText(/^(Stopped|End of stopped)\.$/).count()) > 0,
    );
    assert.equal(existsSync(fileOf('stopped')), false);
    assert.match(
      await lastCard().innerText(),
      /Not allowed: the security review (was cancelled|took longer)/,
    );
  });

  it('verdicts are there after a reload of the window', async () => {
    await window.reload();
    view = await window.webview('.composer');
    await view.getByText('Denied by the security review').waitFor();
    assert.deepEqual([await hostComplaints(window), model.violations, reviewer.violations], [[], [], []]);
  });
});
