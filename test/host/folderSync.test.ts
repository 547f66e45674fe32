import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { systemClock } from '../../src/agentkit/index.ts';
import type { ActNote } from '../../src/application/operations/operationsLog.ts';
import type { PageOrder } from '../../src/application/ports/pages.ts';
import { FolderSyncer } from '../../src/application/sync/folderSyncer.ts';
import type { HostListing } from '../../src/domain/host/host.ts';
import { pageOffers } from '../../src/domain/page/pageActions.ts';
import { pageText } from '../../src/domain/page/pageText.ts';
import { hostSide, localSide } from '../../src/features/sync/folderSide.ts';
import { readPath, uriOfFile } from '../../src/features/sync/sideAddress.ts';
import { registerSync } from '../../src/features/sync/index.ts';
import type { SyncServices } from '../../src/features/sync/syncPorts.ts';
import { Command } from '../../src/ids.ts';
import { LocalFiles } from '../../src/infrastructure/files/localFiles.ts';
import { never, TransferBench } from '../integration/transfer/transferBench.ts';
import { silentLog } from '../support/silentLog.ts';

const then = 1_700_000_000;

describe('comparing folders in the editor', () => {
  let bench: TransferBench;
  let services: SyncServices;
  let notes: ActNote[];
  let tier: HostListing['tier'];
  const putBack: (() => void)[] = [];

  beforeEach(() => {
    bench = new TransferBench();
    notes = [];
    tier = undefined;
    const host = (): HostListing => ({
      id: bench.host,
      label: 'web-1',
      source: 'vault',
      address: 'web-1.example.com',
      port: 22,
      user: 'deploy',
      group: undefined,
      tags: [],
      tier,
      alias: undefined,
    });
    services = {
      hosts: { get: async (id) => (id === bench.host ? host() : undefined) },
      files: {
        browse: () => assert.fail('the folder is known'),
        openTransfer: (_id, signal) => bench.there('').open(signal),
      },
      folderSync: new FolderSyncer({
        engine: bench.engine,
        local: new LocalFiles(),
        localTrash: { take: () => assert.fail('nothing is deleted here') },
        localNames: { rules: 'bytes', foldsCase: false },
        clock: systemClock,
      }),
      operations: { note: (act) => void notes.push(act) },
    };
  });
  afterEach(() => {
    for (const one of putBack.splice(0).reverse()) one(); // the last stand-in goes first
    bench.dispose();
  });

  /** Answers dialogs in order, which a test cannot click; gives everything that was shown. An answer may be a part of a label. */
  function dialog(name: string, ...answers: readonly unknown[]): unknown[][] {
    const seen: unknown[][] = [];
    const original: unknown = Reflect.get(vscode.window, name);
    Reflect.set(vscode.window, name, async (...words: unknown[]) => {
      seen.push(words);
      const answer = answers[seen.length - 1];
      return typeof answer === 'function' ? (Reflect.apply(answer, undefined, words) as unknown) : answer;
    });
    putBack.push(() => void Reflect.set(vscode.window, name, original));
    return seen;
  }

  /** The items of a list, or the buttons behind a question, whose text has these words. */
  const labelled =
    (...words: readonly string[]) =>
    (first: unknown, ...rest: readonly unknown[]): unknown => {
      const isList = Array.isArray(first);
      const found = (isList ? (first as unknown[]) : rest).filter((one) =>
        words.some((word) => JSON.stringify(one).includes(word)),
      );
      return isList && JSON.stringify(rest[0]).includes('canPickMany') ? found : found[0];
    };

  function put(folder: 'local' | 'remote', name: string, content: string): void {
    const file = path.join(bench[folder], name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, then, then);
  }

  /** The page that the command opens for a folder of the host. */
  async function compared(direction: string): Promise<PageOrder> {
    dialog('showQuickPick', labelled('This Machine'), labelled(direction));
    dialog('showOpenDialog', [vscode.Uri.file(bench.local)]);
    let order: PageOrder | undefined;
    const commands = new Map<string, (...args: readonly unknown[]) => Promise<unknown>>();
    registerSync(
      {
        registerCommand: (name, handler) => {
          commands.set(name, handler);
          return { dispose: () => {} };
        },
        describeError: String,
        describeFault: ({ code }) => `because of ${code}`,
        log: silentLog,
        runtime: async () => services,
      },
      { open: async (asked) => void (order = asked) },
    );
    await commands.get(Command.compareFolders)?.({
      kind: 'remoteFile',
      host: bench.host,
      path: bench.remote,
    });
    assert.ok(order);
    return order;
  }
  const textOf = async (order: PageOrder): Promise<string> => pageText(await order.load(never, 'again'));
  const runAction = async (order: PageOrder): Promise<string> => {
    const { actions } = pageOffers(await order.load(never, 'again'));
    return [...actions].find((action) => action.startsWith('run ')) ?? assert.fail('nothing can be run');
  };

  it('shows the whole plan first, and changes nothing', async () => {
    put('local', 'new/file', 'new');
    put('local', 'both', 'longer here');
    put('local', 'same', 'same');
    put('remote', 'both', 'short');
    put('remote', 'same', 'same');
    const order = await compared('Change the Right Folder');
    const text = await textOf(order);
    assert.match(text, /^Create 2, replace 1, delete 0; 14 B to copy\. Conflicts: 0\. Unchanged: 1\.$/m);
    assert.match(text, /^new\/file \| 3 B; .* \| – \| \[→ create\] \| is missing there$/m);
    assert.match(text, /^both; Open Diff \| 11 B; .* \| 5 B; .* \| \[→ replace\] \| the sizes differ$/m);
    assert.ok(text.includes(`Left: ${bench.local}`) && text.includes(`Right: web-1: ${bench.remote}`), text);
    assert.deepEqual([existsSync(path.join(bench.remote, 'new')), notes], [false, []]);
  });

  it('makes the changes that were shown after a question with the numbers, and tells how each ended', async () => {
    put('local', 'a', 'aa');
    put('local', 'b', 'bb');
    put('remote', 'b', 'b');
    const order = await compared('Change the Right Folder');
    const questions = dialog('showWarningMessage', labelled('Leave as They Are'), labelled('"Synchronize"'));
    await order.act(await runAction(order));
    assert.equal(existsSync(path.join(bench.remote, 'a')), false);
    await order.act(await runAction(order));
    assert.deepEqual(questions[0]?.slice(0, 2), [
      'Synchronize the folders?',
      {
        modal: true,
        detail: [`web-1: ${bench.remote}:`, '1 created', '1 replaced', '4 B copied'].join('\n'),
      },
    ]);
    assert.equal(readFileSync(path.join(bench.remote, 'b'), 'utf8'), 'bb');
    const text = await textOf(order);
    assert.match(text, /^Changes made: 2 of 2\. Copied: 4 B\.$/m);
    assert.match(text, /^a \| \[→ create\] \| \[done\] \| $/m);
    assert.deepEqual(
      notes.map(({ what, facts, host }) => [what, facts, host?.label]),
      [
        [
          'foldersSynchronized',
          { from: bench.local, to: `web-1: ${bench.remote}`, done: '2', notDone: '0', unknown: '0' },
          'web-1',
        ],
      ],
    );
  });

  it('a production host is named in the question', async () => {
    tier = 'prod';
    put('local', 'a', 'a');
    const order = await compared('Change the Right Folder');
    assert.match(await textOf(order), /web-1: \S+ \[production\]/);
    const questions = dialog('showWarningMessage', undefined);
    await order.act(await runAction(order));
    assert.equal(questions[0]?.[0], 'Change files on web-1, a production host?');
    assert.equal(existsSync(path.join(bench.remote, 'a')), false);
  });

  it('a plan that was replaced by another one cannot be run', async () => {
    put('local', 'a', 'a');
    const order = await compared('Change the Right Folder');
    const old = await runAction(order);
    put('local', 'b', 'b');
    await order.load(never, 'asked');
    const questions = dialog('showWarningMessage', labelled('"Synchronize"'));
    await order.act(old);
    assert.deepEqual([questions, existsSync(path.join(bench.remote, 'a'))], [[], false]);
    assert.notEqual(await runAction(order), old);
  });

  it('what changed after it was shown stays, and the page says so', async () => {
    put('local', 'a', 'mine');
    put('local', 'b', 'b');
    put('remote', 'a', 'old');
    const order = await compared('Change the Right Folder');
    put('remote', 'a', 'somebody else');
    dialog('showWarningMessage', labelled('"Synchronize"'));
    await order.act(await runAction(order));
    const text = await textOf(order);
    assert.match(text, /^Changed after it was shown, so left as it is: 1\.$/m);
    assert.match(text, /^a \| \[→ replace\] \| \[changed meanwhile\] \| because of conflict$/m);
    assert.equal(readFileSync(path.join(bench.remote, 'a'), 'utf8'), 'somebody else');
  });

  it('deletions, content and exclusions are chosen on the page', async () => {
    put('local', 'a', 'one');
    put('remote', 'a', 'two');
    put('remote', 'old', 'old');
    put('remote', 'x.log', 'log');
    const order = await compared('Change the Right Folder');
    assert.match(await textOf(order), /^Nothing to do\. /m);
    dialog('showQuickPick', labelled('Compare content', 'Delete what'), labelled('Fill Both'));
    await order.act('rules');
    dialog('showInputBox', '*.log, , /nothing');
    await order.act('exclude');
    const text = await textOf(order);
    assert.match(text, /^Create 0, replace 1, delete 1; .* Conflicts: 0\./m);
    assert.match(text, /^old \| – \| 3 B; .* \| \[delete on the right\] \| only there$/m);
    assert.match(text, /^Excluded: \*\.log; \/nothing$/m);
    await order.act('direction');
    assert.match(await textOf(order), /^a; Open Diff \| .* \| \[conflict\] \| the content differs$/m);
  });

  it('a file has the address under which the editor shows it', () => {
    const host = { id: bench.host, label: 'web-1' } as HostListing;
    const root = readPath('/') ?? assert.fail();
    const name = '100% #1?';
    assert.equal(uriOfFile(localSide('/srv'), ['d', name]).fsPath, path.join('/srv/d', name));
    const uri = uriOfFile(hostSide(host, root, services), ['d', name]);
    assert.deepEqual([uri.scheme, uri.authority, uri.path], ['termind-sftp', bench.host, `/d/${name}`]);
  });
});
