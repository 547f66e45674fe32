import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { systemClock } from '../../src/agentkit/index.ts';
import { FileTransfers } from '../../src/application/transfer/engine/fileTransfers.ts';
import { TransferQueue, type TransferEntry } from '../../src/application/transfer/queue/transferQueue.ts';
import { localFault } from '../../src/domain/fault.ts';
import { newHostId } from '../../src/domain/host/hostId.ts';
import type { TransferId, TransferRecord } from '../../src/domain/transfer/transferRecord.ts';
import { transferItem } from '../../src/features/transfers/transferItem.ts';
import { TransfersFeature } from '../../src/features/transfers/transfersFeature.ts';
import { Command, View } from '../../src/ids.ts';
import { JournalFiles } from '../../src/infrastructure/files/journalFiles.ts';
import { LocalFiles } from '../../src/infrastructure/files/localFiles.ts';
import { MemoryTransfers } from '../../src/infrastructure/store/memory/memoryTransfers.ts';
import { transferRecord } from '../contract/transfers.ts';
import { until } from '../e2e/harness/until.ts';
import { shapeRedactor } from '../support/shapeRedactor.ts';
import { silentLog } from '../support/silentLog.ts';

const host = newHostId();
const nothing = { dispose(): void {} };
const words = { hostLabel: () => 'web-1', describeFault: ({ code }: { readonly code: string }) => code };

describe('transfers in the editor', () => {
  let folder: string;
  let queue: TransferQueue;
  let feature: TransfersFeature;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'termind-transfers-'));
    const journals = new JournalFiles(path.join(folder, 'journals'));
    queue = new TransferQueue({
      engine: new FileTransfers({ local: new LocalFiles(), journals, clock: systemClock }),
      store: new MemoryTransfers(systemClock, () => {}),
      changes: { onDidChangeRows: () => nothing },
      openTransfer: async () => {
        throw localFault('not-responding');
      },
      isConnected: () => false,
      redactor: shapeRedactor,
      clock: systemClock,
      log: silentLog,
    });
    feature = new TransfersFeature({
      services: {
        transfers: queue,
        hosts: { get: async () => undefined, list: async () => [], onDidChange: () => nothing },
        files: {
          browse: () => {
            throw localFault('not-responding');
          },
        },
      },
      ports: {
        log: silentLog,
        describeError: String,
        describeFault: words.describeFault,
        registerCommand: () => nothing,
        runtime: () => Promise.reject(new Error('not asked for')),
      },
      view: { message: '', visible: false, selection: [], onDidChangeVisibility: () => nothing },
      redraw: () => {},
    });
  });
  afterEach(async () => {
    feature.dispose();
    await queue.close();
    rmSync(folder, { recursive: true });
  });

  const failed = async (id: TransferId): Promise<TransferEntry> =>
    until({
      what: 'the end of the transfer',
      probe: async () => {
        const entry = await queue.entry(id);
        return entry?.record.state === 'failed' ? entry : undefined;
      },
    });

  it('are started, fail with a reason, are tried again and leave the list by commands', async () => {
    writeFileSync(path.join(folder, 'a'), 'a');
    const id = await queue.add({
      kind: 'file',
      from: { k: 'local', folder, path: ['a'] },
      to: { k: 'remote', host, path: '/srv/a' },
      policy: 'ask',
      by: 'tool',
    });
    assert.equal((await failed(id)).record.starts, 1);
    const [row] = await feature.getChildren();
    assert.ok(row);
    assert.match(String(feature.getTreeItem(row).description), /not-responding$/);
    await feature.run(Command.retryTransfer, [row]);
    await until({ what: 'the second start', probe: async () => (await failed(id)).record.starts === 2 });
    await feature.run(Command.removeTransfer, [row]);
    assert.deepEqual(await feature.getChildren(), []);
  });

  it('have a view of their own', async () => {
    await vscode.commands.executeCommand(`${View.transfers}.focus`);
  });

  const shown = (parts: Partial<TransferRecord>, live: Partial<TransferEntry> = {}): readonly unknown[] => {
    const record = transferRecord({ to: { k: 'remote', host, path: '/srv/release.tar' }, ...parts });
    const entry: TransferEntry = {
      ...{ record, holder: 'here', bytesPerSecond: 0, secondsLeft: undefined, question: undefined },
      ...live,
    };
    const item = transferItem({ kind: 'transfer', id: record.id, entry }, words);
    return [item.label, item.contextValue, item.description];
  };
  const MiB = 1024 * 1024;

  for (const [what, parts, live, context, description] of [
    ['queued', { state: 'queued' }, {}, 'queued', '↑ web-1 · waiting'],
    [
      'running',
      { state: 'running', doneBytes: 34 * MiB, totalBytes: 100 * MiB },
      { bytesPerSecond: 8 * MiB, secondsLeft: 8.2 },
      'running',
      '↑ web-1 · ▰▰▰▱▱▱▱▱▱▱ 34 MiB of 100 MiB · 8.0 MiB/s · 9 s',
    ],
    [
      'a folder of which files failed',
      { kind: 'folder', state: 'failed', failedFiles: 2, doneFiles: 40 },
      {},
      'failed',
      '↑ web-1 · 2 files failed, 40 moved',
    ],
    [
      'waiting for an answer',
      { state: 'running' },
      { question: { from: 'a', to: 'b', source: facts(), target: facts() } },
      'asking',
      '↑ web-1 · waits for your answer',
    ],
    ['completed', { state: 'completed', doneBytes: 2048 }, {}, 'completed', '↑ web-1 · 2.0 KiB'],
  ] as const)
    it(`show what they are: ${what}`, () => {
      assert.deepEqual(shown(parts, live), ['release.tar', `transfer.${context}`, description]);
    });
});

function facts(): { readonly size: undefined; readonly modified: undefined } {
  return { size: undefined, modified: undefined };
}
