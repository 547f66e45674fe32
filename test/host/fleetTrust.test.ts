import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Emitter } from '../../src/agentkit/index.ts';
import { pageText } from '../../src/domain/page/pageText.ts';
import type { PageOrder } from '../../src/application/ports/pages.ts';
import { FleetTrustReader } from '../../src/application/trust/fleetTrustReader.ts';
import { saveKeys } from '../../src/features/fleetTrust/exportKeys.ts';
import type { FleetTrustServices } from '../../src/features/fleetTrust/fleetTrustServices.ts';
import { registerFleetTrust } from '../../src/features/fleetTrust/index.ts';
import { createPages } from '../../src/features/pages/index.ts';
import { Command, PageView } from '../../src/ids.ts';
import { KnownHostsFiles } from '../../src/infrastructure/ssh/knownHostsFiles.ts';
import { MemoryKnownHostsStore } from '../../src/infrastructure/store/memory/memoryKnownHostsStore.ts';
import { until } from '../e2e/harness/until.ts';
import { silentLog } from '../support/silentLog.ts';

const never = new AbortController().signal;
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG9uZSAgICAgICAgICAgICAgICAgICAgICAgICAgICAg';

describe('the known host keys in the editor', () => {
  let home: string;
  let file: string;
  let services: FleetTrustServices;
  let changes: Emitter<'hosts' | 'knownHosts' | 'conversations'>;

  beforeEach(async () => {
    home = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-home-'));
    file = path.join(home, 'known_hosts');
    await fs.writeFile(file, `# mine\nweb ${key}\n`);
    changes = new Emitter((error) => assert.fail(String(error)));
    services = {
      fleetTrust: new FleetTrustReader({
        hosts: { list: () => Promise.resolve([]) },
        hostStore: { list: () => Promise.resolve([]) },
        config: {
          hostKeyPlaces: () => Promise.resolve({ usual: { user: [file], global: [] }, byName: new Map() }),
        },
        store: new MemoryKnownHostsStore(),
        files: new KnownHostsFiles(silentLog),
        log: silentLog,
      }),
      store: { onDidChangeRows: changes.event },
    };
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    changes.dispose();
    await fs.rm(home, { recursive: true });
  });

  /** Runs the command with the pages given. */
  const show = async (pages: Parameters<typeof registerFleetTrust>[1]): Promise<void> => {
    const commands = new Map<string, () => Promise<unknown>>();
    registerFleetTrust(
      {
        registerCommand: (name, handler) => {
          commands.set(name, handler);
          return { dispose: () => {} };
        },
        runtime: () => Promise.resolve(services),
      },
      pages,
    );
    await commands.get(Command.showKnownHostKeys)?.();
  };
  const ordered = async (): Promise<PageOrder> => {
    let order: PageOrder | undefined;
    await show({ open: async (asked) => void (order = asked) });
    assert.ok(order);
    return order;
  };

  it('open in one tab', async () => {
    const pages = createPages(vscode.Uri.file(home), { log: silentLog, describeError: String });
    for (let time = 0; time < 2; time++) await show(pages);
    const tabs = (): readonly string[] =>
      vscode.window.tabGroups.all.flatMap((group) =>
        group.tabs.flatMap(({ input, label }) =>
          input instanceof vscode.TabInputWebview && input.viewType.endsWith(PageView.fleetTrust)
            ? label
            : [],
        ),
      );
    await until({ what: 'the tab', probe: () => tabs().length > 0 });
    assert.deepEqual(tabs(), ['Known Host Keys']);
    pages.dispose();
  });

  it('are those of the files, and a click shows the line', async () => {
    const order = await ordered();
    const text = pageText(await order.load(never, 'asked'));
    assert.match(text, /^web \| ssh-ed25519; SHA256:\S+ \| \S+known_hosts:2 \| not recorded$/m);
    await order.act(JSON.stringify(['open', file, 2]));
    const editor = vscode.window.activeTextEditor;
    assert.deepEqual([editor?.document.uri.fsPath, editor?.selection.active.line], [file, 1]);
  });

  it('are read again when the store changes, not for each message of a conversation', async () => {
    const { onDidChange } = await ordered();
    let changed = 0;
    const listener = onDidChange?.(() => changed++);
    for (const area of ['conversations', 'knownHosts', 'hosts'] as const) changes.fire(area);
    listener?.dispose();
    assert.equal(changed, 2);
  });

  it('are saved as a file, but never over a file that they are read from', async () => {
    const target = path.join(home, 'exported');
    assert.equal(await saveKeys(vscode.Uri.file(target), services), '1 host key(s) were saved.');
    assert.equal(await fs.readFile(target, 'utf8'), `web ${key}\n`);
    assert.match(await saveKeys(vscode.Uri.file(file), services), /^Nothing was saved/);
    assert.equal(await fs.readFile(file, 'utf8'), `# mine\nweb ${key}\n`);
  });
});
