import type { Locator } from 'playwright-core';
import { until } from './until.ts';

/**
 * Presses a button until it acted. Once is not enough where what is shown changes under the pointer, and a card takes no
 * decision for a moment after it has appeared.
 */
export async function press(button: Locator, hasActed: () => unknown): Promise<void> {
  await until({
    what: `the effect of pressing ${String(button)}`,
    probe: async () => {
      if (await hasActed()) return true;
      await button.click({ timeout: 1_000 }).catch(() => undefined);
      return Boolean(await hasActed());
    },
  });
}
