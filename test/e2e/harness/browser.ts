import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { SetupFault } from '../../../scripts/setup/setupFault.mjs';
import { findBrowser } from '../../../scripts/setup/systemPackages.ts';

/** The sandbox needs privileges a container lacks; the rest keeps the browser from looking for its maker's servers. */
const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** Starts the browser that shows an editor, without a window. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) {
    throw new SetupFault('Chromium', 'install Chromium, or name it in TERMIND_CHROMIUM');
  }
  return chromium.launch({ executablePath, headless: true, args: flags });
}
