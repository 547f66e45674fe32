import assert from 'node:assert/strict';
import os from 'node:os';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { systemClock, type Disposable } from '../../src/agentkit/index.ts';
import type { HostDirectory } from '../../src/application/ports/hosts.ts';
import { SshConnectionManager } from '../../src/application/ssh/sshConnectionManager.ts';
import { newHostId } from '../../src/domain/host/hostId.ts';
import { connectionFault, faultError } from '../../src/domain/ssh/connectionFault.ts';
import { hopName } from '../../src/domain/ssh/hop.ts';
import { exportedText } from '../../src/features/doctor/exportAttempt.ts';
import { registerDoctor } from '../../src/features/doctor/index.ts';
import { createPages } from '../../src/features/pages/index.ts';
import { Command, PageView } from '../../src/ids.ts';
import { openMemoryStore } from '../../src/infrastructure/store/memory/openMemoryStore.ts';
import { describeFault } from '../../src/platform/vscode/userText.ts';
import { until } from '../e2e/harness/until.ts';
import { shapeRedactor } from '../support/shapeRedactor.ts';
import { silentLog } from '../support/silentLog.ts';
import { targetFor } from '../unit/application/ssh/managerBench.ts';

describe('the doctor in the editor', () => {
  const commands = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>();
  const id = newHostId();
  const argument = { kind: 'host', listing: { id } };
  let attempts: number;
  let connections: SshConnectionManager;
  let bag: Disposable[];

  beforeEach(() => {
    attempts = 0;
    const store = openMemoryStore({ clock: systemClock, log: silentLog });
    const listing = {
      id,
      label: 'web-1',
      address: '192.0.2.7',
      user: 'op',
      port: 22,
      tags: [],
      source: 'vault',
    } as const;
    const hosts: Pick<HostDirectory, 'get' | 'target' | 'onDidChange'> = {
      get: async () => ({ ...listing, tier: undefined, group: undefined, alias: undefined }),
      target: async () => targetFor(id, { label: 'web-1' }),
      onDidChange: () => ({ dispose: () => {} }),
    };
    connections = new SshConnectionManager({
      directory: hosts,
      transport: {
        open: async ({ trace, hop }) => {
          attempts += 1;
          const fault = connectionFault(
            'refused',
            { stage: 'transport', hop: hopName(hop) },
            { address: '192.0.2.7', port: '22' },
          );
          trace.add(hopName(hop), { k: 'ended', code: fault.code, reason: 'nothing listens on 192.0.2.7' });
          throw faultError(fault);
        },
      },
      clock: systemClock,
      log: silentLog,
      random: () => 0.5,
      history: { recordConnect: async () => {} },
    });
    const sshConfig = { debug: async () => ({ k: 'notRun', why: 'noProgram' }) as const };
    const pages = createPages(vscode.Uri.file(os.tmpdir()), {
      log: silentLog,
      redactor: shapeRedactor,
      describeError: String,
    });
    const feature = registerDoctor(
      {
        registerCommand: (name, handler) => {
          commands.set(name, handler);
          return { dispose: () => {} };
        },
        describeFault,
        redactor: shapeRedactor,
        runtime: async () => ({ hosts, hostStore: store.hosts, connections, sshConfig }),
      },
      pages,
    );
    bag = [feature, pages, connections, store];
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const item of bag) item.dispose();
  });

  const tabs = (): readonly string[] =>
    vscode.window.tabGroups.all.flatMap((group) =>
      group.tabs.flatMap(({ input, label }) =>
        input instanceof vscode.TabInputWebview && input.viewType.endsWith(PageView.doctor) ? label : [],
      ),
    );

  it('diagnosing makes an attempt and shows it; showing it again makes none and opens no second tab', async () => {
    await commands.get(Command.diagnoseHost)?.(argument);
    await until({ what: 'the tab', probe: () => tabs().length > 0 });
    await commands.get(Command.showConnectionTrace)?.(argument);
    assert.deepEqual([attempts, tabs()], [1, ['Connection: web-1']]);
  });

  it('an export leaves out what was chosen', async () => {
    await commands.get(Command.diagnoseHost)?.(argument);
    const state = connections.state(id);
    assert.ok(state.k === 'stopped');
    const text = exportedText(
      { label: 'web-1', fault: state.fault, traces: connections.trace(id) },
      {
        format: 'json',
        redaction: { users: true, hosts: true, comments: true },
        pageOf: () => assert.fail('JSON needs no page'),
      },
    );
    assert.deepEqual(
      ['web-1', '192.0.2.7', 'op@'].filter((name) => text.includes(name)),
      [],
    );
    assert.ok(text.includes('"code": "refused"'));
  });
});
