import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { messageId } from '../../../src/agentkit/index.ts';
import { press } from '../harness/press.ts';
import { until } from '../harness/until.ts';
import { deferred } from '../../unit/agentkit/support/deferred.ts';
import {
  assistantMessage,
  eventsOf,
  snapshotOf,
  userMessage,
  waitingApproval,
} from '../../unit/features/assistant/support.ts';
import { assistantPages, type AssistantPage } from './assistantPage.ts';
import { answerPieces, cards, interrupted, long, streaming } from './scenes.ts';

describe('a person at the page of the assistant', () => {
  const start = assistantPages();

  /** Waits until an approval takes decisions: for a moment after it has appeared it takes none. */
  async function decidable(set: AssistantPage): Promise<void> {
    await set.flush();
    const reason = set.page.getByLabel('Reason');
    await press(set.page.getByRole('button', { name: 'Deny…' }), () => reason.isVisible());
    await press(set.page.getByRole('button', { name: 'Back' }), () => reason.isHidden());
  }

  it('sends with Enter, breaks the line with Shift+Enter, and clears the field once the text is stored', async () => {
    const set = await start();
    const field = set.page.getByRole('textbox', { name: 'Message' });
    await field.fill('first');
    await field.press('Shift+Enter');
    await field.pressSequentially('second');
    await field.press('Enter');
    await until({ what: 'the stored text', probe: () => set.session.sent[0] });
    await set.flush();
    assert.deepEqual(set.session.sent, ['first\nsecond']);
    assert.equal(await field.inputValue(), '');
  });

  it('keeps the text and says why when it is not stored', async () => {
    const set = await start();
    set.session.refusal = new Error('Another window is writing. Try again in a moment.');
    const field = set.page.getByRole('textbox', { name: 'Message' });
    await field.fill('keep me');
    await field.press('Enter');
    await set.page.getByText('Another window is writing').waitFor();
    assert.equal(await field.inputValue(), 'keep me');
  });

  it('keeps the draft while the page is away', async () => {
    const set = await start();
    await set.page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
    const kept = await until({
      what: 'the kept draft',
      probe: async () => {
        const state = await set.kept();
        return JSON.stringify(state ?? '').includes('half a thought') ? state : undefined;
      },
    });
    await set.close();
    const again = await start({ state: kept });
    assert.equal(await again.page.getByRole('textbox', { name: 'Message' }).inputValue(), 'half a thought');
  });

  it('does not keep as a draft what was stored while the page was away', async () => {
    const set = await start();
    const stored = deferred();
    set.session.whenSent = stored.promise;
    const field = set.page.getByRole('textbox', { name: 'Message' });
    await field.fill('how full is the disk?');
    await field.press('Enter');
    await until({
      what: 'the attempt to send',
      probe: async () => JSON.stringify((await set.kept()) ?? '').includes('"sending":'),
    });
    set.screen.setVisible(false);
    stored.resolve();
    await until({ what: 'the stored message', probe: async () => set.session.sent.length === 1 });
    await set.page.reload();
    set.screen.setVisible(true);
    await field.waitFor();
    await until({ what: 'the empty field', probe: async () => (await field.inputValue()) === '' });
    assert.deepEqual(set.session.sent, ['how full is the disk?']);
    assert.deepEqual(set.complaints, []);
  });

  it('an example question goes into the field and is not sent', async () => {
    const set = await start();
    await set.page.getByRole('button', { name: 'Why is the disk of lab filling up?' }).click();
    const field = set.page.getByRole('textbox', { name: 'Message' });
    assert.equal(await field.inputValue(), 'Why is the disk of lab filling up?');
    assert.deepEqual(set.session.sent, []);
  });

  it('the suggestion after an interruption goes into the field', async () => {
    const set = await start({ stored: interrupted });
    await set.page.getByRole('button', { name: 'Ask to check' }).click();
    const field = set.page.getByRole('textbox', { name: 'Message' });
    await until({ what: 'the suggestion', probe: async () => (await field.inputValue()) !== '' });
    assert.equal(
      await field.inputValue(),
      'Check on lab whether `systemctl restart app` took effect, without repeating it.',
    );
  });

  it('allows with a click, with the id and the digest of what was shown', async () => {
    const set = await start();
    set.library.wait([waitingApproval()]);
    await decidable(set);
    await set.page.getByRole('button', { name: 'Allow once' }).click();
    await until({ what: 'the decision', probe: () => set.library.settled.length > 0 });
    assert.deepEqual(set.library.settled, [
      { approvalId: 'a1', shownDigest: 'd1', verdict: 'approve', reason: undefined },
    ]);
  });

  it('a press meant for one card never decides the next', async () => {
    const set = await start();
    set.library.wait([waitingApproval(), waitingApproval({ id: 'a2', digest: 'd2', action: 'reboot' })]);
    await decidable(set);
    const allow = set.page.getByRole('button', { name: 'Allow once' });
    const box = await allow.boundingBox();
    assert.ok(box !== null);
    await set.page.mouse.dblclick(box.x + 20, box.y + 10);
    await set.flush();
    await set.page.getByText('reboot').first().waitFor();
    await set.page.mouse.click(box.x + 20, box.y + 10);
    await set.page.keyboard.press('Enter');
    await set.flush();
    assert.deepEqual(
      set.library.settled.map(({ approvalId }) => approvalId),
      ['a1'],
    );
  });

  it('Enter in the composer decides nothing', async () => {
    const set = await start();
    set.library.wait([waitingApproval()]);
    await decidable(set);
    const field = set.page.getByRole('textbox', { name: 'Message' });
    await field.press('Enter');
    await field.press('Control+Alt+Enter');
    await field.press('Control+Alt+Backspace');
    await set.flush();
    assert.deepEqual([set.library.settled, set.session.sent], [[], []]);
  });

  it('denies with a reason by keyboard only, and the focus goes on to the composer', async () => {
    const set = await start();
    set.library.wait([waitingApproval()]);
    await decidable(set);
    await set.page.locator('.exact').focus();
    await set.page.keyboard.press('ArrowRight');
    assert.equal(await set.page.evaluate('document.activeElement.textContent.trim()'), 'Deny…');
    await set.page.keyboard.press('Enter');
    await set.page.keyboard.type('rotate it instead');
    await set.page.keyboard.press('Enter');
    await until({ what: 'the decision', probe: () => set.library.settled.length > 0 });
    await set.flush();
    assert.deepEqual(set.library.settled, [
      { approvalId: 'a1', shownDigest: 'd1', verdict: 'deny', reason: 'rotate it instead' },
    ]);
    assert.equal(await set.page.evaluate('document.activeElement.tagName'), 'TEXTAREA');
  });

  it('the shortcut works with the focus in the card', async () => {
    const set = await start();
    set.library.wait([waitingApproval()]);
    await decidable(set);
    await set.page.locator('.exact').focus();
    await set.page.keyboard.press('Enter');
    assert.equal(set.library.settled.length, 0, 'Enter on the text is no decision');
    await set.page.keyboard.press('Control+Alt+Enter');
    await until({ what: 'the decision', probe: () => set.library.settled.length > 0 });
    assert.equal(set.library.settled[0]?.verdict, 'approve');
  });

  it('a text that does not fit has to be seen to its end before it can be allowed', async () => {
    const set = await start();
    const action = Array.from({ length: 80 }, (_, line) => `rm /var/log/app.${line}`).join('\n');
    set.library.wait([waitingApproval({ action })]);
    await decidable(set);
    const allow = set.page.locator('vscode-button.allow');
    assert.notEqual(await allow.getAttribute('disabled'), null);
    await set.page.locator('.exact').focus();
    await set.page.keyboard.press('Control+Alt+Enter');
    assert.equal(set.library.settled.length, 0);
    await set.page.locator('.approval-body .end').scrollIntoViewIfNeeded();
    await until({ what: 'the button', probe: async () => (await allow.getAttribute('disabled')) === null });
  });

  it('an approval is announced once and takes no focus', async () => {
    const set = await start();
    await set.page.getByRole('textbox', { name: 'Message' }).focus();
    set.library.wait([waitingApproval()]);
    await set.flush();
    const urgent = set.page.locator('[aria-live=assertive]');
    assert.equal(
      await urgent.textContent(),
      'Needs your decision: rm /var/log/app/app.log.1, Run on lab as root, production.',
    );
    assert.equal(await set.page.evaluate('document.activeElement.tagName'), 'TEXTAREA');
  });

  it('a streamed answer is read aloud sentence by sentence, a card when it is finished', async () => {
    const set = await start();
    set.session.fire(...eventsOf(...streaming));
    await set.flush();
    set.session.fire(...eventsOf(...answerPieces));
    await set.flush();
    const spoken = (await set.page.locator('.spoken').textContent()) ?? '';
    assert.ok(spoken.includes('du -xh --max-depth=2 /var on lab, succeeded'), spoken);
    assert.ok(!spoken.includes('logrotate --force'), spoken);
    assert.equal(await set.page.locator('[role=log]').getAttribute('aria-live'), 'polite');
  });

  it('shows the whole retained output on demand, copies it, and opens the captured one', async () => {
    const set = await start({ stored: cards });
    const card = set.page.locator('article.row-card').nth(1);
    assert.equal(((await card.locator('pre').textContent()) ?? '').split('\n').length, 5);
    await card.getByRole('button', { name: 'Show more' }).click();
    await card.getByRole('button', { name: 'Show less' }).waitFor();
    await until({
      what: 'the whole text',
      probe: async () => ((await card.locator('pre').textContent()) ?? '').split('\n').length === 2_000,
    });
    assert.equal(
      await card.locator('.marker').textContent(),
      '[Showing lines 101-2100 of 2100. Full output: 11111111/outputs/ssh-exec-6f1d0f5e.txt]',
    );
    await card.getByRole('button', { name: 'Show less' }).click();
    assert.equal(((await card.locator('pre').textContent()) ?? '').split('\n').length, 5);
    await card.getByRole('button', { name: 'Open full output' }).click();
    await card.getByRole('button', { name: 'Copy' }).click();
    await until({ what: 'both actions', probe: () => set.editor.length === 2 });
    assert.equal(set.editor[0], 'resource termind-scratch:/11111111/outputs/ssh-exec-6f1d0f5e.txt');
    assert.equal(set.editor[1]?.split('\n').length, 2_001);
  });

  it('links open through the extension host, and nothing of an answer runs', async () => {
    const text =
      '[a](https://example.com/) <img src=x onerror="document.title=1"> ![p](https://example.com/p.png)';
    const set = await start({ stored: snapshotOf({ messages: [userMessage('x'), assistantMessage(text)] }) });
    await set.page.getByRole('link', { name: 'a', exact: true }).click();
    await until({ what: 'the opened link', probe: () => set.editor[0] });
    assert.deepEqual(set.editor, ['external https://example.com/']);
    assert.equal(await set.page.locator('img').count(), 0);
    assert.deepEqual(set.complaints, []);
  });

  it('goes from row to row with the arrow keys, into a row with Enter, and out of it with Escape', async () => {
    const set = await start({ stored: cards });
    const focused = (): Promise<unknown> =>
      set.page.evaluate(
        'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()',
      );
    await set.page.locator('article').last().focus();
    await set.page.keyboard.press('ArrowUp');
    assert.equal(await focused(), 'systemctl restart app.service on lab, outcome unknown');
    await set.page.keyboard.press('Home');
    assert.equal(await focused(), 'You');
    await set.page.keyboard.press('ArrowDown');
    await set.page.keyboard.press('ArrowDown');
    await set.page.keyboard.press('Enter');
    assert.equal(await focused(), 'Show more');
    await set.page.keyboard.press('ArrowRight');
    assert.equal(await focused(), 'Copy');
    await set.page.keyboard.press('Escape');
    assert.equal(await focused(), 'df -h on lab, succeeded');
    assert.equal(await set.page.locator('.scroller [tabindex="0"]').count(), 1, 'one tab stop');
  });

  it('holds 200 rows, loads older ones without moving the reader, and comes back to the newest', async () => {
    const set = await start({ stored: long(450) });
    const rows = set.page.locator('article');
    assert.equal(await rows.count(), 200);
    await set.page.locator('article').first().scrollIntoViewIfNeeded();
    await set.page.locator('.scroller').hover();
    await set.page.mouse.wheel(0, -400);
    await set.page.getByText('Question 200').waitFor({ state: 'attached' });
    assert.equal(await rows.count(), 200);
    await set.page.getByRole('button', { name: 'Jump to latest' }).click();
    await set.page.getByText('Answer 449.').waitFor();
    assert.equal(await rows.count(), 200);
    assert.equal(await set.page.getByRole('button', { name: 'Jump to latest' }).count(), 0);
  });

  it('a reader who went up stays there while the answer grows', async () => {
    const set = await start({ stored: long(60) });
    await set.page.locator('.scroller').hover();
    await set.page.mouse.wheel(0, -600);
    await set.page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await set.flush();
    const first = await set.page.evaluate(
      '[...document.querySelectorAll("article")].find((row) => row.getBoundingClientRect().bottom > 0).dataset.row',
    );
    const row = set.page.locator(`[data-row="${String(first)}"]`);
    const before = await row.boundingBox();
    set.session.fire(
      ...eventsOf({ kind: 'messageDelta', messageId: messageId('m9'), text: 'More.\n\n'.repeat(40) }),
    );
    await set.flush();
    assert.deepEqual(await row.boundingBox(), before);
  });

  it('a page that missed a change asks for everything anew', async () => {
    const set = await start();
    await set.page.evaluate('toPage({ kind: "delta", generation: 1, seq: 9, ops: [] })');
    set.session.fire(...eventsOf({ kind: 'runStarted', prompt: userMessage('Still there?') }));
    await until({
      what: 'the row',
      probe: async () => {
        await set.flush();
        return set.page.getByText('Still there?').isVisible();
      },
    });
  });

  it('a page killed and loaded 50 times during a stream shows what is stored', async function () {
    this.timeout(120_000);
    const set = await start();
    set.session.fire(...eventsOf(...streaming));
    const words = Array.from({ length: 50 }, (_, index) => `word${index} `);
    for (const text of words) {
      set.session.fire(...eventsOf({ kind: 'messageDelta', messageId: messageId('m2'), text }));
      await set.page.reload();
      await set.page.locator('termind-composer textarea').waitFor();
    }
    await set.flush();
    const shown = await set.page.locator('article').last().textContent();
    assert.equal(shown?.trim().replace(/\s+/g, ' '), words.join('').trim());
    assert.deepEqual(set.complaints, []);
  });

  it('nothing moves for a person who asked for that', async () => {
    const set = await start({ reducedMotion: true });
    set.session.fire(...eventsOf(...streaming));
    await set.flush();
    assert.equal(await set.page.evaluate('document.getAnimations().length'), 0);
  });
});
