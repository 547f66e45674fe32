import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { Emitter } from '../../src/agentkit/index.ts';
import { pageOffers } from '../../src/domain/page/pageActions.ts';
import { pageText } from '../../src/domain/page/pageText.ts';
import { AuthorityLines } from '../../src/application/trust/authorityLines.ts';
import type { PageOrder } from '../../src/application/ports/pages.ts';
import { FleetTrustReader } from '../../src/application/trust/fleetTrustReader.ts';
import { saveKeys } from '../../src/features/fleetTrust/exportKeys.ts';
import type { FleetTrustServices } from '../../src/features/fleetTrust/fleetTrustServices.ts';
import { registerFleetTrust } from '../../src/features/fleetTrust/index.ts';
import type { HostListing } from '../../src/domain/host/host.ts';
import { aliasHostId } from '../../src/domain/host/hostId.ts';
import { fingerprintOf } from '../../src/domain/trust/hostKey.ts';
import { createPages } from '../../src/features/pages/index.ts';
import { Command, PageView } from '../../src/ids.ts';
import { KnownHostsFiles } from '../../src/infrastructure/ssh/knownHostsFiles.ts';
import { MemoryKnownHostsStore } from '../../src/infrastructure/store/memory/memoryKnownHostsStore.ts';
import { until } from '../e2e/harness/until.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { shapeRedactor } from '../support/shapeRedactor.ts';
import { silentLog } from '../support/silentLog.ts';

const never = new AbortController().signal;
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG9uZSAgICAgICAgICAgICAgICAgICAgICAgICAgICAg';

const fingerprint = fingerprintOf(Buffer.from(key.split(' ')[1] ?? '', 'base64'));
const listing: HostListing = {
  id: aliasHostId('db1'),
  label: 'db1',
  source: 'ssh_config',
  address: 'db1.example.com',
  port: 22,
  user: 'me',
  group: undefined,
  tags: [],
  tier: undefined,
  alias: undefined,
};

describe('the known host keys in the editor', () => {
  let home: string;
  let file: string;
  let services: FleetTrustServices;
  let store: MemoryKnownHostsStore;
  const putBack: (() => void)[] = [];
  let changes: Emitter<'hosts' | 'knownHosts' | 'conversations'>;

  beforeEach(async () => {
    home = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-home-'));
    file = path.join(home, 'known_hosts');
    await fs.writeFile(file, `# mine\nweb ${key}\n`);
    changes = new Emitter((error) => assert.fail(String(error)));
    store = new MemoryKnownHostsStore();
    services = {
      fleetTrust: new FleetTrustReader({
        hosts: { list: () => Promise.resolve([listing]) },
        hostStore: { list: () => Promise.resolve([]) },
        config: {
          hostKeyPlaces: () => Promise.resolve({ usual: { user: [file], global: [] }, byName: new Map() }),
        },
        store,
        files: new KnownHostsFiles(silentLog),
        clock: new FakeClock(),
        log: silentLog,
      }),
      authorities: new AuthorityLines({ store, clock: new FakeClock() }),
      store: { onDidChangeRows: changes.event },
    };
  });
  afterEach(async () => {
    for (const one of putBack.splice(0).reverse()) one(); // the last stand-in goes first
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    changes.dispose();
    await fs.rm(home, { recursive: true });
  });

  /** Runs a command with the pages given. */
  const show = async (
    pages: Parameters<typeof registerFleetTrust>[1],
    command: string = Command.showKnownHostKeys,
  ): Promise<void> => {
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
    await commands.get(command)?.();
  };
  const ordered = async (): Promise<PageOrder> => {
    let order: PageOrder | undefined;
    await show({ open: async (asked) => void (order = asked) });
    assert.ok(order);
    return order;
  };

  it('open in one tab', async () => {
    const pages = createPages(vscode.Uri.file(home), {
      log: silentLog,
      redactor: shapeRedactor,
      describeError: String,
    });
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

  describe('a certificate authority', () => {
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
    const trust = (): Promise<void> => show({ open: async () => {} }, Command.trustAuthority);
    const rows = async (): Promise<readonly unknown[]> =>
      (await store.rows()).map(({ name, port, marker }) => [name, port, marker]);
    /** What the box says of a text while it is typed. */
    const saidOf = (box: unknown[] | undefined, text: string): unknown => {
      const options = box?.[0];
      assert.ok(typeof options === 'object' && options !== null && 'validateInput' in options);
      assert.ok(typeof options.validateInput === 'function');
      const said: unknown = Reflect.apply(options.validateInput, undefined, [text]);
      return said;
    };

    it('is trusted when a person has seen what it covers and says so', async () => {
      dialog('showQuickPick', 'Paste the public key');
      const boxes = dialog('showInputBox', `${key} ca@example.com`, '*.example.com');
      const questions = dialog('showWarningMessage', 'Trust');
      dialog('showInformationMessage');
      await trust();
      assert.deepEqual(await rows(), [['*.example.com', 0, 'cert-authority']]);
      const [title, options, ...buttons] = questions[0] ?? [];
      assert.deepEqual([title, buttons], ['Trust this certificate authority?', ['Do Not Trust', 'Trust']]);
      assert.ok(typeof options === 'object' && options !== null && 'detail' in options);
      assert.ok(typeof options.detail === 'string');
      assert.deepEqual(options.detail.split('\n').slice(0, 4), [
        `ssh-ed25519 ${fingerprint}`,
        'For: *.example.com',
        '',
        'Covered of the listed hosts (1): db1',
      ]);
      assert.equal(typeof saidOf(boxes[0], 'nonsense'), 'string');
      assert.equal(saidOf(boxes[0], key), undefined);
      assert.equal(typeof saidOf(boxes[1], 'a b'), 'string');
      assert.equal(saidOf(boxes[1], 'a,!b'), undefined);
    });

    for (const answer of [undefined, 'Do Not Trust'])
      it(`is not trusted by ${answer ?? 'leaving the question'}`, async () => {
        dialog('showQuickPick', 'Paste the public key');
        dialog('showInputBox', key, '*');
        const questions = dialog('showWarningMessage', answer);
        await trust();
        assert.match(JSON.stringify(questions[0]?.[1]), /These names match every host there is/);
        assert.deepEqual(await rows(), []);
      });

    it('is read from a file; the names of a whole line are proposed', async () => {
      const chosen = path.join(home, 'ca.pub');
      await fs.writeFile(chosen, `@cert-authority *.example.net ${key}\n`);
      dialog('showQuickPick', 'Choose a .pub file…');
      dialog('showOpenDialog', [vscode.Uri.file(chosen)]);
      const boxes = dialog('showInputBox');
      await trust();
      assert.match(JSON.stringify(boxes[0]?.[0]), /"value":"\*\.example\.net"/);
      assert.deepEqual(await rows(), []);
    });

    it('of a file without a key is refused with a sentence', async () => {
      dialog('showQuickPick', 'Choose a .pub file…');
      dialog('showOpenDialog', [vscode.Uri.file(file)]);
      const errors = dialog('showErrorMessage');
      await trust();
      assert.match(String(errors[0]?.[0]), /This is no public key/);
    });

    it('is forgotten on the page after a question, and the page says so', async () => {
      const blob = Buffer.from(key.split(' ')[1] ?? '', 'base64');
      const names = '*.example.com,!test.example.com';
      await services.authorities.add({ names, key: { keyType: 'ssh-ed25519', blob } });
      const order = await ordered();
      const action = `forget ${fingerprint} ${names}`;
      assert.ok(pageOffers(await order.load(never, 'asked')).actions.has(action));
      dialog('showWarningMessage', 'Keep', 'Forget');
      await order.act(action);
      assert.equal((await rows()).length, 1);
      await order.act(action);
      assert.deepEqual(await rows(), []);
      assert.match(
        pageText(await order.load(never, 'asked')),
        /\*\.example\.com,!test\.example\.com \| @cert-authority ssh-ed25519 SHA256:\S+ \| none \| a person/,
      );
    });
  });
});
