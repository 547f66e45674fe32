import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { WaitingApproval } from '../../../src/application/assistant/assistantLibrary.ts';
import { press } from '../harness/press.ts';
import { until } from '../harness/until.ts';
import { waitingApproval } from '../../unit/features/assistant/support.ts';
import { assistantPages, type AssistantPage } from './assistantPage.ts';

const command = 'rm /var/log/app/app.log.1';

function editable(parts: NonNullable<Parameters<typeof waitingApproval>[0]> = {}): WaitingApproval {
  const action = parts.action ?? command;
  return waitingApproval({
    ...parts,
    request: { canGrant: true, editable: { argument: 'command', text: action }, ...parts.request },
  });
}

/** The version of a call with another command, as the gate would hand it in. */
function edited(text: string): WaitingApproval {
  return editable({
    digest: `digest of ${text}`,
    action: text,
    request: { isEdited: true, reasons: [`Not proven read-only: ${text.split(' ')[0] ?? ''}.`] },
  });
}

describe('the card of an approval', () => {
  const start = assistantPages();

  const button = ({ page }: AssistantPage, name: string) => page.getByRole('button', { name, exact: true });

  /** Presses a button until it acted: for a moment after a card has appeared nothing does. */
  const click = (set: AssistantPage, name: string, hasActed: () => unknown): Promise<void> =>
    press(button(set, name), async () => {
      await set.flush();
      return hasActed();
    });

  /** A card that takes decisions, with the focus in it. */
  async function focused(set: AssistantPage): Promise<void> {
    await set.flush();
    const reason = set.page.getByLabel('Reason');
    await press(button(set, 'Deny…'), () => reason.isVisible());
    await press(button(set, 'Back'), () => reason.isHidden());
    set.screen.postWhenReady({ kind: 'focusPinned' });
    await set.flush();
  }

  async function startEditing(set: AssistantPage): Promise<void> {
    await set.flush();
    await press(button(set, 'Edit'), () => set.page.getByLabel('What shall run instead').isVisible());
  }

  it('offers to deny, to edit, to allow for the conversation and to allow once, in this order', async () => {
    const set = await start();
    set.library.wait([editable()]);
    await set.flush();
    await button(set, 'Allow once').waitFor();
    assert.deepEqual(await set.page.locator('.approval .actions vscode-button').allInnerTexts(), [
      'Deny…',
      'Edit',
      'Allow for this conversation',
      'Allow once',
    ]);
  });

  it('offers neither where the call can be neither edited nor granted', async () => {
    const set = await start();
    set.library.wait([waitingApproval()]);
    await set.flush();
    await button(set, 'Allow once').waitFor();
    assert.equal(await button(set, 'Edit').count(), 0);
    assert.equal(await button(set, 'Allow for this conversation').count(), 0);
  });

  it('allows for the conversation with the digest of what was shown', async () => {
    const set = await start();
    set.library.wait([editable()]);
    await click(set, 'Allow for this conversation', () => set.library.settled.length > 0);
    assert.deepEqual(set.library.settled, [
      { approvalId: 'a1', shownDigest: 'd1', verdict: 'approveForConversation', reason: undefined },
    ]);
  });

  it('edited call: shows the edited command as another question and allows it by its own digest only', async () => {
    const set = await start();
    set.library.onEdit = edited;
    set.library.wait([editable()]);
    await startEditing(set);
    const field = set.page.getByLabel('What shall run instead');
    assert.equal(await field.inputValue(), command);
    await field.fill('rm /var/log/app/app.log.2');
    await click(set, 'Check this version', () => set.page.getByText('Edited by you').isVisible());
    assert.deepEqual(set.library.settled, [], 'editing allows nothing');
    assert.equal(await set.page.locator('.exact').innerText(), 'rm /var/log/app/app.log.2');
    await click(set, 'Allow once', () => set.library.settled.length > 0);
    assert.deepEqual(set.library.settled, [
      {
        approvalId: 'a1',
        shownDigest: 'digest of rm /var/log/app/app.log.2',
        verdict: 'approve',
        reason: undefined,
      },
    ]);
  });

  it('edited call: says why an edit cannot be used, and stays as it was', async () => {
    const set = await start();
    set.library.onEdit = () => 'There is no host with this id.';
    set.library.wait([editable()]);
    await startEditing(set);
    await set.page.getByLabel('What shall run instead').fill('rm -rf /');
    await click(set, 'Check this version', () =>
      set.page.getByRole('alert').filter({ hasText: 'There is no host with this id.' }).isVisible(),
    );
    assert.equal(await set.page.getByLabel('What shall run instead').inputValue(), 'rm -rf /');
    await click(set, 'Back', () => button(set, 'Edit').isVisible());
    assert.equal(await set.page.locator('.exact').innerText(), command);
    assert.deepEqual(set.library.settled, []);
  });

  it('edited call: the same text asks nothing anew', async () => {
    const set = await start();
    set.library.onEdit = () => assert.fail('it was sent');
    set.library.wait([editable()]);
    await startEditing(set);
    await click(set, 'Check this version', () => button(set, 'Edit').isVisible());
    assert.deepEqual(set.library.settled, []);
  });

  it('no key allows anything while a version is being written', async () => {
    const set = await start();
    set.library.onEdit = edited;
    set.library.wait([editable()]);
    await startEditing(set);
    const { keyboard } = set.page;
    await set.page.getByLabel('What shall run instead').focus();
    for (const key of ['Enter', 'Control+Enter', 'Control+Alt+Enter']) await keyboard.press(key);
    await set.flush();
    assert.deepEqual(set.library.settled, []);
    assert.equal(set.actions.decideShown('approve'), false, 'not by a command of the editor either');
    assert.equal(set.library.waitingApprovals.length, 1);
    await keyboard.press('Escape');
    await button(set, 'Edit').waitFor();
  });

  it('Enter: decides nothing, in the composer, on the text and on the card', async () => {
    const set = await start();
    set.library.wait([editable()]);
    await focused(set);
    await set.page.keyboard.press('Enter');
    await set.page.getByRole('textbox', { name: 'Message' }).focus();
    for (const key of ['Enter', 'Control+Enter', 'Control+Alt+Enter']) await set.page.keyboard.press(key);
    await set.flush();
    assert.deepEqual([set.library.settled, set.library.waitingApprovals.length], [[], 1]);
  });

  it('Escape: decides nothing and leaves to the composer', async () => {
    const set = await start();
    set.library.wait([editable()]);
    await focused(set);
    await set.page.keyboard.press('Escape');
    await until({
      what: 'the focus in the composer',
      probe: async () => (await set.page.evaluate('document.activeElement.tagName')) === 'TEXTAREA',
    });
    assert.deepEqual([set.library.settled, set.library.waitingApprovals.length], [[], 1]);
  });

  it('close: a page that goes away decides nothing, and the question waits on', async () => {
    const set = await start();
    set.library.wait([editable()]);
    await focused(set);
    set.screen.setVisible(false);
    await set.page.goto('about:blank');
    assert.deepEqual([set.library.settled, set.library.waitingApprovals.length], [[], 1]);
  });

  it('killed webview: a page that is loaded anew shows the question again, and nothing was decided', async () => {
    const set = await start();
    set.library.wait([editable()]);
    await focused(set);
    await set.page.reload();
    await set.page.locator('.approval').waitFor();
    await set.flush();
    assert.equal(await set.page.locator('.exact').innerText(), command);
    assert.deepEqual([set.library.settled, set.library.waitingApprovals.length], [[], 1]);
  });

  it('stale digest: a press for what was shown before allows nothing of what waits now', async () => {
    const set = await start();
    set.library.wait([editable()]);
    await focused(set);
    // The call changes and the page has not heard of it yet.
    set.library.wait([edited('rm -rf /srv')]);
    await button(set, 'Allow once').click();
    await set.flush();
    await until({
      what: 'the changed question',
      probe: async () => {
        await set.flush();
        return (await set.page.locator('.exact').innerText()) === 'rm -rf /srv';
      },
    });
    assert.deepEqual([set.library.settled, set.library.waitingApprovals.length], [[], 1]);
  });
});
