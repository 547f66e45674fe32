import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { Emitter } from '../../src/agentkit/index.ts';
import type { DocumentChange } from '../../src/application/files/documents/documentFiles.ts';
import type { ListedEntry } from '../../src/application/files/documents/listFolder.ts';
import type { ConnectionChange } from '../../src/application/ports/connection.ts';
import { localFault } from '../../src/domain/fault.ts';
import { joinPath, pathOfText, remoteName, showPath } from '../../src/domain/files/remotePath.ts';
import type { HostListing } from '../../src/domain/host/host.ts';
import { newHostId } from '../../src/domain/host/hostId.ts';
import { Bookmarks } from '../../src/features/files/bookmarks.ts';
import type { FilesNode } from '../../src/features/files/filesNode.ts';
import { FilesTree } from '../../src/features/files/filesTree.ts';
import { Command } from '../../src/ids.ts';

const host: HostListing = {
  ...{ id: newHostId(), label: 'db1', source: 'vault', address: 'db1.example.com', port: 22 },
  ...{ user: 'deploy', group: undefined, tags: [], tier: 'prod', alias: undefined },
};

const file = (name: Uint8Array): ListedEntry => ({
  name: remoteName(name),
  kind: 'file',
  attributes: { size: 1, mode: 0o100644, times: { accessed: 0, modified: 0 } },
});

describe('the tree of files in the editor', () => {
  let tree: FilesTree;
  let entries: readonly ListedEntry[];
  let listed: string[];
  let redrawn: (FilesNode | undefined)[];
  let isReachable: boolean;
  let changes: Emitter<readonly DocumentChange[]>;
  let states: Emitter<ConnectionChange>;
  let bookmarks: Bookmarks;

  beforeEach(() => {
    [entries, listed, redrawn, isReachable] = [[], [], [], true];
    [changes, states] = [new Emitter(), new Emitter()];
    let kept: unknown;
    bookmarks = new Bookmarks({ get: () => kept, update: async (_key, value) => void (kept = value) });
    const reach = (): void => {
      if (!isReachable) throw localFault('answer-needed');
    };
    tree = new FilesTree({
      services: {
        hosts: { list: async () => [host], onDidChange: () => ({ dispose() {} }) },
        connections: { state: () => ({ k: 'idle' }), onDidChange: states.event },
        documents: {
          start: async () => {
            reach();
            return pathOfText('/home/deploy');
          },
          listUpTo: async ({ path }) => {
            reach();
            listed.push(showPath(path));
            return { entries, refused: [], isCut: false };
          },
          onDidChange: changes.event,
        },
      },
      bookmarks,
      folderView: () => ({ order: 'name', hidesDotFiles: false }),
      describeError: String,
    });
    tree.onDidChangeTreeData((node) => redrawn.push(node));
  });
  afterEach(() => tree.dispose());

  const labels = (nodes: readonly FilesNode[]): readonly unknown[] =>
    nodes.map((node) => tree.getTreeItem(node).label);
  /** The rows under the host, and the one of its start folder. */
  async function places(): Promise<{ readonly all: readonly FilesNode[]; readonly start: FilesNode }> {
    const [root] = await tree.getChildren();
    const all = await tree.getChildren(root);
    assert.ok(all[0] !== undefined);
    return { all, start: all[0] };
  }

  it('has a root for each host, and reads nothing before one is opened', async () => {
    assert.deepEqual([labels(await tree.getChildren()), listed], [['db1'], []]);
  });

  it('shows the start folder, the root and the bookmarks of a host', async () => {
    await bookmarks.add({ host: host.id, path: pathOfText('/etc/nginx') });
    const { all } = await places();
    const shown = all
      .map((node) => tree.getTreeItem(node))
      .map(({ label, description }) => [label, description]);
    assert.deepEqual(shown, [
      ['/home/deploy', 'where you sign in'],
      ['/', ''],
      ['nginx', '/etc'],
    ]);
  });

  it('shows a large folder in pages of 1000, which it reads once', async () => {
    entries = Array.from({ length: 2_345 }, (_, index) => file(Buffer.from(`f${String(index)}`)));
    const { start } = await places();
    const counts: unknown[] = [];
    for (const left of [1_345, 345, undefined]) {
      const rows = await tree.getChildren(start);
      const last = rows.at(-1);
      counts.push([rows.length, last?.kind === 'moreFiles' ? last.left : undefined]);
      assert.equal(last?.kind === 'moreFiles' ? last.left : undefined, left);
      if (last?.kind === 'moreFiles') tree.showMore(last.parent);
    }
    assert.deepEqual(counts, [
      [1_001, 1_345],
      [2_001, 345],
      [2_345, undefined],
    ]);
    assert.deepEqual(listed, ['/home/deploy']);
  });

  it('gives each row an id of its own, also where one folder is seen twice and names are no UTF-8', async () => {
    entries = [file(Buffer.from('caf\xe9', 'latin1')), file(Buffer.from('café'))];
    const { all } = await places();
    const rows = (await Promise.all(all.map((place) => tree.getChildren(place)))).flat();
    const ids = [...all, ...rows].map((node) => tree.getTreeItem(node).id);
    assert.equal(new Set(ids).size, all.length + rows.length);
    assert.deepEqual(
      labels(await tree.getChildren(all[0]))
        .slice()
        .sort(),
      ['caf\\xE9', 'café'],
    );
  });

  it('connects a host that needs a person by a row, and shows its files once it is connected', async () => {
    isReachable = false;
    const [root] = await tree.getChildren();
    const [note] = await tree.getChildren(root);
    assert.ok(note !== undefined);
    const { label, command } = tree.getTreeItem(note);
    assert.deepEqual([label, command?.command], ['Not connected. Select to connect.', Command.connectHost]);
    isReachable = true;
    states.fire({ hostId: host.id, state: { k: 'ready', since: 0, rttMs: undefined } });
    assert.deepEqual(redrawn, [root]);
    assert.deepEqual(labels(await tree.getChildren(root)), ['/home/deploy', '/']);
  });

  it('reads a folder again when something in it has changed, and no other', async () => {
    entries = [file(Buffer.from('a'))];
    const { all, start } = await places();
    for (const place of all) await tree.getChildren(place);
    const folder = pathOfText('/home/deploy');
    const at = { host: host.id, path: joinPath(folder, remoteName(Buffer.from('a'))) };
    changes.fire([{ at, kind: 'deleted' }]);
    assert.deepEqual(redrawn, [start]);
    entries = [];
    assert.deepEqual(await tree.getChildren(start), []);
    assert.deepEqual(listed, ['/home/deploy', '/', '/home/deploy']);
  });

  it('opens no connection because a host was disconnected', async () => {
    const { start } = await places();
    await tree.getChildren(start);
    isReachable = false;
    states.fire({ hostId: host.id, state: { k: 'idle' } });
    const { all } = await places();
    assert.deepEqual([labels(all), listed], [['/home/deploy', '/'], ['/home/deploy']]);
    assert.deepEqual(await tree.getChildren(start), []);
  });
});
