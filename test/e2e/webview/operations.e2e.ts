import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { before, describe, it } from 'mocha';
import { operationPages } from '../../support/operationScenes.ts';
import type { Theme } from '../harness/editorSettings.ts';
import { overflowing } from './overflowing.ts';
import { readOnlyPages } from './readOnlyPage.ts';

const pictures = path.resolve(import.meta.dirname, '../screenshots/webview');
const themes: readonly Theme[] = ['light', 'dark', 'highContrast', 'highContrastLight'];

describe('the page of the operations log', () => {
  const start = readOnlyPages();

  before(() => void mkdirSync(pictures, { recursive: true }));

  for (const theme of themes)
    it(`in ${theme}: nothing overlaps, narrow or wide, and axe finds nothing`, async () => {
      const { page, complaints } = await start({ document: operationPages.everything, theme });
      await page.getByText('Show calls that stayed on this machine').click();
      await page.getByText('scratch_write {"path":"plan.md"}').waitFor();
      for (const width of [240, 800, 1280]) {
        await page.setViewportSize({ width, height: 720 });
        await page.screenshot({
          path: path.join(pictures, `operations-${theme}-${String(width)}.png`),
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

  it('finds an operation by a word of it, and gives back to verify and to export', async () => {
    const { page, acts } = await start({ document: operationPages.everything });
    await page.getByRole('searchbox', { name: 'Filter operations' }).fill('vacuum');
    const rows = page.getByRole('table', { name: 'Operations', exact: true }).locator('tbody tr');
    await rows.filter({ hasText: 'outcome unknown' }).waitFor();
    assert.equal(await rows.count(), 1);
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('button', { name: 'Export…' }).click();
    assert.deepEqual(acts, ['verify', 'export']);
  });
});
