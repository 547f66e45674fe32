import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { before, describe, it } from 'mocha';
import { pageText } from '../../../src/domain/page/pageText.ts';
import type { Theme } from '../harness/editorSettings.ts';
import { until } from '../harness/until.ts';
import { overflowing } from './overflowing.ts';
import { everyBlock } from './pageDocuments.ts';
import { readOnlyPages } from './readOnlyPage.ts';

const pictures = path.resolve(import.meta.dirname, '../screenshots/webview');
const themes: readonly Theme[] = ['light', 'dark', 'highContrast', 'highContrastLight'];
const widths = [240, 400, 800, 1280] as const;

describe('a read-only page', () => {
  const start = readOnlyPages();

  before(() => void mkdirSync(pictures, { recursive: true }));

  for (const theme of themes)
    it(`in ${theme}: nothing overlaps at any width, axe finds nothing`, async () => {
      const { page, complaints } = await start({ document: everyBlock, theme });
      await page.locator('details').evaluate('(details) => { details.open = true; }');
      for (const width of widths) {
        await page.setViewportSize({ width, height: 720 });
        await page.screenshot({
          path: path.join(pictures, `pages-${theme}-${String(width)}.png`),
          fullPage: true,
        });
        assert.deepEqual(await overflowing(page), [], `at ${String(width)} px`);
      }
      const { violations } = await new AxeBuilder({ page }).analyze();
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join('; ')}`),
        [],
      );
      assert.deepEqual(complaints, []);
    });

  it('hides quiet rows until the switch is pressed, filters all of them, and shows at most 200 at once', async () => {
    const { page } = await start({ document: everyBlock });
    const rows = page.locator('tbody tr');
    assert.equal(await rows.count(), 2);
    await page.getByRole('searchbox', { name: 'Filter values' }).fill('keyword23');
    assert.equal(await rows.count(), 11);
    await page.getByRole('searchbox').fill('no such');
    await page.getByText('Nothing matches.').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByLabel('Show 240 that nothing sets').check();
    assert.equal(await rows.count(), 200);
    await page.getByRole('button', { name: 'Show more' }).click();
    assert.equal(await rows.count(), 242);
  });

  it('gives back the action of a link and a button, copies code and the whole page, and loads anew', async () => {
    const open = await start({ document: everyBlock });
    const { page, acts, copied, loads } = open;
    await page.getByRole('button', { name: 'Edit Host' }).click();
    await page.getByRole('button', { name: '~/.ssh/config:12' }).first().click();
    await page.getByRole('button', { name: 'Copy: Server said' }).click();
    await page.getByRole('button', { name: 'Copy as Text' }).click();
    await page.getByText('Copied.').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Reload' }).click();
    await until({ what: 'the second load', probe: () => Promise.resolve(loads() === 2) });
    assert.deepEqual(acts, ['edit', '["open","~/.ssh/config",12]']);
    assert.deepEqual(
      [copied[0]?.startsWith('no matching cipher\n'), copied[1]],
      [true, pageText(everyBlock)],
    );
  });

  it('is reached by the keyboard alone: every control has a place in the order of Tab', async () => {
    const { page, acts } = await start({ document: everyBlock });
    const seen: string[] = [];
    for (let step = 0; step < 40 && acts.length === 0; step++) {
      await page.keyboard.press('Tab');
      const name = String(await page.evaluate('document.activeElement?.textContent?.trim() ?? ""'));
      seen.push(name);
      if (name === 'Show') await page.keyboard.press('Enter');
    }
    assert.deepEqual([acts, seen.slice(0, 2)], [['show'], ['Copy as Text', 'Reload']]);
  });

  it('shows markup of a server as text', async () => {
    const { page } = await start({ document: everyBlock });
    await page.getByRole('searchbox').fill('keyword239');
    assert.equal(await page.locator('tbody code').first().textContent(), 'value <b>239</b>');
  });
});
