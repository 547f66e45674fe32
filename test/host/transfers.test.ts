import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { systemClock } from '../../src/agentkit/index.ts';
import { BrowsedFiles } from '../../src/application/files/browsedFiles.ts';
import { WatchedFiles } from '../../src/application/transfer/engine/watchedFiles.ts';
import { TransferQueue, type TransferEntry } from '../../src/application/transfer/queue/transferQueue.ts';
import type { OpenTransfer } from '../../src/application/transfer/queue/transferPlaces.ts';
import { localFault } from '../../src/domain/fault.ts';
import type { HostListing } from '../../src/domain/host/host.ts';
import type { TransferRecord, TransferState } from '../../src/domain/transfer/transferRecord.ts';
import { folderRows, groupRows } from '../../src/features/transfers/folderRows.ts';
import { transferItem } from '../../src/features/transfers/transferItem.ts';
import { TransfersFeature } from '../../src/features/transfers/transfersFeature.ts';
import { Command, View } from '../../src/ids.ts';
import { MemoryTransfers } from '../../src/infrastructure/store/memory/memoryTransfers.ts';
import { archiveConsents } from '../../src/platform/vscode/archiveConsents.ts';
import { transferRecord } from '../contract/transfers.ts';
import { until } from '../e2e/harness/until.ts';
import { TransferBench } from '../integration/transfer/transferBench.ts';
import { MemoryMemento } from '../support/memoryMemento.ts';
import { shapeRedactor } from '../support/shapeRedactor.ts';
import { silentLog } from '../support/silentLog.ts';

const nothing = { dispose(): void {} };
const words = { hostLabel: () => 'web-1', describeFault: ({ code }: { readonly code: string }) => code };

describe('transfers in the editor', () => {
  let bench: TransferBench;
  let browsed: BrowsedFiles;
  let queue: TransferQueue;
  let feature: TransfersFeature;
  let openTransfer: OpenTransfer;
  let memory: MemoryMemento;
  let tier: HostListing['tier'];

  beforeEach(() => {
    bench = new TransferBench();
    memory = new MemoryMemento();
    tier = undefined;
    const listing: Omit<HostListing, 'tier'> = {
      ...{ id: bench.host, label: 'web-1', source: 'vault', address: 'web-1.example.com', port: 22 },
      ...{ user: 'deploy', group: undefined, tags: [], alias: undefined },
    };
    openTransfer = (_host, signal) => bench.there('').open(signal);
    browsed = new BrowsedFiles({ open: (signal) => bench.there('').open(signal), clock: systemClock });
    queue = new TransferQueue({
      engine: bench.engine,
      store: new MemoryTransfers(systemClock, () => {}),
      changes: { onDidChangeRows: () => nothing },
      hosts: { openTransfer: (host, signal) => openTransfer(host, signal) },
      isConnected: () => false,
      onDidConnect: () => nothing,
      redactor: shapeRedactor,
      clock: systemClock,
      log: silentLog,
    });
    feature = new TransfersFeature({
      services: {
        transfers: queue,
        archiveConsents: archiveConsents(memory),
        hosts: {
          get: async () => ({ ...listing, tier }),
          list: async () => [{ ...listing, tier }],
          onDidChange: () => nothing,
        },
        files: { browse: () => browsed },
      },
      ports: {
        log: silentLog,
        describeError: String,
        describeFault: words.describeFault,
        registerCommand: () => nothing,
        runtime: () => Promise.reject(new Error('not asked for')),
      },
      view: {
        message: '',
        visible: false,
        selection: [],
        onDidChangeVisibility: new vscode.EventEmitter<never>().event,
      },
      redraw: () => {},
    });
  });
  afterEach(async () => {
    feature.dispose();
    await queue.close();
    browsed.dispose();
    bench.dispose();
  });

  /** The one entry once it is in this state and nobody works on it. */
  const entryIn = async (state: TransferState, starts = 1): Promise<TransferEntry> =>
    until({
      what: `the transfer to be ${state}`,
      probe: async () => {
        const [entry] = await queue.entries();
        const isThere = entry?.holder === undefined && entry?.record.state === state;
        return isThere && entry.record.starts === starts ? entry : undefined;
      },
    });

  it('are started, fail with a reason, are tried again and leave the list by commands', async () => {
    openTransfer = async () => {
      throw localFault('not-responding');
    };
    writeFileSync(path.join(bench.local, 'a'), 'a');
    await queue.add({
      kind: 'file',
      from: { k: 'local', folder: bench.local, path: ['a'] },
      to: { k: 'remote', host: bench.host, path: '/srv/a' },
      policy: 'ask',
      by: 'tool',
    });
    await entryIn('failed');
    const [row] = await feature.getChildren();
    assert.ok(row);
    assert.match(String(feature.getTreeItem(row).description), /not-responding$/);
    await feature.run(Command.retryTransfer, [row]);
    await entryIn('failed', 2);
    await feature.run(Command.removeTransfer, [row]);
    assert.deepEqual(await feature.getChildren(), []);
  });

  const row = (name: string): unknown => ({
    kind: 'remoteFile',
    host: bench.host,
    path: path.join(bench.remote, name),
  });

  it('begin when something of this machine is dropped onto a folder of a host', async () => {
    mkdirSync(path.join(bench.local, 'site'));
    writeFileSync(path.join(bench.local, 'site', 'index.html'), 'hello');
    mkdirSync(path.join(bench.remote, 'srv'));
    const data = new vscode.DataTransfer();
    const uri = vscode.Uri.file(path.join(bench.local, 'site'));
    data.set('text/uri-list', new vscode.DataTransferItem(`${uri.toString()}\r\n`));
    await feature.drop(row('srv'), data);
    await entryIn('completed');
    assert.equal(readFileSync(path.join(bench.remote, 'srv', 'site', 'index.html'), 'utf8'), 'hello');
  });

  it('begin when a row of the Files view is dropped onto another folder, and not onto its own', async () => {
    mkdirSync(path.join(bench.remote, 'srv'));
    writeFileSync(path.join(bench.remote, 'a'), 'of the host');
    const data = new vscode.DataTransfer();
    await feature.drag([row('a')], data);
    assert.equal(
      await data.get('text/uri-list')?.asString(),
      `termind-sftp://${bench.host}${path.join(bench.remote, 'a')}`,
    );
    await feature.drop(row('a'), data);
    const folder = new vscode.DataTransfer();
    await feature.drag([row('srv')], folder);
    await feature.drop(row('srv'), folder);
    assert.deepEqual(await queue.entries(), []);
    await feature.drop(row('srv'), data);
    await entryIn('completed');
    assert.equal(readFileSync(path.join(bench.remote, 'srv', 'a'), 'utf8'), 'of the host');
  });

  for (const [names, question, detail] of [
    [['a'], 'Transfer a to the production host web-1?', 'To {0}'],
    [['a', 'b'], 'Transfer 2 files and folders to the production host web-1?', 'a\nb\nTo {0}'],
  ] as const)
    it(`to a production host begin after a question that names them: ${names.join(', ')}`, async () => {
      tier = 'prod';
      const original = vscode.window.showWarningMessage;
      const asked: string[] = [];
      let answer: string | undefined;
      const ask = async (text: string, options: vscode.MessageOptions) => {
        asked.push(text, options.detail ?? '');
        return answer;
      };
      mkdirSync(path.join(bench.remote, 'srv'));
      for (const name of names) writeFileSync(path.join(bench.local, name), name);
      const data = new vscode.DataTransfer();
      const list = names.map((name) => vscode.Uri.file(path.join(bench.local, name)).toString()).join('\r\n');
      data.set('text/uri-list', new vscode.DataTransferItem(list));
      Reflect.set(vscode.window, 'showWarningMessage', ask);
      try {
        await feature.drop(row('srv'), data);
        assert.deepEqual(await queue.entries(), []);
        answer = 'Transfer';
        await feature.drop(row('srv'), data);
      } finally {
        Reflect.set(vscode.window, 'showWarningMessage', original);
      }
      const once = [question, detail.replace('{0}', path.join(bench.remote, 'srv'))];
      assert.deepEqual(asked, [...once, ...once]);
      assert.equal((await queue.entries()).length, names.length);
    });

  it('do not begin between files that are shown with the rights of another user, and say so', async () => {
    const original = vscode.window.showInformationMessage;
    const told: string[] = [];
    Reflect.set(vscode.window, 'showInformationMessage', async (text: string) => void told.push(text));
    try {
      const address = (query: string): string =>
        `termind-sftp://${bench.host}${path.join(bench.remote, 'a')}${query}`;
      for (const [onto, from] of [
        [{ kind: 'remoteFile', host: bench.host, path: bench.remote, as: 'root' }, address('')],
        [row('srv'), address('?as=root')],
      ] as const) {
        const data = new vscode.DataTransfer();
        data.set('text/uri-list', new vscode.DataTransferItem(from));
        await feature.drop(onto, data);
      }
    } finally {
      Reflect.set(vscode.window, 'showInformationMessage', original);
    }
    const sentence = 'Files that are shown with the rights of another user are not transferred.';
    assert.deepEqual([told, await queue.entries()], [[sentence, sentence], []]);
  });

  it('show of a folder what is under way and what failed, and the rest as counts with pages', async () => {
    const root = { k: 'local', folder: bench.local, path: ['site'] } as const;
    const places = Array.from({ length: 100_000 }, (_, at) => ({ ...root, path: ['site', String(at)] }));
    const files = new WatchedFiles(root, places);
    const [first] = places;
    assert.ok(first);
    files.started(first, 2048, { sized() {}, moved() {}, had() {} }).moved(1024);
    const record = transferRecord({
      ...{ kind: 'folder', state: 'running', failedFiles: 21, to: root },
      failures: [{ path: '/srv/a', fault: localFault('not-responding').fault }],
    });
    const entry: TransferEntry = {
      ...{ record, holder: 'here', bytesPerSecond: 0, secondsLeft: undefined, question: undefined, files },
      verifying: undefined,
    };
    const rows = folderRows(entry);
    const texts = rows.map((node) => {
      const { label, description } = transferItem(node, words);
      return [label, description];
    });
    assert.deepEqual(texts, [
      ['0', '1.0 KiB of 2.0 KiB'],
      ['/srv/a', 'not-responding'],
      ['20 more files', undefined],
      ['Waiting: 99999 files', undefined],
    ]);
    const group = rows.find((node) => node.kind === 'transferGroup');
    assert.ok(group);
    const listed = groupRows(group, files, 2);
    assert.equal(listed.length, 201);
    const last = listed.at(-1);
    assert.ok(last);
    assert.equal(transferItem(last, words).description, '99799 left');
    assert.equal(transferItem(last, words).command?.command, Command.moreTransferFiles);
  });

  it('are compared by a command, and what differs stands below them', async () => {
    const folder = path.join(bench.local, 'site');
    mkdirSync(folder);
    for (const name of ['a', 'b']) writeFileSync(path.join(folder, name), name);
    await queue.add({
      kind: 'folder',
      from: { k: 'local', folder: bench.local, path: ['site'] },
      to: { k: 'remote', host: bench.host, path: path.join(bench.remote, 'site') },
      policy: 'overwrite',
      by: 'person',
    });
    await entryIn('completed');
    writeFileSync(path.join(bench.remote, 'site', 'b'), 'c');
    const [moved] = await feature.getChildren();
    await feature.run(Command.verifyTransfer, [moved]);
    const { record } = await until({
      what: 'the comparison to be kept',
      probe: async () => {
        const [entry] = await queue.entries();
        return entry?.record.verification === undefined ? undefined : entry;
      },
    });
    assert.equal(record.verification?.different, 1);
    const [compared] = await feature.getChildren();
    assert.ok(compared);
    assert.match(String(feature.getTreeItem(compared).description), /compared: 1 differ$/);
    const below = (await feature.getChildren(compared)).map((node) => {
      const { label, description } = feature.getTreeItem(node);
      return [label, description];
    });
    assert.deepEqual(below, [['b', 'content-differs']]);
  });

  it('use archives where that was agreed to, until it is taken back', async () => {
    const consents = archiveConsents(memory);
    const at = { host: bench.host, place: 'a digest' };
    await memory.update('other:key', true);
    assert.deepEqual([consents.isGiven(at), consents.given()], [false, []]);
    await memory.update(`termind.archives:${bench.host}`, at.place);
    assert.deepEqual([consents.isGiven(at), consents.given()], [true, [bench.host]]);
    assert.equal(consents.isGiven({ ...at, place: 'another' }), false);
    await consents.withdraw(bench.host);
    assert.deepEqual([consents.isGiven(at), consents.given()], [false, []]);
  });

  it('have a view of their own', async () => {
    await vscode.commands.executeCommand(`${View.transfers}.focus`);
  });

  const shown = (parts: Partial<TransferRecord>, live: Partial<TransferEntry> = {}): readonly unknown[] => {
    const record = transferRecord({
      to: { k: 'remote', host: bench.host, path: '/srv/release.tar' },
      ...parts,
    });
    const entry: TransferEntry = {
      ...{ record, holder: 'here', bytesPerSecond: 0, secondsLeft: undefined, question: undefined },
      files: undefined,
      verifying: undefined,
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
    [
      'being compared',
      { kind: 'folder', state: 'completed', doneBytes: 2048, doneFiles: 4 },
      { verifying: { ...progress(), doneBytes: 1024, totalBytes: 2048, doneFiles: 1, totalFiles: 4 } },
      'verifying',
      '↑ web-1 · comparing: 1.0 KiB of 2.0 KiB, 1 of 4 files',
    ],
    [
      'found the same',
      { state: 'completed', doneBytes: 2048, verification: verification({}) },
      {},
      'completed',
      '↑ web-1 · 2.0 KiB · compared: 4 the same',
    ],
    [
      'found different',
      { state: 'completed', doneBytes: 2048, verification: verification({ different: 2, leftOut: 1 }) },
      {},
      'completed',
      '↑ web-1 · 2.0 KiB · compared: 2 differ, 1 under another name left out',
    ],
  ] as const)
    it(`show what they are: ${what}`, () => {
      assert.deepEqual(shown(parts, live), ['release.tar', `transfer.${context}`, description]);
    });
});

function facts(): { readonly size: undefined; readonly modified: undefined } {
  return { size: undefined, modified: undefined };
}

function progress(): { readonly bytesPerSecond: number; readonly secondsLeft: undefined } {
  return { bytesPerSecond: 0, secondsLeft: undefined };
}

function verification(parts: {
  readonly different?: number;
  readonly leftOut?: number;
}): NonNullable<TransferRecord['verification']> {
  return { at: 0, files: 4, different: 0, leftOut: 0, failures: [], ...parts };
}
