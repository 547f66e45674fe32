import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, Frame, Locator, Page } from 'playwright-core';
import { themes } from './editorSettings.ts';
import type { Theme } from './editorSettings.ts';
import type { EditorServer, WindowOptions } from './server.ts';
import { deadlineMs, until } from './until.ts';

/** Where the pictures go that a person looks at after a run; not committed. */
export const screenshotFolder = path.resolve(import.meta.dirname, '../screenshots');

export interface OpenOptions extends WindowOptions {
  /** A context to share with another window: one browser profile. A fresh one without it. */
  readonly context?: BrowserContext;
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** One window of the editor, used as a person would: clicks, keys, and what is on the screen. */
export class Workbench {
  readonly page: Page;
  readonly server: EditorServer;
  /** What the page logged, extension hosts included, oldest first. */
  readonly console: string[] = [];

  private constructor(page: Page, server: EditorServer) {
    this.page = page;
    this.server = server;
    page.on('console', (message) => this.console.push(`[${message.type()}] ${message.text()}`));
  }

  /** Opens a window and waits until the workbench is drawn. Views and commands of extensions come a little later. */
  static async open(browser: Browser, server: EditorServer, options: OpenOptions = {}): Promise<Workbench> {
    const viewport = options.viewport ?? { width: 1280, height: 800 };
    const context = options.context ?? (await browser.newContext({ viewport }));
    context.setDefaultTimeout(deadlineMs);
    const page = await context.newPage();
    await page.emulateMedia(themes.dark.media);
    const workbench = new Workbench(page, server);
    await page.goto(server.windowUrl(options));
    await workbench.ready();
    return workbench;
  }

  async ready(): Promise<void> {
    await this.page.locator('.monaco-workbench .activitybar .action-item').first().waitFor();
    await this.page.locator('.statusbar').waitFor();
  }

  /** Loads the window anew: its extension host ends and another starts. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Closes the window and its extension host. */
  async close(): Promise<void> {
    await this.page.close();
  }

  /**
   * Runs a command by its full title (`Termind: Add Host…`) from the palette. The palette does not show what is
   * contributed after it opened, and closes when an editor or a panel takes the focus, so it is opened again until the
   * command could be clicked.
   */
  async runCommand(title: string): Promise<void> {
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    await until({
      what: `command "${title}" in the palette`,
      probe: async () => {
        await this.page.keyboard.press('F1');
        await this.quickInput().fill(`>${title}`, { timeout: 2_000 }).catch(ignore);
        const isRun = await row.click({ timeout: 2_000 }).then(
          () => true,
          () => false,
        );
        if (!isRun) await this.page.keyboard.press('Escape');
        return isRun;
      },
    });
  }

  /** The line of the open quick pick, input box or palette. */
  quickInput(): Locator {
    return this.page.locator('.quick-input-widget .quick-input-box input');
  }

  /** Types into the open input box and accepts it. */
  async answerInput(text: string): Promise<void> {
    await this.quickInput().waitFor();
    await this.quickInput().fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** A row of the open quick pick. */
  quickPickRow(text: string | RegExp): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: text });
  }

  /**
   * Answers the editor's own dialog for folders, which is an input box here and takes what is typed when it has looked there: `shows` is
   * something in the folder.
   */
  async chooseFolder(
    where: string,
    { button: name, shows }: { readonly button: string; readonly shows: string },
  ): Promise<void> {
    const box = this.page.locator('.quick-input-widget');
    const button = box.getByRole('button', { name, exact: true });
    await button.waitFor();
    await until({
      what: 'the content of the folder in the dialog',
      probe: async () => {
        await box.locator('.quick-input-box input').fill(`${where}/`);
        return box.locator('.monaco-list-row', { hasText: shows }).isVisible();
      },
    });
    await until({
      what: 'the folder to be chosen',
      probe: async () => {
        await button.click({ timeout: 2_000 }).catch(() => {}); // it may be gone
        return !(await button.isVisible());
      },
    });
  }

  async openActivity(title: string): Promise<void> {
    await this.page.locator(`.activitybar a[aria-label^="${title}"]`).click();
    await this.page.locator('.sidebar .composite.title', { hasText: title }).waitFor();
  }

  /** A row of a tree in the side bar. */
  treeItem(text: string | RegExp): Locator {
    return this.page.locator('.sidebar [role="treeitem"]', { hasText: text });
  }

  /** A button on a row of a tree, by its label; it is drawn while the row is hovered. */
  async clickTreeAction(row: Locator, label: string): Promise<void> {
    await row.hover();
    await row.locator(`.actions a[aria-label^="${label}"]`).click();
  }

  /**
   * Picks an item of the context menu of a row. A menu hears no button that is released in the first tenth of a second
   * after it opened, and closes when something else takes the focus, so this goes on until the menu went by its item.
   */
  async pickFromContextMenu(row: Locator, label: string): Promise<void> {
    const item = this.page.getByRole('menuitem', { name: label });
    let isPressed = false;
    await until({
      what: `"${label}" of a context menu to be picked`,
      probe: async () => {
        if (await item.isVisible()) {
          isPressed = await item.click({ timeout: 2_000 }).then(
            () => true,
            () => false,
          );
        } else if (isPressed) return true;
        else await row.click({ button: 'right', timeout: 2_000 }).catch(ignore);
        return false;
      },
    });
  }

  statusBarItem(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item', { hasText: text });
  }

  /** A notification. One with the same text stays for seconds: wait for an effect of your own where that matters. */
  notification(text: string | RegExp): Locator {
    return this.page.locator('.notifications-toasts .notification-list-item', { hasText: text });
  }

  /** A modal dialog. Its buttons are roles inside. */
  dialog(text: string | RegExp): Locator {
    return this.page.locator('.monaco-dialog-box', { hasText: text });
  }

  /** Accepts or dismisses a dialog by the label of a button. */
  async answerDialog(text: string | RegExp, button: string): Promise<void> {
    await this.dialog(text).getByRole('button', { name: button }).click();
  }

  /** The document of the webview that holds `selector`; webviews load in frames within frames. */
  async webview(selector: string): Promise<Frame> {
    return until({
      what: `a webview with ${selector}`,
      probe: async () => {
        for (const frame of this.page.frames()) {
          if (frame.parentFrame()?.url().includes('/contrib/webview/browser/pre/') !== true) continue;
          const count = await frame
            .locator(selector)
            .count()
            .catch(() => 0);
          if (count > 0) return frame;
        }
        return undefined;
      },
    });
  }

  /** What the visible terminal shows. */
  async terminalText(): Promise<string> {
    const rows = await this.page.locator('.terminal-wrapper.active .xterm-rows > div').allInnerTexts();
    return rows
      .map((row) => row.replaceAll('\u00a0', ' ').trimEnd())
      .join('\n')
      .trimEnd();
  }

  /** Waits until the visible terminal shows a text. */
  async terminalShows(text: string | RegExp): Promise<string> {
    let last = '';
    return until({
      what: `${String(text)} in the terminal`,
      probe: async () => {
        last = await this.terminalText();
        return (typeof text === 'string' ? last.includes(text) : text.test(last)) ? last : undefined;
      },
    }).catch((error: unknown) => {
      throw new Error(`the terminal shows:\n${last}`, { cause: error });
    });
  }

  async typeInTerminal(text: string): Promise<void> {
    await this.page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
    await this.page.keyboard.type(text);
  }

  /** Text of the active editor, as far as it is drawn: the lines in view. */
  async editorText(): Promise<string> {
    const lines = await this.page.locator('.editor-group-container.active .monaco-editor .view-line').all();
    const placed = await Promise.all(
      lines.map(async (line) => ({
        top: Number(/top:\s*([\d.]+)px/.exec((await line.getAttribute('style')) ?? '')?.[1] ?? 0),
        text: (await line.innerText()).replaceAll('\u00a0', ' '),
      })),
    );
    return placed
      .sort((a, b) => a.top - b.top)
      .map((line) => line.text)
      .join('\n');
  }

  /** Accessible name of the active editor tab. */
  async activeTab(): Promise<string | undefined> {
    const tab = this.page.locator('.editor-group-container.active .tab.active');
    return (await tab.getAttribute('aria-label')) ?? undefined;
  }

  async showTheme(theme: Theme): Promise<void> {
    await this.page.emulateMedia(themes[theme].media);
    await this.page.locator(`.monaco-workbench.${themes[theme].pageClass}`).waitFor();
  }

  /** Takes a picture of the window in each theme, `<name>-<theme>.png`, and ends in the first theme. */
  async screenshot(name: string, shown: readonly Theme[] = ['dark', 'light']): Promise<void> {
    mkdirSync(screenshotFolder, { recursive: true });
    for (const theme of shown) {
      await this.showTheme(theme);
      await this.page.screenshot({ path: path.join(screenshotFolder, `${name}-${theme}.png`) });
    }
    if (shown[0] !== undefined) await this.showTheme(shown[0]);
  }
}

function ignore(): void {
  // The next attempt begins anew.
}
