import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import {
  documentKey,
  placeKey,
  type DocumentAt,
  type FilesPlace,
} from '../../application/files/documents/documentFiles.ts';
import type { ListedEntry } from '../../application/files/documents/listFolder.ts';
import { joinPath, parentOf, pathOfText, type RemotePath } from '../../domain/files/remotePath.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { Bookmarks } from './bookmarks.ts';
import { needsPerson } from './connectOffer.ts';
import { filesItem } from './fileItem.ts';
import { fileNode, isFolder, type FileNode, type FilesNode, type HostNode } from './filesNode.ts';
import type { FilesPorts, FilesServices } from './filesPorts.ts';
import { sortEntries, type FileOrder } from './sortEntries.ts';

/** Source: ssh.md 8.2, "Listing is paged". */
const pageEntries = 1_000;
/** More than that of one folder are not held. */
const mostEntries = 200_000;

export interface FolderView {
  readonly order: FileOrder;
  readonly hidesDotFiles: boolean;
}

export interface FilesTreeOptions {
  readonly services: {
    readonly hosts: Pick<FilesServices['hosts'], 'list' | 'onDidChange'>;
    readonly connections: Pick<FilesServices['connections'], 'state' | 'onDidChange'>;
    readonly documents: Pick<FilesServices['documents'], 'start' | 'listUpTo' | 'onDidChange'>;
  };
  readonly bookmarks: Bookmarks;
  readonly folderView: () => FolderView;
  readonly describeError: FilesPorts['describeError'];
}

/** A folder as it was read, and how much of it is shown. */
interface OpenFolder {
  readonly entries: readonly ListedEntry[];
  readonly isCut: boolean;
  pages: number;
}

/**
 * The files of all hosts: one root for each, and under it its start folder, `/` and bookmarks. Folders are read when they are opened; a
 * host that needs nobody is connected then, another one shows a row that connects it. Source: ssh.md 8.2; vscode.md 4 and 7.
 */
export class FilesTree implements Disposable {
  readonly #options: FilesTreeOptions;
  readonly #bag = new DisposableBag();
  readonly #changed = this.#bag.add(new vscode.EventEmitter<FilesNode | undefined>());
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #over = new AbortController();
  readonly #hosts = new Map<HostId, HostNode>();
  readonly #starts = new Map<HostId, RemotePath>();
  /** Folders that are browsed with the rights of another user, in the order they were asked for. */
  readonly #elevated = new Map<string, DocumentAt & { readonly as: string }>();
  /** Folders as they were read, and the rows that show them. They are read again when something in them changed or the person asks. */
  readonly #open = new Map<string, OpenFolder>();
  readonly #rows = new Map<string, Map<string, FileNode>>();

  constructor(options: FilesTreeOptions) {
    this.#options = options;
    const { services } = options;
    this.#bag.add(services.hosts.onDidChange(() => this.#changed.fire(undefined)));
    this.#bag.add(
      services.connections.onDidChange(({ hostId, state }) => {
        const node = this.#hosts.get(hostId);
        if (node !== undefined && ['ready', 'stopped', 'idle'].includes(state.k)) this.#changed.fire(node);
      }),
    );
    this.#bag.add(
      services.documents.onDidChange((changes) => {
        for (const { at } of changes) this.#refreshFolder({ ...at, path: parentOf(at.path) });
      }),
    );
  }

  /** Everything is read anew. */
  refresh(): void {
    this.#starts.clear();
    this.#open.clear();
    this.#changed.fire(undefined);
  }

  /** Everything is drawn anew as it was read. */
  redraw(): void {
    this.#changed.fire(undefined);
  }

  showMore(folder: FileNode): void {
    const open = this.#open.get(documentKey(folder.at));
    if (open === undefined) return;
    open.pages += 1;
    this.#changed.fire(folder);
  }

  /** Nothing of it is seen, so nothing of it is held. */
  collapsed(folder: FileNode): void {
    this.#open.delete(documentKey(folder.at));
  }

  /** Shows a folder with the rights of another user under its host, from now until they are given up. Undefined for no host of ours. */
  showElevated(at: DocumentAt & { readonly as: string }): FileNode | undefined {
    const parent = this.#hosts.get(at.host);
    this.#elevated.set(documentKey(at), at);
    this.#open.delete(documentKey(at));
    if (parent === undefined) return undefined;
    this.#changed.fire(parent);
    return elevatedNode(at, parent);
  }

  hideElevated(place: FilesPlace): void {
    for (const [key, at] of this.#elevated) if (placeKey(at) === placeKey(place)) this.#elevated.delete(key);
    this.#changed.fire(this.#hosts.get(place.host));
  }

  /** The row of a host, once the tree has been shown. */
  hostNode(host: HostId): HostNode | undefined {
    return this.#hosts.get(host);
  }

  getTreeItem(node: FilesNode): vscode.TreeItem {
    return filesItem(node, ({ listing }) => this.#options.services.connections.state(listing.id));
  }

  getParent(node: FilesNode): FilesNode | undefined {
    return node.kind === 'host' ? undefined : node.parent;
  }

  async getChildren(node?: FilesNode): Promise<FilesNode[]> {
    if (node === undefined) return this.#roots();
    if (node.kind !== 'host' && node.kind !== 'remoteFile') return [];
    try {
      return node.kind === 'host' ? await this.#places(node) : await this.#entries(node);
    } catch (error) {
      return [this.#note(node, error)];
    }
  }

  dispose(): void {
    this.#over.abort(new Error('the window closes'));
    this.#bag.dispose();
  }

  async #roots(): Promise<FilesNode[]> {
    const listings = await this.#options.services.hosts.list();
    this.#hosts.clear();
    this.#rows.clear();
    for (const listing of listings) this.#hosts.set(listing.id, { kind: 'host', listing });
    return [...this.#hosts.values()];
  }

  async #places(node: HostNode): Promise<FilesNode[]> {
    const { services, bookmarks } = this.#options;
    const { id } = node.listing;
    const start = this.#starts.get(id) ?? (await services.documents.start(id, this.#over.signal));
    this.#starts.set(id, start);
    const place = (path: RemotePath, role: FileNode['role']): FileNode =>
      fileNode(path, { role, entry: undefined, parent: node });
    const root = pathOfText('/');
    return [
      place(start, 'start'),
      ...(start.length === 1 ? [] : [place(root, 'root')]),
      ...bookmarks.of(id).map((path) => place(path, 'bookmark')),
      ...[...this.#elevated.values()].filter((at) => at.host === id).map((at) => elevatedNode(at, node)),
    ];
  }

  async #entries(node: FileNode): Promise<FilesNode[]> {
    if (!isFolder(node)) return [];
    const key = documentKey(node.at);
    const rows = this.#rows.get(key) ?? new Map<string, FileNode>();
    this.#rows.set(key, rows.set(`${node.role}:${node.below}`, node));
    const open = this.#open.get(key) ?? (await this.#read(node));
    const sorted = sortEntries(open.entries, this.#options.folderView());
    const shown = sorted.slice(0, open.pages * pageEntries);
    const children: FilesNode[] = shown.map((entry) =>
      fileNode(joinPath(node.at.path, entry.name), {
        ...{ role: 'entry', entry, parent: node, below: node.below },
      }),
    );
    const left = sorted.length - shown.length;
    if (left > 0) children.push({ kind: 'moreFiles', parent: node, left });
    else if (open.isCut)
      children.push({
        kind: 'filesNote',
        parent: node,
        text: vscode.l10n.t('Only the first {0} entries are shown.', mostEntries),
        connect: undefined,
      });
    return children;
  }

  async #read(node: FileNode): Promise<OpenFolder> {
    const { documents } = this.#options.services;
    const { entries, isCut } = await documents.listUpTo(node.at, mostEntries, this.#over.signal);
    const open: OpenFolder = { entries, isCut, pages: 1 };
    this.#open.set(documentKey(node.at), open);
    return open;
  }

  #refreshFolder(folder: DocumentAt): void {
    const key = documentKey(folder);
    if (!this.#open.delete(key)) return;
    for (const node of this.#rows.get(key)?.values() ?? []) this.#changed.fire(node);
  }

  #note(parent: HostNode | FileNode, error: unknown): FilesNode {
    if (parent.kind === 'remoteFile' && parent.as !== undefined && needsPerson(error))
      return {
        ...{ kind: 'filesNote', parent, connect: undefined, elevate: { ...parent.at, as: parent.as } },
        text: vscode.l10n.t('Select to enter the password of sudo again.'),
      };
    const host = parent.kind === 'host' ? parent : this.#hosts.get(parent.at.host);
    return needsPerson(error) && host !== undefined
      ? {
          kind: 'filesNote',
          parent,
          text: vscode.l10n.t('Not connected. Select to connect.'),
          connect: host.listing,
        }
      : { kind: 'filesNote', parent, text: this.#options.describeError(error), connect: undefined };
  }
}

function elevatedNode(at: DocumentAt & { readonly as: string }, parent: HostNode): FileNode {
  return fileNode(at.path, { role: 'elevated', entry: undefined, parent, as: at.as });
}
