import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { before, describe, it } from 'mocha';
import { fleetPages } from '../../support/fleetScenes.ts';
import type { Theme } from '../harness/editorSettings.ts';
import { overflowing } from './overflowing.ts';
import { readOnlyPages } from './readOnlyPage.ts';

const pictures = path.resolve(import.meta.dirname, '../screenshots/webview');
const themes: readonly Theme[] = ['light', 'dark', 'highContrast', 'highContrastLight'];

describe('the page about the host keys of all hosts', () => {
  const start = readOnlyPages();

  before(() => void mkdirSync(pictures, { recursive: true }));

  for (const theme of themes)
    it(`in ${theme}: nothing overlaps, narrow or wide, and axe finds nothing`, async () => {
      const { page, complaints } = await start({ document: fleetPages.everything, theme });
      await page.locator('summary').click();
      for (const width of [240, 800, 1280]) {
        await page.setViewportSize({ width, height: 720 });
        await page.screenshot({
          path: path.join(pictures, `fleetTrust-${theme}-${String(width)}.png`),
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

  it('finds a key by a part of its fingerprint, and gives back the line and the export', async () => {
    const { page, acts } = await start({ document: fleetPages.everything });
    await page.getByRole('searchbox', { name: 'Filter keys' }).fill('sha256:hhh');
    const keys = page.getByRole('table', { name: 'Keys', exact: true }).locator('tbody tr');
    assert.equal(await keys.count(), 1);
    await keys.getByRole('button', { name: '~/.ssh/known_hosts:7' }).click();
    await page.getByRole('button', { name: 'Export as known_hosts…' }).click();
    assert.deepEqual(acts, ['["open","/home/op/.ssh/known_hosts",7]', 'export']);
  });
});
