import { statSync } from 'node:fs';
import path from 'node:path';
import { budgets } from '../../scripts/build/budgets.ts';
import { buildPackage, pack } from '../../scripts/build/package.ts';
import { root } from '../../scripts/checkout.ts';
import { ensureEditor } from '../../scripts/setup/editor.ts';
import { ensureSystem } from '../../scripts/setup/systemPackages.ts';
import { launchBrowser } from '../e2e/harness/browser.ts';
import { startServer } from '../e2e/harness/server.ts';
import { until } from '../e2e/harness/until.ts';
import { Workbench } from '../e2e/harness/workbench.ts';
import { median } from './figure.ts';
import type { Benchmark, Figure } from './figure.ts';

const rounds = 7;

/**
 * P10: what the editor itself reports as our activation, beside an extension that does nothing, in the same windows.
 * Both are woken by a command in an idle window, the order changing from round to round. Source: quality.md 1.
 */
export const activation: Benchmark = {
  id: 'P10',
  name: 'activation',
  async run(note) {
    await ensureSystem(['browser']);
    const editor = await ensureEditor('newest');
    const ours = await buildPackage();
    const empty = path.join(root, '.cache/empty-extension.vsix');
    await pack(path.join(import.meta.dirname, 'emptyExtension'), empty);

    const server = await startServer({ editor, vsix: [ours, empty] });
    const browser = await launchBrowser();
    const times: Times[] = [];
    try {
      const window = await Workbench.open(browser, server, { viewport: { width: 1280, height: 3000 } });
      for (let round = 0; round < rounds; round++) {
        if (round > 0) await window.reload();
        await settled(window, round + 1);
        const commands = ['Termind: Show Log', 'Empty: Activate'];
        for (const command of round % 2 === 0 ? commands : commands.reverse())
          await window.runCommand(command);
        times.push(await activationTimes(window));
        note(
          `round ${round + 1} of ${rounds}: ${times.at(-1)?.termind ?? 0} ms, empty ${times.at(-1)?.empty ?? 0} ms`,
        );
      }
    } finally {
      await browser.close();
      await server.stop();
    }
    return figures(times, statSync(path.join(root, 'dist/extension.js')).size);
  },
};

interface Times {
  readonly termind: number;
  readonly empty: number;
}

const runningExtensions = 'Developer: Show Running Extensions';

/** Waits until the extension host of the n-th window has started everything that starts by itself. */
async function settled(window: Workbench, windows: number): Promise<void> {
  await until({
    what: 'the end of the extension host’s start',
    deadlineMs: 60_000,
    probe: () => window.server.extensionHostLog().split('Eager extensions activated').length > windows,
  });
  await window.runCommand(runningExtensions);
  await until({
    what: 'no extension that is being activated',
    deadlineMs: 60_000,
    probe: async () => {
      const rows = await extensionRows(window);
      return rows.length > 0 && rows.every((row) => !row.includes('Activating'));
    },
  });
}

function extensionRows(window: Workbench): Promise<string[]> {
  return window.page.locator('.runtime-extensions-editor .monaco-list-row').allInnerTexts();
}

async function activationTimes(window: Workbench): Promise<Times> {
  await window.runCommand(runningExtensions);
  const of = (name: string) =>
    until({
      what: `the activation time of ${name}`,
      probe: async () => {
        const text = (await extensionRows(window)).find((row) => row.startsWith(`${name}\n`)) ?? '';
        const milliseconds = /Activation:\s*(\d+)\s*ms/.exec(text)?.[1];
        return milliseconds === undefined ? undefined : Number(milliseconds);
      },
    });
  return { termind: await of('Termind'), empty: await of('Empty Extension') };
}

function figures(times: readonly Times[], entryBytes: number): Figure[] {
  const ours = median(times.map((time) => time.termind));
  const peer = median(times.map((time) => time.empty));
  const isQuick = ours <= Math.max(50, peer + 20);
  const isSmall = entryBytes <= budgets.extensionEntry;
  return [
    {
      id: 'P10',
      label: 'activation, the editor’s own figure',
      ours,
      peer,
      ratio: peer === 0 ? null : Number((ours / peer).toFixed(2)),
      target: '<= 50 ms, or <= 20 ms above the empty extension',
      holds: isQuick,
    },
    {
      id: 'P10',
      label: 'entry bundle',
      ours: entryBytes,
      peer: null,
      ratio: null,
      target: `<= ${budgets.extensionEntry} bytes`,
      holds: isQuick && isSmall,
    },
  ];
}
