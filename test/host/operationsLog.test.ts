import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { z } from 'zod';
import { HeadKeeper } from '../../src/application/operations/headKeeper.ts';
import { OperationsLog } from '../../src/application/operations/operationsLog.ts';
import type { PageOrder } from '../../src/application/ports/pages.ts';
import { pageText } from '../../src/domain/page/pageText.ts';
import type { HostListing } from '../../src/domain/host/host.ts';
import { aliasHostId } from '../../src/domain/host/hostId.ts';
import { registerOperationsLog } from '../../src/features/operationsLog/index.ts';
import { createPages } from '../../src/features/pages/index.ts';
import { Command, PageView } from '../../src/ids.ts';
import { openMemoryStore } from '../../src/infrastructure/store/memory/openMemoryStore.ts';
import type { Store } from '../../src/infrastructure/store/openStore.ts';
import { until } from '../e2e/harness/until.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { shapeRedactor } from '../support/shapeRedactor.ts';
import { silentLog } from '../support/silentLog.ts';

const never = new AbortController().signal;
const listing: HostListing = {
  id: aliasHostId('db1'),
  label: 'db1',
  source: 'ssh_config',
  address: 'db1.example.com',
  port: 22,
  user: 'me',
  group: undefined,
  tags: [],
  tier: 'prod',
  alias: undefined,
};
const exported = z.object({ format: z.string(), rows: z.array(z.object({ text: z.string() })) });

describe('the operations log in the editor', () => {
  let home: string;
  let store: Store;
  let operations: OperationsLog;
  const secrets = new Map<string, string>();
  const putBack: (() => void)[] = [];

  beforeEach(async () => {
    home = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-home-'));
    const clock = new FakeClock();
    store = openMemoryStore({ clock, log: silentLog });
    const keeper = new HeadKeeper({
      operations: store.operations,
      secrets: {
        get: async (key) => secrets.get(key),
        set: async (key, value) => void secrets.set(key, value),
        delete: async (key) => void secrets.delete(key),
      },
      key: 'head',
      clock,
      log: silentLog,
    });
    operations = new OperationsLog({
      store: store.operations,
      keeper,
      redactor: shapeRedactor,
      // Removing old rows would keep the newest one outside first, at some moment of a test.
      keptDays: () => 0,
      window: 'w',
      clock,
      log: silentLog,
    });
    const { id, label, user } = listing;
    const host = { id, label, user, address: 'db1.example.com:22', tier: 'prod' };
    operations.note({ what: 'tierChanged', facts: { from: 'dev', to: 'prod' }, host });
    operations.note({ what: 'connected', actor: 'termind', facts: {}, host: { ...host, id: 'other' } });
  });
  afterEach(async () => {
    for (const one of putBack.splice(0).reverse()) one();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    operations.dispose();
    store.dispose();
    secrets.clear();
    await fs.rm(home, { recursive: true });
  });

  /** Answers a dialog, which a test cannot click; gives everything it was shown with. */
  function dialog(name: string, ...answers: readonly unknown[]): unknown[][] {
    const seen: unknown[][] = [];
    const original: unknown = Reflect.get(vscode.window, name);
    Reflect.set(vscode.window, name, async (...words: unknown[]) => {
      seen.push(words);
      return answers[seen.length - 1];
    });
    putBack.push(() => void Reflect.set(vscode.window, name, original));
    return seen;
  }

  const run = async (
    command: string,
    argument?: unknown,
    pages: Parameters<typeof registerOperationsLog>[1] = { open: async () => {} },
  ): Promise<void> => {
    const commands = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>();
    registerOperationsLog(
      {
        registerCommand: (name, handler) => {
          commands.set(name, handler);
          return { dispose: () => {} };
        },
        redactor: shapeRedactor,
        runtime: async () => ({
          hosts: { get: async (id) => (id === listing.id ? listing : undefined) },
          operations,
        }),
      },
      pages,
    );
    await commands.get(command)?.(argument);
  };
  const tabs = (): readonly string[] =>
    vscode.window.tabGroups.all.flatMap((group) =>
      group.tabs.flatMap(({ input, label }) =>
        input instanceof vscode.TabInputWebview && input.viewType.endsWith(PageView.operations) ? label : [],
      ),
    );
  const ordered = async (argument?: unknown): Promise<PageOrder> => {
    let order: PageOrder | undefined;
    await run(Command.showOperations, argument, { open: async (asked) => void (order = asked) });
    assert.ok(order);
    return order;
  };

  it('opens in a tab for all hosts and in one for a host', async () => {
    const pages = createPages(vscode.Uri.file(home), {
      log: silentLog,
      describeError: String,
      redactor: shapeRedactor,
    });
    await run(Command.showOperations, undefined, pages);
    await run(Command.showOperations, { kind: 'host', listing }, pages);
    const tabs = (): readonly string[] =>
      vscode.window.tabGroups.all.flatMap((group) =>
        group.tabs.flatMap(({ input, label }) =>
          input instanceof vscode.TabInputWebview && input.viewType.endsWith(PageView.operations)
            ? label
            : [],
        ),
      );
    await until({ what: 'both tabs', probe: () => tabs().length === 2 });
    assert.deepEqual([...tabs()].sort(), ['Operations Log', 'Operations: db1']);
    pages.dispose();
  });

  it('opens by the command of the installed extension, from the store of the window', async () => {
    await vscode.extensions.getExtension('termind.termind')?.activate();
    await vscode.commands.executeCommand(Command.showOperations);
    await until({ what: 'the tab', probe: () => tabs().length === 1 });
    assert.deepEqual(tabs(), ['Operations Log']);
  });

  it('shows what was done to all hosts, or to the one of the row that was clicked', async () => {
    const all = pageText(await (await ordered()).load(never, 'asked'));
    assert.match(all, /tier changed/);
    assert.match(all, /connected/);
    const one = pageText(await (await ordered({ kind: 'host', listing })).load(never, 'asked'));
    assert.match(one, /tier changed; from dev; to prod \| a person/);
    assert.doesNotMatch(one, /connected/);
  });

  it('is verified with words', async () => {
    const told = dialog('showInformationMessage');
    await run(Command.verifyOperations);
    await (await ordered()).act('verify');
    assert.match(String(told[0]?.[0]), /^The operations log is whole: 2 row\(s\), 1 to 2\. Nothing was kept/);
    assert.match(
      String(told[1]?.[0]),
      /^The operations log is whole: 2 row\(s\), 1 to 2\. It agrees with row 2/,
    );
  });

  it('whose end is another one says so, and is accepted only on a person’s word', async () => {
    secrets.set('head', JSON.stringify({ seq: 9, hash: 'x', at: 1 }));
    const errors = dialog('showErrorMessage', 'Accept from Here On…', 'Accept from Here On…', undefined);
    const questions = dialog('showWarningMessage', 'Do Not Accept', 'Accept');
    await run(Command.verifyOperations);
    assert.match(String(errors[0]?.[0]), /was changed\. Its end was cut: there is no row 3 any more\./);
    assert.match(secrets.get('head') ?? '', /"seq":9/);
    await run(Command.verifyOperations);
    assert.equal(questions.length, 2);
    assert.match(secrets.get('head') ?? '', /"seq":3/);
    const { fault } = await operations.verify(never);
    assert.equal(fault, undefined);
    assert.match(
      pageText(await (await ordered()).load(never, 'asked')),
      /operations log accepted as it is; hash kept before x; row kept before 9/,
    );
  });

  for (const [label, format, file] of [
    ['JSON', 'json', 'log.json'],
    ['Markdown', 'markdown', 'log.md'],
  ] as const)
    it(`is saved as ${label} where the person says`, async () => {
      const target = path.join(home, file);
      dialog('showQuickPick', { label, format });
      dialog('showSaveDialog', vscode.Uri.file(target));
      dialog('showInformationMessage');
      await run(Command.exportOperations);
      const text = await fs.readFile(target, 'utf8');
      if (format === 'markdown')
        assert.match(text, /^# Operations Log\n[\s\S]*\| tier changed<br>from `dev`/m);
      else assert.equal(exported.parse(JSON.parse(text)).rows.length, 2);
    });

  it('is not saved when a dialog is left', async () => {
    dialog('showQuickPick');
    const saves = dialog('showSaveDialog');
    await run(Command.exportOperations);
    assert.equal(saves.length, 0);
    dialog('showQuickPick', { label: 'JSON', format: 'json' });
    await run(Command.exportOperations);
    assert.deepEqual(await fs.readdir(home), []);
  });
});
