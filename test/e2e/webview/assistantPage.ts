import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, afterEach, before } from 'mocha';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import type { ConversationSnapshot } from '../../../src/application/assistant/assistantLibrary.ts';
import { pageHtml } from '../../../src/features/assistant/editor/pageHtml.ts';
import { AssistantActions } from '../../../src/features/assistant/model/assistantActions.ts';
import { screenStrings } from '../../../src/features/assistant/presentation/texts.ts';
import { Screen } from '../../../src/features/assistant/screen/screen.ts';
import { limits } from '../../../src/webview/assistant/protocol.ts';
import { modelSetUp, plainL10n, texts, type ModelSetUp } from '../../unit/features/assistant/support.ts';
import { launchBrowser } from '../harness/browser.ts';
import { deadlineMs } from '../harness/until.ts';
import type { Theme } from '../harness/editorSettings.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const origin = 'https://termind.test';
const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
};

const themeSchema = z.object({ bodyClass: z.string(), variables: z.record(z.string(), z.string()) });

export interface AssistantPageOptions {
  readonly theme: Theme;
  readonly width: number;
  readonly height?: number;
  readonly surface?: 'view' | 'panel';
  readonly stored?: ConversationSnapshot;
  readonly reducedMotion?: boolean;
  /** What an earlier page had kept. */
  readonly state?: unknown;
}

export interface AssistantPage extends ModelSetUp {
  readonly page: Page;
  readonly screen: Screen;
  readonly actions: AssistantActions;
  /** What the editor was asked to do. */
  readonly editor: readonly string[];
  /** What the page complained about: errors, refused loads, violations of the content security policy. */
  readonly complaints: readonly string[];
  /** Lets everything that waits reach the page. */
  flush(): Promise<void>;
  /** What the page has kept. */
  kept(): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * The built page in a real browser, under the policy it ships with, in the colours of a theme of the editor. The other side is the
 * real screen of the extension host on memory ports and a clock of its own, so both halves of the protocol are at work.
 */
export async function openAssistant(browser: Browser, options: AssistantPageOptions): Promise<AssistantPage> {
  const theme = themeSchema.parse(
    JSON.parse(readFileSync(path.join(import.meta.dirname, 'themes', `${options.theme}.json`), 'utf8')),
  );
  const context = await browser.newContext({
    viewport: { width: options.width, height: options.height ?? 640 },
    reducedMotion: options.reducedMotion === true ? 'reduce' : 'no-preference',
  });
  context.setDefaultTimeout(deadlineMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  const set = modelSetUp(options.stored);
  const editor: string[] = [];
  let sending: Promise<unknown> = Promise.resolve();
  const html = pageHtml(
    {
      cspSource: origin,
      script: `${origin}/assistant/main.js`,
      style: `${origin}/assistant/main.css`,
      codicons: `${origin}/codicon.css`,
    },
    { nonce: 'bm9uY2U', language: 'en', surface: options.surface ?? 'view', title: 'Termind Assistant' },
  );
  const actions = new AssistantActions({
    model: set.model,
    texts,
    describeError: (error) => (error instanceof Error ? error.message : String(error)),
    editor: {
      writeClipboard: (text) => void editor.push(`clipboard ${text}`),
      openExternal: (url) => void editor.push(`external ${url}`),
      openResource: (uri) => void editor.push(`resource ${uri}`),
      openFile: (position) => void editor.push(`file ${position.path}`),
      openFolders: () => [],
      runCommand: (command) => void editor.push(`command ${command}`),
      openSetting: (setting) => void editor.push(`setting ${setting}`),
      showError: (sentence) => void editor.push(`error ${sentence}`),
      suggest: (text) => screen.postWhenReady({ kind: 'focusComposer', text }),
    },
  });
  const screen = new Screen({
    page: {
      post: (message) => {
        sending = sending.then(() => page.evaluate(`toPage(${JSON.stringify(message)})`));
      },
      load: () => void complaints.push('the page was loaded anew'),
      showStatic: () => void complaints.push('the page was given up'),
    },
    model: set.model,
    intents: actions,
    clock: set.clock,
    log: {
      trace() {},
      info() {},
      warn: (_, text) => void complaints.push(text),
      error: (_, text) => void complaints.push(text),
    },
    texts,
    strings: screenStrings(plainL10n),
  });

  await page.exposeFunction('toExtensionHost', (message: unknown) => screen.receive(message));
  await page.addInitScript({
    content: `window.setUp = ${JSON.stringify({
      ...theme,
      background: options.surface === 'panel' ? '--vscode-editor-background' : '--vscode-sideBar-background',
      state: options.state,
    })}`,
  });
  await page.addInitScript({ path: path.join(import.meta.dirname, 'beEditor.js') });
  await page.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html });
    const file = path.join(builtPage(), pathname);
    if (!existsSync(file)) return route.fulfill({ status: 404 });
    return route.fulfill({
      contentType: contentTypes[path.extname(file)] ?? 'application/octet-stream',
      body: readFileSync(file),
    });
  });
  screen.setVisible(true);
  await page.goto(`${origin}/`);
  await page.locator('termind-composer textarea').waitFor();
  const flush = async (): Promise<void> => {
    await set.clock.advance(limits.flushMs);
    await sending;
    await page.evaluate('drawn()');
  };
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  return {
    ...set,
    page,
    screen,
    actions,
    editor,
    complaints,
    flush,
    kept: () => page.evaluate('keptState'),
    close: async () => {
      screen.dispose();
      await context.close();
    },
  };
}

/** One browser for the suite it is called in. What it gives opens a page, dark and 400 px wide unless said otherwise, for one test. */
export function assistantPages(): (options?: Partial<AssistantPageOptions>) => Promise<AssistantPage> {
  let browser: Browser;
  const open: AssistantPage[] = [];
  before(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    for (const page of open.splice(0)) await page.close();
  });
  after(() => browser.close());
  return async (options = {}) => {
    const page = await openAssistant(browser, { theme: 'dark', width: 400, ...options });
    open.push(page);
    return page;
  };
}

/** Where the build puts the page. */
function builtPage(): string {
  const folder = process.env['TERMIND_WEBVIEW'] ?? path.join(root, 'dist/webview');
  if (!existsSync(path.join(folder, 'assistant/main.js')))
    throw new Error(`${folder} has no page: npm run build makes it`);
  return folder;
}
