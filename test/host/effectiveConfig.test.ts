import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { systemClock } from '../../src/agentkit/index.ts';
import type { ProgramConsent } from '../../src/application/ports/hosts.ts';
import { VaultHostDirectory } from '../../src/application/vault/hostDirectory.ts';
import { ProgramConsents } from '../../src/application/vault/programConsents.ts';
import { aliasHostId } from '../../src/domain/host/hostId.ts';
import { pageText } from '../../src/domain/page/pageText.ts';
import { configDocument } from '../../src/features/effectiveConfig/configDocument.ts';
import { registerEffectiveConfig } from '../../src/features/effectiveConfig/index.ts';
import { openLine } from '../../src/features/effectiveConfig/openLine.ts';
import { createPages } from '../../src/features/pages/index.ts';
import { Command, PageView } from '../../src/ids.ts';
import { OpenSshConfig } from '../../src/infrastructure/config/openSshConfig.ts';
import { openMemoryStore } from '../../src/infrastructure/store/memory/openMemoryStore.ts';
import { programConsentStore } from '../../src/platform/vscode/programConsents.ts';
import { until } from '../e2e/harness/until.ts';
import { shapeRedactor } from '../support/shapeRedactor.ts';
import { silentLog } from '../support/silentLog.ts';

const never = new AbortController().signal;
const text = [
  'Host web',
  '  HostName 192.0.2.1',
  '  User deploy',
  '  Ciphers +aes128-cbc',
  '  ControlPath /run/%h',
  'Host *',
  '  User everybody',
  '  Frobnicate yes',
  '  MACs umac-64@openssh.com,hmac-sha2-256',
].join('\n');

describe('the effective configuration in the editor', () => {
  const commands = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>();
  let home: string;
  let config: OpenSshConfig;
  let bag: { dispose(): void }[];

  beforeEach(async () => {
    home = await fs.mkdtemp(path.join(os.tmpdir(), 'termind-home-'));
    await fs.writeFile(path.join(home, 'config'), text);
    const store = openMemoryStore({ clock: systemClock, log: silentLog });
    const consents = new Map<string, ProgramConsent>();
    const programConsents = {
      get: (file: string) => consents.get(file),
      list: () => [...consents.values()],
      put: async (consent: ProgramConsent) => void consents.set(consent.path, consent),
      remove: async (file: string) => void consents.delete(file),
    };
    const mayRunPrograms = (): boolean => true;
    config = new OpenSshConfig({
      configFile: () => path.join(home, 'config'),
      sshProgram: () => undefined,
      mayRunPrograms,
      consents: new ProgramConsents({
        store: programConsents,
        prompt: { ask: () => Promise.resolve(undefined) },
        mayRunPrograms,
        clock: systemClock,
      }),
      clock: systemClock,
      log: silentLog,
      home,
      localUser: 'me',
      environment: { PATH: '/nowhere' },
    });
    const hosts = new VaultHostDirectory({
      store: store.hosts,
      config,
      changes: store.state,
      local: { home, localUser: 'me', localHost: 'here', userId: 1, environment: {} },
      chosenAgent: () => undefined,
      log: silentLog,
    });
    const pages = createPages(vscode.Uri.file(home), {
      log: silentLog,
      redactor: shapeRedactor,
      describeError: String,
    });
    const feature = registerEffectiveConfig(
      {
        registerCommand: (name, handler) => {
          commands.set(name, handler);
          return { dispose: () => {} };
        },
        runtime: async () => ({ hosts, hostStore: store.hosts, sshConfig: config, programConsents }),
      },
      pages,
    );
    bag = [feature, pages, hosts, config, store];
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const item of bag) item.dispose();
    await fs.rm(home, { recursive: true });
  });

  it('opens one tab for a host, and brings it to the front when it is asked for again', async () => {
    const argument = { kind: 'host', listing: { id: aliasHostId('web') } };
    for (let time = 0; time < 2; time++) await commands.get(Command.showEffectiveConfig)?.(argument);
    const tabs = (): readonly string[] =>
      vscode.window.tabGroups.all.flatMap((group) =>
        group.tabs.flatMap(({ input, label }) =>
          input instanceof vscode.TabInputWebview && input.viewType.endsWith(PageView.effectiveConfig)
            ? label
            : [],
        ),
      );
    await until({ what: 'the tab', probe: () => tabs().length > 0 });
    assert.deepEqual(tabs(), ['SSH Configuration: web']);
  });

  it('says for each value which line set it, which came too late, and whether it counts', async () => {
    const explanation = await config.explain({ alias: 'web' }, never);
    const page = configDocument({
      label: 'web',
      asked: 'web',
      explanation,
      overridden: new Set(['port']),
      shorten: (file) => path.basename(file),
    });
    const lines = pageText(page).split('\n');
    for (const line of [
      'ssh itself refuses this configuration because of 1 line(s). Termind goes on without them.',
      'Blocks that hold: config:1; config:6',
      'HostName | 192.0.2.1 | config:2 | [honoured]',
      'User | deploy | config:3; came too late: config:7 | [honoured]',
      "Ciphers | +aes128-cbc | config:4 | [honoured with difference]; Applied to Termind's own list. Names it does not know are left out.",
      "MACs | umac-64@openssh.com,hmac-sha2-256 | config:9 | [honoured with difference]; Applied to Termind's own list. Names it does not know are left out.; left out: umac-64@openssh.com",
      'Port | 22 | [host record] | [honoured]',
      '[not compared] There is no ssh on this computer.',
      'config:8 | the keyword "frobnicate" is not known; [ssh refuses the whole configuration]',
    ])
      assert.ok(lines.includes(line), `${line}\nis not in\n${lines.join('\n')}`);
  });

  it('a link opens the file at its line', async () => {
    const place = openLine.parse(openLine.action({ path: path.join(home, 'config'), line: 3 }));
    assert.ok(place);
    await openLine.open(place);
    const editor = vscode.window.activeTextEditor;
    assert.deepEqual(
      [editor?.document.uri.fsPath, editor?.selection.active.line],
      [path.join(home, 'config'), 2],
    );
    assert.equal(openLine.parse('["rm","/",1]'), undefined);
    assert.equal(openLine.parse('{'), undefined);
  });

  it('decisions about programs are kept by the editor, one for each file, and what is damaged counts as none', async () => {
    const kept = new Map<string, unknown>();
    const store = programConsentStore({
      keys: () => [...kept.keys()],
      get: (key: string) => kept.get(key),
      update: async (key: string, value: unknown) => {
        if (value === undefined) kept.delete(key);
        else kept.set(key, value);
      },
    });
    const consent = { path: '/c', contentHash: 'ab', isAllowed: true, at: 5 };
    await store.put(consent);
    await store.put({ ...consent, path: '/d', isAllowed: false });
    kept.set('termind.programConsent:/e', { isAllowed: 'yes' });
    kept.set('other', 1);
    assert.deepEqual([store.get('/c'), store.get('/e'), store.list().length], [consent, undefined, 2]);
    await store.remove('/c');
    assert.equal(store.get('/c'), undefined);
  });
});
