import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { newConversationId, systemClock } from '../../src/agentkit/index.ts';
import { exportLog } from '../../src/application/requestLog/readLog.ts';
import { showLog } from '../../src/application/requestLog/showLog.ts';
import { registerRequestLog } from '../../src/features/requestLog/index.ts';
import { Command } from '../../src/ids.ts';
import { openMemoryStore } from '../../src/infrastructure/store/memory/openMemoryStore.ts';
import { part, request } from '../contract/requestLog.ts';
import { conversation } from '../contract/runStore.ts';
import { until } from '../e2e/harness/until.ts';
import { silentLog } from '../support/silentLog.ts';

describe('the request log in the editor', () => {
  const id = newConversationId();
  const commands = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>();
  let store: ReturnType<typeof openMemoryStore>;
  let feature: { dispose(): void };

  beforeEach(async () => {
    store = openMemoryStore({ clock: systemClock, log: silentLog });
    await store.runs.createConversation(conversation(id, 'Disk of a/b?'));
    await store.requestLog.add(id, request('r1'), await store.requestLog.keep(id, [part('How full is it?')]));
    feature = registerRequestLog({
      log: silentLog,
      describeError: (error) => String(error),
      registerCommand: (name, handler) => {
        commands.set(name, handler);
        return { dispose: () => {} };
      },
      runtime: async () => ({
        assistant: { list: () => store.runs.listConversations() },
        requestLog: {
          show: (shown) => showLog(store.requestLog, shown),
          export: (shown) => exportLog(store.requestLog, shown),
        },
      }),
    });
  });
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    feature.dispose();
    store.dispose();
  });

  async function show(argument?: unknown): Promise<vscode.TextDocument> {
    let isDone = false;
    void commands
      .get(Command.showRequestLog)?.(argument)
      .then(() => (isDone = true));
    await until({
      what: 'the document',
      probe: async () => {
        if (argument === undefined)
          await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        return isDone;
      },
    });
    const document = vscode.window.activeTextEditor?.document;
    assert.ok(document);
    return document;
  }

  it('is a document to read, of the conversation that a person picks', async () => {
    const document = await show();
    const { uri, languageId, isDirty } = document;
    assert.deepEqual(
      [uri.scheme, uri.path, uri.query, languageId, isDirty],
      ['termind-request-log', '/Request Log: Disk of a b.md', id, 'markdown', false],
    );
    assert.match(document.getText(), /^# Request log: Disk of a\/b\?\n[^]*How full is it\?/);
  });

  it('shows what came since when it is asked for again', async () => {
    const document = await show(id);
    await store.requestLog.add(id, request('r2'), await store.requestLog.keep(id, [part('And now?')]));
    await show(id);
    await until({ what: 'the newer text', probe: () => document.getText().includes('And now?') });
  });

  it('says so when the conversation is gone', async () => {
    const uri = vscode.Uri.parse('termind-request-log:/Gone.md?00000000-0000-4000-8000-000000000000');
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal(document.getText(), 'This conversation is no longer there.');
  });
});
