import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { before, describe, it } from 'mocha';
import type { Theme } from '../harness/editorSettings.ts';
import { press } from '../harness/press.ts';
import { eventsOf, startedAt, waitingApproval } from '../../unit/features/assistant/support.ts';
import { overflowing } from './overflowing.ts';
import { assistantPages, type AssistantPage, type AssistantPageOptions } from './assistantPage.ts';
import {
  answered,
  answerPieces,
  cards,
  compacted,
  decidedPlan,
  failed,
  interrupted,
  openQuestion,
  plan,
  questions,
  reviews,
  streaming,
  tasks,
  underReview,
} from './scenes.ts';

const pictures = path.resolve(import.meta.dirname, '../screenshots/webview');
const themes: readonly Theme[] = ['light', 'dark', 'highContrast', 'highContrastLight'];
const widths = [200, 240, 400, 800] as const;

interface Scene {
  readonly name: string;
  readonly options?: Partial<AssistantPageOptions>;
  /** Brings the page into the state that is looked at. */
  play?(open: AssistantPage): Promise<void> | void;
}

const scenes: readonly Scene[] = [
  { name: 'empty' },
  {
    name: 'blocked',
    play: (open) => {
      open.library.choices = [];
      open.model.show(open.session);
    },
  },
  {
    name: 'streaming',
    play: async (open) => {
      open.session.fire(...eventsOf(...streaming));
      await open.flush();
      await open.page.getByText('docker').waitFor();
    },
  },
  {
    name: 'writing',
    play: (open) => open.session.fire(...eventsOf(...streaming, ...answerPieces)),
  },
  { name: 'cards', options: { stored: cards } },
  {
    name: 'cards-top',
    options: { stored: cards },
    play: async (open) => {
      await open.page.locator('.scroller').hover();
      await open.page.mouse.wheel(0, -9_000);
      await open.page.getByText('You').first().waitFor();
    },
  },
  { name: 'reviews', options: { stored: reviews } },
  {
    name: 'under-review',
    play: async (open) => {
      open.session.fire(...eventsOf(...underReview));
      await open.flush();
      await open.page.getByText('in security review').waitFor();
    },
  },
  {
    name: 'composer',
    options: { stored: cards },
    play: async (open) => {
      open.session.fire(
        ...eventsOf({ kind: 'usageUpdated', usage: {}, contextTokens: 39_800, contextWindow: 128_000 }),
      );
      await open.page
        .locator('textarea')
        .fill(Array.from({ length: 12 }, (_, line) => `line ${line + 1}`).join('\n'));
      await open.page.locator('textarea').focus();
    },
  },
  { name: 'panel', options: { stored: cards, surface: 'panel' } },
  { name: 'interrupted', options: { stored: interrupted } },
  { name: 'error', options: { stored: failed } },
  {
    name: 'approval-production',
    play: (open) => {
      open.session.fire(
        ...eventsOf(...streaming.slice(0, 6), {
          kind: 'runState',
          state: 'waitingForApproval',
          since: startedAt,
        }),
      );
      open.library.wait([
        {
          ...waitingApproval({ action: 'rm /var/log/app/app.log.1' }),
          targetChanged: true,
          before: ['df -h', 'du -sh /var/log', 'ls -l /var/log/app'],
        },
        waitingApproval({ id: 'a2' }),
      ]);
    },
  },
  {
    name: 'approval-denying',
    play: async (open) => {
      open.library.wait([waitingApproval()]);
      await open.flush();
      await denyButton(open);
    },
  },
  {
    name: 'approval-of-an-edit',
    play: (open) => {
      const action = 'systemctl restart app';
      open.library.wait([
        waitingApproval({
          action,
          request: { canGrant: true, isEdited: true, editable: { argument: 'command', text: action } },
        }),
      ]);
    },
  },
  {
    name: 'approval-editing',
    play: async (open) => {
      const action = 'systemctl restart app';
      open.library.wait([
        waitingApproval({ action, request: { editable: { argument: 'command', text: action } } }),
      ]);
      await open.flush();
      await press(open.page.getByRole('button', { name: 'Edit', exact: true }), () =>
        open.page.getByLabel('What shall run instead').isVisible(),
      );
    },
  },
  {
    name: 'approval-long',
    play: (open) => {
      open.library.wait([
        waitingApproval({
          action: Array.from({ length: 60 }, (_, line) => `rm /var/log/app/app.log.${line + 1} &&`).join(
            '\n',
          ),
        }),
      ]);
    },
  },
  {
    name: 'approval-hidden-characters',
    play: (open) => {
      const approval = waitingApproval({
        action: 'install -m 0600 /dev/stdin /etc/app/token <<EOF\n\tkey=\u202eabc\u202c \u200b\nEOF\n',
      });
      const { request } = approval;
      open.library.wait([
        { ...approval, before: [], request: { ...request, subject: { ...request.subject, tier: '' } } },
      ]);
    },
  },
  {
    name: 'questions',
    play: async (open) => {
      open.session.fire(...eventsOf(...streaming.slice(0, 6)));
      void open.library.ask(questions);
      open.library.wait([waitingApproval()]);
      await open.flush();
      await open.page.getByText('Something else').click();
      await open.page.getByText('web-1', { exact: true }).click();
    },
  },
  {
    name: 'question-open',
    play: (open) => {
      open.model.show(undefined);
      void open.library.ask([openQuestion]);
    },
  },
  { name: 'answered', options: { stored: answered } },
  {
    name: 'loop',
    play: (open) => {
      void open.library.askWhether({ kind: 'loop', repeats: 5, toolNames: ['ssh_exec_run', 'list_hosts'] });
    },
  },
  {
    name: 'ceiling',
    play: (open) => {
      void open.library.askWhether({ kind: 'ceiling', unit: 'cost', used: 1.0734, limit: 1, more: 1 });
      open.library.wait([waitingApproval()]);
    },
  },
  { name: 'plan', options: { stored: plan } },
  { name: 'plan-decided', options: { stored: decidedPlan } },
  {
    name: 'tasks',
    options: { stored: { ...cards, tasks } },
    play: async (open) => {
      open.session.fire(...eventsOf(...streaming));
      await open.flush();
      await open.page.getByRole('button', { name: 'Tasks' }).click();
    },
  },
  { name: 'compacted', options: { stored: compacted } },
];

describe('the page of the assistant', () => {
  const start = assistantPages();

  before(() => void mkdirSync(pictures, { recursive: true }));

  for (const scene of scenes)
    for (const theme of themes)
      it(`${scene.name} in ${theme}: nothing overlaps, axe finds nothing`, async () => {
        const it = await start({ theme, width: 400, ...scene.options });
        await scene.play?.(it);
        await it.flush();
        for (const width of widths) {
          await it.page.setViewportSize({ width, height: width === 800 ? 720 : 640 });
          await it.flush();
          await it.page.screenshot({ path: path.join(pictures, `${scene.name}-${theme}-${width}.png`) });
          assert.deepEqual(await overflowing(it.page), [], `at ${width} px`);
        }
        const { violations } = await new AxeBuilder({ page: it.page }).analyze();
        assert.deepEqual(
          violations.map(
            ({ id, nodes }) =>
              `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary ?? ''}`).join('; ')}`,
          ),
          [],
        );
        assert.deepEqual(it.complaints, []);
      });
});

/** Opens the reason of a denial. */
async function denyButton({ page }: AssistantPage): Promise<void> {
  await press(page.getByRole('button', { name: 'Deny…' }), () => page.getByLabel('Reason').isVisible());
}
