import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Browser, Frame } from 'playwright-core';
import { ensureEditor } from '../../scripts/setup/editor.ts';
import { calls, says } from '../integration/assistant/scripts.ts';
import { sse } from '../lab/chatCompletions.ts';
import { startScriptedModel, type ScriptedModel } from '../lab/scriptedModel.ts';
import { gate, streamResponse } from '../lab/scriptedResponse.ts';
import { launchBrowser } from './harness/browser.ts';
import { hostComplaints } from './harness/hostComplaints.ts';
import { press } from './harness/press.ts';
import { startServer, type EditorServer } from './harness/server.ts';
import { until } from './harness/until.ts';
import { packagedExtension } from './harness/vsix.ts';
import { Workbench } from './harness/workbench.ts';

/** What the model asks for is decided on cards of the packaged extension, in the order in which it asks. */
describe('cards of the assistant in the editor', () => {
  let model: ScriptedModel;
  let server: EditorServer;
  let browser: Browser;
  let window: Workbench;
  let view: Frame;

  before(async () => {
    model = await startScriptedModel({ title: 'Old logs' });
    const provider = {
      id: 'lab',
      label: 'Lab model',
      kind: 'openai-chat',
      baseUrl: model.baseUrl,
      model: 'lab-1',
    };
    server = await startServer({
      editor: await ensureEditor('newest'),
      vsix: [packagedExtension()],
      settings: { 'termind.providers': [provider] },
    });
    browser = await launchBrowser();
    window = await Workbench.open(browser, server);
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot('cards-failed', ['dark']);
  });

  after(async () => {
    await browser.close();
    await server.stop();
    await model.stop();
  });

  const lastPosted = (): string => JSON.stringify(model.requests.at(-1)?.body ?? {});

  const decide = (name: string, hasActed: () => Promise<boolean>): Promise<void> =>
    press(view.getByRole('button', { name, exact: true }), hasActed);

  it('a question is told to a person who does not see the view, and the notification leads to it', async () => {
    const held = gate();
    const args = {
      questions: [
        {
          id: 'what',
          prompt: 'What should become of the **old logs**?',
          options: [
            { id: 'archive', label: 'Archive them' },
            { id: 'remove', label: 'Remove them' },
          ],
        },
      ],
    };
    model.enqueue(
      streamResponse([
        sse.begin(),
        held,
        sse.toolCall({ id: 'q', name: 'request_user_input', args }, { index: 0 }),
        sse.end('tool_calls'),
      ]),
      calls({
        id: 'w',
        name: 'scratch_write',
        args: { path: 'plan.md', content: '# Plan\n\n1. Move them.\n' },
      }),
      calls({
        id: 'p',
        name: 'present_plan',
        args: { title: 'Archive the old logs', scratch_path: 'plan.md' },
      }),
    );
    await window.runCommand('Termind: Open Assistant');
    view = await window.webview('.composer');
    await view.getByRole('checkbox', { name: 'Plan mode' }).click();
    await view.getByText('Plan mode: the next request only looks').waitFor();
    await view.getByRole('textbox', { name: 'Message' }).fill('Plan what to do with the old logs');
    await view.getByRole('textbox', { name: 'Message' }).press('Enter');
    await held.reached;
    await window.runCommand('View: Hide Secondary Side Bar');
    held.open();
    const notice = window.notification('The assistant asks you something.');
    await notice.waitFor();
    await window.statusBarItem('1').first().waitFor();
    await window.screenshot('cards-1-notice');
    await notice.getByRole('button', { name: 'Review' }).click();
    view = await window.webview('.questions-card');
    await window.screenshot('cards-2-question');
  });

  it('the answer that is given in the view reaches the model', async () => {
    await view.getByText('Archive them').click();
    await decide('Send answer', async () => (await view.locator('.questions-card').count()) === 0);
    await until({ what: 'the next request', probe: () => model.requests.length > 1 });
    assert.match(JSON.stringify(model.requests[1]?.body ?? {}), /Archive them/);
    assert.match(await view.locator('.row-questions').innerText(), /old logs[\s\S]*Archive them/);
  });

  it('a plan is read in the conversation and implemented from there', async () => {
    model.enqueue(says('Moved.'));
    await view.locator('.plan-body').getByText('Move them.').waitFor();
    await window.screenshot('cards-3-plan');
    await decide('Implement', async () => (await view.locator('.plan.state-implemented').count()) === 1);
    await view.getByText('Moved.', { exact: true }).waitFor();
    assert.match(lastPosted(), /Implement the plan/);
    assert.match(lastPosted(), /Plan mode is off/);
    await window.screenshot('cards-4-implemented');
  });

  it('leaves no complaint', async () => {
    assert.deepEqual([await hostComplaints(window), model.violations], [[], []]);
  });
});
