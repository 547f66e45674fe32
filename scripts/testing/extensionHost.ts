import { format } from 'node:util';
import { runTests } from '@vscode/test-electron';
import type { Page } from 'playwright-core';
import type { Editor } from '../setup/editor.ts';
import { findProgram } from '../setup/systemPackages.ts';
import { launchBrowser } from '../../test/e2e/harness/browser.ts';
import { startServer } from '../../test/e2e/harness/server.ts';

export interface HostRun {
  /** Folders of extensions under development. */
  readonly extensions: readonly string[];
  /** CommonJS file whose `run` the editor calls. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string>>;
  readonly boundMs: number;
}

export interface HostEnd {
  /** How it ended, for a message. Says nothing about the tests: an extension host that is killed ends with 0. */
  readonly reason: string;
  /** What the host and the page logged. */
  readonly log: string;
}

/**
 * Runs an entry in the extension host of an editor server: a page whose configuration names extensions and entry, as in
 * VS Code's own test runner. Resolves at the end of the run or at the bound.
 */
export async function runInServer(run: HostRun, editor: Editor): Promise<HostEnd> {
  const server = await startServer({ editor, env: run.env });
  try {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const lines: string[] = [];
      const { ended } = await watchAutomation(page, lines);
      const uri = (file: string): UriParts => ({
        scheme: 'vscode-remote',
        authority: server.authority,
        path: file,
      });
      await page.addInitScript(
        withDevelopmentOptions({
          // A built editor is driven by tests only with this option, and the older line has no server flag for it.
          enableSmokeTestDriver: true,
          extensions: run.extensions.map(uri),
          extensionTestsPath: uri(run.entry),
        }),
      );
      await page.goto(server.windowUrl());
      const bound = new AbortController();
      const reason = await Promise.race([ended, expire(run.boundMs, bound.signal)]);
      bound.abort();
      return { reason, log: `${lines.join('\n')}\n${server.extensionHostLog()}` };
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
  }
}

/** Runs an entry in the desktop editor: the installed `code`, or one that `@vscode/test-electron` downloads. */
export async function runInDesktop(run: HostRun): Promise<HostEnd> {
  const installed = process.env['TERMIND_EDITOR_PATH'] ?? findProgram('code');
  const status = await runTests({
    extensionDevelopmentPath: [...run.extensions],
    extensionTestsPath: run.entry,
    extensionTestsEnv: { ...run.env },
    launchArgs: ['--disable-extensions', '--skip-welcome', '--skip-release-notes'],
    ...(installed === undefined ? {} : { vscodeExecutablePath: installed }),
  }).catch((error: unknown) => String(error));
  return { reason: `exit ${status}`, log: '' };
}

/** The workbench calls these two on the page; nothing else tells that a run has ended. */
async function watchAutomation(page: Page, lines: string[]): Promise<{ readonly ended: Promise<string> }> {
  let end: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  await page.exposeFunction('codeAutomationExit', (code: number) => end(`exit ${code}`));
  await page.exposeFunction('codeAutomationLog', (type: string, args: readonly unknown[]) => {
    lines.push(`[${type}] ${format(...args)}`);
  });
  return { ended };
}

function expire(boundMs: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(`not finished after ${boundMs / 1000} s`), boundMs);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

interface UriParts {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

/**
 * Sets development options in the page before the workbench reads its configuration: a script of the page. The address could name one
 * extension only.
 */
function withDevelopmentOptions(options: object): string {
  return `
document.addEventListener('readystatechange', () => {
  const meta = document.getElementById('vscode-workbench-web-configuration');
  if (document.readyState !== 'interactive' || meta === null) return;
  const configuration = JSON.parse(meta.dataset.settings);
  configuration.developmentOptions = { ...configuration.developmentOptions, ...${JSON.stringify(options)} };
  meta.dataset.settings = JSON.stringify(configuration);
});`;
}
