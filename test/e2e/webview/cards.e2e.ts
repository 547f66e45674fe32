import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { callId, messageId } from '../../../src/agentkit/index.ts';
import { press } from '../harness/press.ts';
import { until } from '../harness/until.ts';
import { eventsOf, startedAt, userMessage, waitingApproval } from '../../unit/features/assistant/support.ts';
import { assistantPages, type AssistantPage } from './assistantPage.ts';
import { answered, cards, decidedPlan, longPlan, openQuestion, plan, questions, tasks } from './scenes.ts';

describe('a person at the cards of the assistant', () => {
  const start = assistantPages();

  /** Presses a button until it acted. */
  const decide = (set: AssistantPage, name: string, hasActed: () => unknown): Promise<void> =>
    press(set.page.getByRole('button', { name, exact: true }), async () => {
      await set.flush();
      return hasActed();
    });

  /** Watches a promise; gives what it settled with. */
  function watched<T>(promise: Promise<T>): () => T | undefined {
    let settled: { readonly value: T } | undefined;
    void promise.then((value) => (settled = { value }));
    return () => settled?.value;
  }

  const activeTag = ({ page }: AssistantPage): Promise<unknown> =>
    page.evaluate('document.activeElement.tagName');

  describe('with questions', () => {
    it('answers by mouse, one choice and several', async () => {
      const set = await start();
      const outcome = watched(set.library.ask(questions));
      await set.flush();
      await set.page.getByText('Remove them').click();
      await set.page.getByText('web-1', { exact: true }).click();
      await set.page.getByText('db-1.a-very').click();
      await decide(set, 'Send answer', outcome);
      assert.deepEqual(outcome(), {
        kind: 'answered',
        answers: [
          { questionId: 'which', selectedOptionIds: ['remove'] },
          { questionId: 'hosts', selectedOptionIds: ['web-1', 'db-1'] },
        ],
      });
      await set.flush();
      assert.equal(await set.page.locator('.pinned').count(), 0);
    });

    it('answers by keyboard only, in own words', async () => {
      const set = await start();
      const outcome = watched(set.library.ask(questions));
      await set.flush();
      set.screen.postWhenReady({ kind: 'focusPinned' });
      await set.flush();
      const { keyboard } = set.page;
      await keyboard.press('Tab');
      await keyboard.press('Space');
      assert.equal(await set.page.getByLabel('Move them to the archive').isChecked(), true);
      await keyboard.press('ArrowDown');
      await keyboard.press('ArrowDown');
      assert.equal(await set.page.getByLabel('Something else').isChecked(), true);
      await keyboard.press('Tab');
      await keyboard.type('Keep three');
      await keyboard.press('Enter');
      await keyboard.type('of them');
      await keyboard.press('Tab');
      await keyboard.press('Space');
      assert.equal(outcome(), undefined, 'Enter answers nothing');
      await until({
        what: 'the answer',
        probe: async () => {
          await keyboard.press('Control+Enter');
          await set.flush();
          return outcome();
        },
      });
      assert.deepEqual(outcome(), {
        kind: 'answered',
        answers: [
          { questionId: 'which', selectedOptionIds: [], customText: 'Keep three\nof them' },
          { questionId: 'hosts', selectedOptionIds: ['web-1'] },
        ],
      });
      await set.flush();
      assert.equal(await activeTag(set), 'TEXTAREA', 'the focus goes on to the composer');
    });

    it('cancels, which the model reads as no answer', async () => {
      const set = await start();
      const outcome = watched(set.library.ask([openQuestion]));
      await set.flush();
      await set.page.getByRole('button', { name: "Don't answer" }).focus();
      await until({
        what: 'the decision',
        probe: async () => {
          await set.page.keyboard.press('Enter');
          await set.flush();
          return outcome();
        },
      });
      assert.deepEqual(outcome(), { kind: 'cancelled' });
      await set.flush();
      assert.equal(await activeTag(set), 'TEXTAREA', 'the focus goes on to the composer');
    });

    it('Escape, Enter and the other card’s keys answer nothing, and nothing can be sent without an answer', async () => {
      const set = await start();
      const outcome = watched(set.library.ask(questions));
      await set.flush();
      const send = set.page.getByRole('button', { name: 'Send answer' });
      assert.notEqual(await send.getAttribute('disabled'), null);
      const { keyboard } = set.page;
      for (const key of ['Control+Enter', 'Control+Alt+Enter', 'Control+Alt+Backspace', 'Enter', 'Escape']) {
        set.screen.postWhenReady({ kind: 'focusPinned' });
        await set.flush();
        await keyboard.press(key);
        await set.flush();
      }
      assert.equal(outcome(), undefined);
      assert.equal(await activeTag(set), 'TEXTAREA', 'Escape leaves to the composer');
      assert.equal(set.library.cards.waiting.length, 1);
    });

    it('shows one thing at a time, and a press for the first never decides the next', async () => {
      const set = await start();
      const outcome = watched(set.library.ask([openQuestion]));
      set.library.wait([waitingApproval()]);
      await set.flush();
      await set.page.getByRole('heading', { name: '1 of 2 · asks you' }).waitFor();
      assert.equal(await set.page.locator('.approval').count(), 0);
      await set.page.getByLabel('Your answer').fill('Nobody knows');
      await decide(set, 'Send answer', outcome);
      await set.page.locator('.approval').waitFor();
      for (const key of ['Control+Enter', 'Control+Alt+Enter', 'Enter', 'Space'])
        await set.page.keyboard.press(key);
      await set.flush();
      assert.deepEqual(set.library.settled, []);
      assert.deepEqual(
        set.library.cards.waiting.map(({ subject }) => subject.kind),
        ['approval'],
      );
    });

    it('are there again after the page was loaded anew, with what was filled in', async () => {
      const set = await start();
      const outcome = watched(set.library.ask([openQuestion]));
      await set.flush();
      await set.page.getByLabel('Your answer').fill('It was in the way');
      await until({
        what: 'the kept answer',
        probe: async () => JSON.stringify((await set.kept()) ?? '').includes('It was in the way'),
      });
      await set.page.reload();
      await set.page.getByRole('heading', { name: 'Asks you' }).waitFor();
      assert.equal(await set.page.getByLabel('Your answer').inputValue(), 'It was in the way');
      await decide(set, 'Send answer', outcome);
      assert.deepEqual(outcome(), {
        kind: 'answered',
        answers: [{ questionId: 'why', selectedOptionIds: [], customText: 'It was in the way' }],
      });
      await set.flush();
      await set.page.getByRole('textbox', { name: 'Message' }).fill('next');
      const kept = await until({
        what: 'the state behind the answer',
        probe: async () => {
          const state = JSON.stringify((await set.kept()) ?? '');
          return state.includes('next') ? state : undefined;
        },
      });
      assert.ok(!kept.includes('in the way'), 'what was answered is kept no longer');
    });

    it('are announced once and take no focus; when they are withdrawn the focus is where it was', async () => {
      const set = await start();
      await set.page.getByRole('textbox', { name: 'Message' }).focus();
      const stop = new AbortController();
      void set.library.ask([openQuestion], { signal: stop.signal });
      await set.flush();
      const urgent = set.page.locator('[aria-live=assertive]');
      assert.equal(await urgent.textContent(), 'The assistant asks you: Why was the rotation switched off?');
      assert.equal(await activeTag(set), 'TEXTAREA');
      stop.abort(new Error('stopped'));
      await set.flush();
      assert.equal(await set.page.locator('.pinned').count(), 0);
      assert.equal(await activeTag(set), 'TEXTAREA');
    });

    it('go when their time is over', async () => {
      const set = await start();
      const outcome = watched(set.library.ask([openQuestion], { timeoutMs: 1_000 }));
      await set.flush();
      await set.clock.advance(1_000);
      await set.flush();
      assert.deepEqual(outcome(), { kind: 'timedOut' });
      assert.equal(await set.page.locator('.pinned').count(), 0);
    });

    it('stay in the transcript with the answers', async () => {
      const set = await start({ stored: answered });
      const [first, second] = await set.page.locator('article.row-questions').allInnerTexts();
      assert.match(first ?? '', /7 files[\s\S]*Move them to the archive[\s\S]*not answered/);
      assert.match(second ?? '', /Why was the rotation[\s\S]*not answered[\s\S]*closed the question/);
    });

    it('of a model cannot bring anything into the page but Markdown', async () => {
      const set = await start();
      const prompt = '**Which?** <img src=x onerror="document.title=1"> [x](javascript:alert(1))';
      const label = '<b>bold</b>';
      void set.library.ask([
        { ...openQuestion, prompt, options: [{ id: 'a', label, description: label, recommended: false }] },
      ]);
      await set.flush();
      assert.equal(await set.page.locator('.pinned img, .pinned b, .pinned a').count(), 0);
      assert.equal(await set.page.locator('.choice-label').first().innerText(), label);
      const spoken = (await set.page.locator('[aria-live=assertive]').textContent()) ?? '';
      assert.match(spoken, /^The assistant asks you: Which\? /);
      assert.deepEqual(set.complaints, []);
    });
  });

  describe('with a run that asks whether it goes on', () => {
    it('is told what happened, and continues once however often the button is pressed', async () => {
      const set = await start();
      const answer = watched(
        set.library.askWhether({ kind: 'ceiling', unit: 'turns', used: 20, limit: 20, more: 20 }),
      );
      const next = watched(set.library.askWhether({ kind: 'loop', repeats: 5, toolNames: ['list_hosts'] }));
      await set.flush();
      await set.page.locator('.sentence', { hasText: 'has taken 20 turns. Your limit is 20.' }).waitFor();
      await set.page.locator('.hint', { hasText: 'Continue allows 20 more turns, 40 in all.' }).waitFor();
      await set.page.getByRole('heading', { name: '1 of 2 · needs your decision' }).waitFor();
      const button = set.page.getByRole('button', { name: 'Continue' });
      const box = await button.boundingBox();
      assert.ok(box !== null);
      await until({
        what: 'the decision',
        probe: async () => {
          await set.page.mouse.dblclick(box.x + 10, box.y + 10);
          return answer();
        },
      });
      await set.flush();
      await set.page.locator('.sentence', { hasText: 'the same results 5 times in a row' }).waitFor();
      await set.page.mouse.click(box.x + 10, box.y + 10);
      await set.flush();
      assert.deepEqual([answer(), next()], [{ kind: 'continue' }, undefined]);
    });

    it('stops by keyboard, and Escape and Enter decide nothing', async () => {
      const set = await start();
      const answer = watched(set.library.askWhether({ kind: 'loop', repeats: 5, toolNames: ['list_hosts'] }));
      await set.flush();
      const { keyboard } = set.page;
      const focus = async (): Promise<void> => {
        set.screen.postWhenReady({ kind: 'focusPinned' });
        await set.flush();
      };
      await focus();
      for (const key of ['Enter', 'Control+Enter', 'Control+Alt+Enter', 'Escape']) await keyboard.press(key);
      await set.flush();
      assert.equal(answer(), undefined);
      await focus();
      await keyboard.press('ArrowRight');
      await until({
        what: 'the decision',
        probe: async () => {
          await keyboard.press('Enter');
          await set.flush();
          return answer();
        },
      });
      assert.deepEqual(answer(), { kind: 'stop' });
    });
  });

  describe('with a plan', () => {
    it('reads it and has it implemented, once however often the button is pressed', async () => {
      const set = await start({ stored: plan });
      await set.page.getByRole('heading', { name: 'Not part of it' }).waitFor();
      const button = set.page.getByRole('button', { name: 'Implement' });
      await until({
        what: 'the decision',
        probe: async () => {
          await button.dblclick({ timeout: 1_000 }).catch(() => undefined);
          return set.session.implemented.length > 0;
        },
      });
      await set.flush();
      assert.deepEqual([set.session.implemented, set.session.discarded], [['call_plan'], []]);
    });

    it('discards it by keyboard; decided it is folded, says so and can be unfolded', async () => {
      const set = await start({ stored: plan });
      const row = set.page.locator('article.row-plan');
      await row.focus();
      await set.page.keyboard.press('Enter');
      const { keyboard } = set.page;
      await until({
        what: 'the button',
        probe: async () => {
          await keyboard.press('ArrowRight');
          return set.page.evaluate('document.activeElement.textContent.trim() === "Discard"');
        },
      });
      await until({
        what: 'the decision',
        probe: async () => {
          await keyboard.press('Enter');
          return set.session.discarded.length > 0;
        },
      });
      assert.deepEqual(set.session.discarded, ['call_plan']);
      set.session.store(decidedPlan);
      await set.flush();
      await row.getByText('implemented').waitFor();
      assert.equal(await activeTag(set), 'ARTICLE', 'the focus stays with the row');
      assert.equal(await row.getByRole('button', { name: 'Implement' }).count(), 0);
      assert.equal(await row.locator('.plan-body').count(), 0);
      await row.getByRole('button', { name: 'Show the plan' }).click();
      await row.getByRole('heading', { name: 'Steps' }).waitFor();
    });

    it('that is long is shown whole before it can be implemented', async () => {
      const set = await start({ stored: longPlan });
      await set.page.getByText('The last step.').waitFor();
      const button = set.page.getByRole('button', { name: 'Implement' });
      assert.equal(await button.getAttribute('disabled'), null);
    });

    it('waits until the running request has ended', async () => {
      const set = await start({ stored: plan });
      set.session.fire(
        ...eventsOf({ kind: 'runStarted', prompt: userMessage('Go on', { id: messageId('u9') }) }),
      );
      await set.flush();
      await set.page.getByText('once the running request has ended').waitFor();
      const button = set.page.getByRole('button', { name: 'Implement' });
      assert.notEqual(await button.getAttribute('disabled'), null);
    });

    it('says why it was not taken', async () => {
      const set = await start({ stored: plan });
      set.session.refusal = new Error('Another window has decided about this plan.');
      await decide(set, 'Discard', () => set.page.getByText('Another window has decided').count());
      assert.deepEqual(set.session.discarded, []);
    });

    it('switches plan mode on and off, by mouse and by keyboard', async () => {
      const set = await start();
      const toggle = set.page.getByRole('checkbox', { name: 'Plan mode' });
      assert.equal(await toggle.getAttribute('aria-checked'), 'false');
      await toggle.click();
      await until({ what: 'the mode', probe: () => set.session.stored.summary.planning });
      await set.flush();
      await set.page.getByText('Plan mode: the next request only looks').waitFor();
      assert.equal(await toggle.getAttribute('aria-checked'), 'true');
      await toggle.focus();
      await set.page.keyboard.press('Space');
      await until({ what: 'the mode', probe: () => !set.session.stored.summary.planning });
      await set.flush();
      assert.equal(await set.page.locator('.mode-note').count(), 0);
    });
  });

  describe('with a list of tasks', () => {
    it('sees how far it is, opens it, and it stays open', async () => {
      const set = await start({ stored: { ...cards, tasks } });
      const list = set.page.getByRole('button', { name: 'Tasks' });
      assert.match(await list.innerText(), /2 of 5[\s\S]*Rotate the log/);
      const done = tasks.map(
        (task, at) => ({ ...task, status: at < 3 ? 'completed' : task.status }) as const,
      );
      set.session.fire(...eventsOf({ kind: 'tasksUpdated', callId: callId('tasks'), tasks: done }));
      await set.flush();
      assert.match(await list.innerText(), /3 of 5/);
      await list.click();
      assert.equal(await set.page.locator('.task').count(), 5);
      assert.equal(await set.page.getByText('done: Find what grows').count(), 1);
      await until({
        what: 'the kept state',
        probe: async () => JSON.stringify((await set.kept()) ?? '').includes('"areTasksOpen":true'),
      });
      await set.page.reload();
      await set.page.locator('.task').first().waitFor();
    });
  });

  it('hears once that older messages were summarised', async () => {
    const set = await start({ stored: cards });
    const record = {
      messageId: messageId('s1'),
      boundary: messageId('t_1'),
      summary: 'The disk is full.',
      createdAt: startedAt + 60_000,
    };
    set.session.store({ compactions: [record] });
    await set.flush();
    const text = (await set.page.locator('.divider').innerText()).trim();
    assert.match(text, /^2 older messages summarised for the model · /);
    const spoken = (await set.page.locator('.spoken').textContent()) ?? '';
    assert.equal(spoken.split(text).length, 2);
  });
});
