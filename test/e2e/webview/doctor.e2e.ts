import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { before, describe, it } from 'mocha';
import { doctorPages } from '../../support/doctorScenes.ts';
import type { Theme } from '../harness/editorSettings.ts';
import { overflowing } from './overflowing.ts';
import { readOnlyPages } from './readOnlyPage.ts';

const pictures = path.resolve(import.meta.dirname, '../screenshots/webview');
const themes: readonly Theme[] = ['light', 'dark', 'highContrast', 'highContrastLight'];
const scenes = ['noCipher', 'connected'] as const;

describe('the page of the doctor', () => {
  const start = readOnlyPages();

  before(() => void mkdirSync(pictures, { recursive: true }));

  for (const theme of themes)
    for (const scene of scenes)
      it(`${scene} in ${theme}: nothing overlaps, narrow or wide, and axe finds nothing`, async () => {
        const { page, complaints } = await start({ document: doctorPages[scene], theme });
        await page
          .locator('details')
          .evaluateAll('(all) => { for (const details of all) details.open = true; }');
        for (const width of [240, 800]) {
          await page.setViewportSize({ width, height: 720 });
          await page.screenshot({
            path: path.join(pictures, `doctor-${scene}-${theme}-${String(width)}.png`),
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

  it('gives back the fix from its first button, and the line that decided from its link', async () => {
    const failed = await start({ document: doctorPages.noCipher });
    await failed.page.getByRole('button', { name: 'Allow Legacy Algorithms…' }).click();
    const connected = await start({ document: doctorPages.connected });
    await connected.page.getByRole('button', { name: '/home/op/.ssh/known_hosts:12' }).click();
    assert.deepEqual([failed.acts, connected.acts], [['fix'], ['["open","/home/op/.ssh/known_hosts",12]']]);
  });
});
