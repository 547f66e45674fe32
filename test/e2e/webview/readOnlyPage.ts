import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before } from 'mocha';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { webviewHtml } from '../../../src/domain/page/webviewHtml.ts';
import type { PageDocument } from '../../../src/domain/page/pageDocument.ts';
import { PageSession } from '../../../src/features/pages/pageSession.ts';
import { pageBody } from '../../../src/features/pages/pageBody.ts';
import { launchBrowser } from '../harness/browser.ts';
import { deadlineMs } from '../harness/until.ts';
import type { Theme } from '../harness/editorSettings.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const origin = 'https://termind.test';
const themeSchema = z.object({ bodyClass: z.string(), variables: z.record(z.string(), z.string()) });
const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

export interface ReadOnlyPage {
  readonly page: Page;
  /** What the page gave back. */
  readonly acts: readonly string[];
  readonly copied: readonly string[];
  readonly complaints: readonly string[];
  /** Times the document was asked for. */
  readonly loads: () => number;
  close(): Promise<void>;
}

export interface ReadOnlyPageOptions {
  readonly document: PageDocument;
  readonly theme?: Theme;
  readonly width?: number;
}

/** The built page in a real browser under the policy it ships with; the other side is the real session of the extension host. */
async function openPage(browser: Browser, options: ReadOnlyPageOptions): Promise<ReadOnlyPage> {
  const { document, theme = 'dark', width = 800 } = options;
  const colours = themeSchema.parse(
    JSON.parse(readFileSync(path.join(import.meta.dirname, 'themes', `${theme}.json`), 'utf8')),
  );
  const context = await browser.newContext({ viewport: { width, height: 720 } });
  context.setDefaultTimeout(deadlineMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  const acts: string[] = [];
  const copied: string[] = [];
  let loads = 0;
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  const session = new PageSession(
    {
      kind: 'termind.test',
      key: 'web-1',
      tabTitle: 'Test',
      icon: 'info',
      load: () => {
        loads++;
        return Promise.resolve(document);
      },
      act: (action) => {
        acts.push(action);
        return Promise.resolve();
      },
    },
    {
      post: (message) => void page.evaluate(`toPage(${JSON.stringify(message)})`).catch(() => undefined),
      copy: (text) => {
        copied.push(text);
        return Promise.resolve();
      },
      strings: {
        copy: 'Copy',
        copyAsText: 'Copy as Text',
        reload: 'Reload',
        loading: 'Loading…',
        filter: 'Filter',
        shown: '{0} of {1} shown',
        nothingFound: 'Nothing matches.',
        showMore: 'Show more',
      },
      copied: 'Copied.',
      describeError: String,
      log: {
        trace() {},
        info() {},
        warn: (_, text) => void complaints.push(text),
        error: (_, text) => void complaints.push(text),
      },
    },
  );
  await page.exposeFunction('toExtensionHost', (message: unknown) => session.receive(message));
  const setUp = JSON.stringify({ ...colours, background: '--vscode-editor-background' });
  await page.addInitScript({ content: `window.setUp = ${setUp}` });
  await page.addInitScript({ path: path.join(import.meta.dirname, 'beEditor.js') });
  const nonce = 'bm9uY2U';
  const html = webviewHtml(
    { nonce, cspSource: origin, language: 'en', title: 'Test' },
    pageBody({
      nonce,
      codicons: `${origin}/codicon.css`,
      style: `${origin}/pages/main.css`,
      script: `${origin}/pages/main.js`,
    }),
  );
  const built = builtPage();
  await page.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html });
    const file = path.join(built, pathname);
    if (!existsSync(file)) return route.fulfill({ status: 404 });
    return route.fulfill({
      contentType: contentTypes[path.extname(file)] ?? 'application/octet-stream',
      body: readFileSync(file),
    });
  });
  await page.goto(`${origin}/`);
  await page.locator('h1').waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  return {
    page,
    acts,
    copied,
    complaints,
    loads: () => loads,
    close: async () => {
      session.dispose();
      await context.close();
    },
  };
}

/** One browser for the suite it is called in. */
export function readOnlyPages(): (options: ReadOnlyPageOptions) => Promise<ReadOnlyPage> {
  let browser: Browser;
  const open: ReadOnlyPage[] = [];
  before(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    for (const page of open.splice(0)) await page.close();
  });
  after(() => browser.close());
  return async (options) => {
    const page = await openPage(browser, options);
    open.push(page);
    return page;
  };
}

function builtPage(): string {
  const folder = process.env['TERMIND_WEBVIEW'] ?? path.join(root, 'dist/webview');
  if (!existsSync(path.join(folder, 'pages/main.js')))
    throw new Error(`${folder} has no page: npm run build makes it`);
  return folder;
}
