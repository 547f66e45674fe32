import { Emitter, type ClockPort, type Disposable, type Event } from '../../../agentkit/index.ts';
import { isTermindError, hasCode } from '../../../domain/fault.ts';
import { stampOf, type ContentStamp } from '../../../domain/files/contentStamp.ts';
import { kindOf, type FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { octalMode } from '../../../domain/files/permissions.ts';
import {
  isAtOrBelow,
  nameOf,
  parentOf,
  pathOfText,
  showPath,
  textOfPath,
  type RemotePath,
} from '../../../domain/files/remotePath.ts';
import type { HostId } from '../../../domain/host/hostId.ts';
import { operationHost, type ActNotes } from '../../operations/notedActs.ts';
import type { ConnectionManager } from '../../ports/connection.ts';
import type { HostDirectory } from '../../ports/hosts.ts';
import type { OpenedContentsPort } from '../../ports/openedContents.ts';
import type { RemoteFiles } from '../../ports/remoteFiles.ts';
import type { ElevatedPlaces } from '../elevatedPlaces.ts';
import type { RemoteFilesService } from '../remoteFilesService.ts';
import { findTrash, TrashFolder } from '../remoteTrash.ts';
import type { FileSaving, SaveBase, SaveFiles, SaveOutcome } from '../save/fileSaving.ts';
import type { RemoteContent } from '../save/remoteContent.ts';
import {
  documentKey,
  type DocumentAt,
  type DocumentChange,
  type DocumentStatus,
  type FilesPlace,
  type OpenDocumentsPort,
} from './documentFiles.ts';
import { FileVersions } from './fileVersions.ts';
import { listFolder, type FolderListing } from './listFolder.ts';
import { OpenedContents } from './openedContents.ts';
import { readDocument } from './readDocument.ts';
import { removeTree } from './removeTree.ts';
import { ShownFiles } from './shownFiles.ts';

export interface RemoteDocumentsOptions {
  readonly files: Pick<RemoteFilesService, 'browse'>;
  readonly elevated: Pick<ElevatedPlaces, 'use' | 'current'>;
  readonly connections: Pick<ConnectionManager, 'acquireUnasked'>;
  readonly saving: Pick<FileSaving, 'save' | 'discard'>;
  readonly hosts: Pick<HostDirectory, 'get'>;
  readonly opened: OpenedContentsPort;
  readonly notes: ActNotes;
  readonly clock: ClockPort;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** More entries than that are not for an editor's own list. Source: ssh.md 8.2. */
const maxListed = 20_000;

/** Who saves, for the save machine: all editors of a window are one, and merges are another, which is compared with what an editor saves. */
const writers = { editor: 'editor', merge: 'merge' } as const;

/** Until the editor has said what it holds. */
const nothingOpen: OpenDocumentsPort = {
  isOpen: () => false,
  isDirty: () => false,
  keptBase: () => undefined,
  keepBase: () => {},
};

/**
 * The files of hosts as documents of the editor. A first access connects where nobody has to be asked, and rejects with `answer-needed`
 * otherwise; reading goes on over a new channel after a lost one. Everything rejects as `RemoteFiles` or with the connection's fault.
 * What is changed here is told at once and written down in the operations log. Source: ssh.md 8.2 and vscode.md 7.
 */
export class RemoteDocuments implements Disposable {
  readonly #options: RemoteDocumentsOptions;
  readonly #versions = new FileVersions();
  readonly #contents: OpenedContents;
  readonly #changed = new Emitter<readonly DocumentChange[]>();
  readonly #shown: ShownFiles;
  readonly #shownAt = new Map<string, DocumentAt>();
  /** Ids of kept saves that did not come about, until their document is saved or reverted. */
  readonly #unsaved = new Map<string, readonly string[]>();
  readonly #over = new AbortController();
  #open = nothingOpen;

  constructor(options: RemoteDocumentsOptions) {
    this.#options = options;
    const { clock, random, opened } = options;
    this.#contents = new OpenedContents(opened);
    this.#shown = new ShownFiles({ clock, random, look: (key) => this.#look(key) });
  }

  get onDidChange(): Event<readonly DocumentChange[]> {
    return this.#changed.event;
  }

  /** From now on the editor is asked about what it holds. */
  follow(open: OpenDocumentsPort): void {
    this.#open = open;
  }

  /** The files that a person sees now; changes of these are looked for while their host is connected. */
  show(all: readonly DocumentAt[]): void {
    this.#shownAt.clear();
    for (const at of all) this.#shownAt.set(documentKey(at), at);
    this.#shown.show(new Set(this.#shownAt.keys()));
  }

  /** The open document of a file has become another than what it was made from, or the same again. */
  dirtied(at: DocumentAt, isDirty: boolean): void {
    const key = documentKey(at);
    if (!isDirty) this.#versions.becameClean(key);
    const base = this.#versions.base(key);
    if (isDirty && base !== undefined) this.#keepBase(at, base);
    if (isDirty) return;
    this.#forgetBase(at);
    void this.#settleUnsaved(key);
  }

  /** The editor holds the file no longer. */
  closed(at: DocumentAt): void {
    this.#contents.closed(documentKey(at));
  }

  /** What the open document of a file was made from; undefined when it is not known any more, as for elevated files, which are not kept. */
  async openedContent(at: DocumentAt): Promise<Uint8Array | undefined> {
    const key = documentKey(at);
    const base = this.#versions.base(key) ?? this.#open.keptBase(key);
    return base === undefined ? undefined : this.#contents.find(key, base);
  }

  async stat(at: DocumentAt, signal: AbortSignal): Promise<DocumentStatus> {
    // The editor looks at a file before it saves it.
    const isUnsaved = this.#open.isDirty(at);
    const key = documentKey(at);
    return this.#use(
      at,
      async (files) => {
        const [behind, itself] = await Promise.allSettled([
          files.stat(at.path, signal),
          files.lstat(at.path, signal),
        ]);
        if (itself.status === 'rejected') throw itself.reason;
        const isLink = kindOf(itself.value) === 'symlink';
        if (behind.status === 'rejected' && (!isLink || files.isEnded || signal.aborted)) throw behind.reason;
        const attributes = behind.status === 'fulfilled' ? behind.value : undefined;
        return {
          kind: attributes === undefined ? 'missing' : documentKind(attributes),
          isLink,
          size: (attributes ?? itself.value).size ?? 0,
          mtime: isUnsaved
            ? this.#versions.tellUnsaved(key)
            : this.#versions.tell(key, attributes ?? itself.value),
          isReadOnly: files.capabilities.isReadOnly,
        };
      },
      { isRepeatable: true, mayAsk: isUnsaved, signal },
    );
  }

  /** Rejects with `too-many-entries` above 20 000. */
  async list(at: DocumentAt, signal: AbortSignal): Promise<FolderListing> {
    const listing = await this.listUpTo(at, maxListed, signal);
    if (listing.isCut)
      throw fileError('too-many-entries', { path: showPath(at.path), limit: String(maxListed) });
    return listing;
  }

  async listUpTo(at: DocumentAt, maxEntries: number, signal: AbortSignal): Promise<FolderListing> {
    return this.#read(at, (files) => listFolder(files, { path: at.path, maxEntries }, signal), signal);
  }

  /** Where the server starts, absolute. */
  async start(host: HostId, signal: AbortSignal): Promise<RemotePath> {
    return this.#read({ host }, (files) => files.realpath(pathOfText('.'), signal), signal);
  }

  /** Rejects with `too-large` above 50 MiB. */
  async read(at: DocumentAt, signal: AbortSignal): Promise<Uint8Array> {
    const { content, attributes } = await this.#read(
      at,
      (files) => readDocument(files, at.path, signal),
      signal,
    );
    const stamp = stampOf(content, attributes);
    this.#versions.read(documentKey(at), { attributes, stamp, isDirty: this.#open.isDirty(at) });
    this.#seen(at, stamp, content);
    return content;
  }

  /**
   * Saves the whole content over what the document was made from. `mayCreate`: it need not exist; `mayReplace`: it may; `keepsOld`: what it
   * held stays beside it, as on a production host; `as`: whose rights this one save has, where they are not those of the document. Rejects
   * with `not-found` and `exists` accordingly; everything else is the outcome of the save. A file that is gone is written anew: nothing can
   * be lost by that. Source: ssh.md 8.5 and 8.6.
   */
  async write(
    at: DocumentAt,
    {
      content,
      mayCreate,
      mayReplace,
      keepsOld,
      as,
    }: {
      readonly content: Uint8Array;
      readonly mayCreate: boolean;
      readonly mayReplace: boolean;
      readonly keepsOld?: boolean;
      readonly as?: string;
    },
    signal: AbortSignal,
  ): Promise<SaveOutcome> {
    const base = await this.#baseOf(at, { mayCreate, mayReplace }, signal);
    const key = documentKey(at);
    const target = as === undefined ? at : { ...at, as };
    let outcome = await this.#save(target, { content, base, keepsOld }, signal);
    this.#noteUnsaved(key, outcome);
    if (outcome.k === 'conflict') {
      if (!mayReplace && outcome.theirs !== undefined) {
        await this.#settleUnsaved(key);
        throw fileError('exists', { path: showPath(at.path) });
      }
      if (outcome.theirs === undefined && mayCreate)
        outcome = await this.#save(target, { content, base: 'missing', keepsOld }, signal);
    }
    if (outcome.k !== 'saved') return outcome;
    await this.#settleUnsaved(key);
    this.#versions.saved(key, outcome.stamp);
    if (!outcome.isSuperseded) this.#seen(at, outcome.stamp, content);
    // It may have been changed further meanwhile. Once it is not, this is forgotten.
    if (this.#open.isDirty(at)) this.#keepBase(at, outcome.stamp);
    else this.#forgetBase(at);
    this.#tell({ at, kind: outcome.way === 'created' ? 'created' : 'changed' });
    return outcome;
  }

  /**
   * Saves what an open document was merged to over what it was merged with, and nothing else: whatever else the file holds by now is a
   * conflict. The document stays what it is, and so does what it was made from, until `acceptTheirs`.
   */
  async writeMerged(
    at: DocumentAt,
    { content, over }: { readonly content: Uint8Array; readonly over: ContentStamp },
    signal: AbortSignal,
  ): Promise<SaveOutcome> {
    const key = documentKey(at);
    const outcome = await this.#save(at, { content, base: over, by: 'merge' }, signal);
    this.#noteUnsaved(key, outcome);
    if (outcome.k !== 'saved') return outcome;
    await this.#settleUnsaved(key);
    // An editor without changes reads it again, and is made from it only then.
    const { stamp } = outcome;
    this.#versions.read(key, { attributes: attributesOf(stamp), stamp, isDirty: true });
    this.#tell({ at, kind: 'changed' });
    return outcome;
  }

  /** The person has seen what the file holds now and wants it replaced by the next save. */
  acceptTheirs(at: DocumentAt, { stamp, content }: RemoteContent): void {
    this.#versions.accept(documentKey(at), stamp);
    if (content !== undefined) this.#seen(at, stamp, content);
    this.#keepBase(at, stamp);
  }

  async createFolder(at: DocumentAt, signal: AbortSignal): Promise<void> {
    await this.#change(
      { at, what: 'folderCreated', facts: { target: showPath(at.path) } },
      (files) => files.mkdir(at.path, undefined, signal),
      signal,
    );
    this.#tell({ at, kind: 'created' });
  }

  /** An empty file. Rejects with `exists`. */
  async createFile(at: DocumentAt, signal: AbortSignal): Promise<void> {
    await this.#change(
      { at, what: 'fileSaved', facts: { target: showPath(at.path) } },
      async (files) => {
        const file = await files.open(at.path, { access: 'write', create: 'new' }, signal);
        await file.close(signal);
      },
      signal,
    );
    this.#tell({ at, kind: 'created' });
  }

  /** A file, a link itself, or a folder: an empty one, or with everything in it. */
  async remove(
    at: DocumentAt,
    { isRecursive }: { readonly isRecursive: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#change(
      { at, what: 'fileDeleted', facts: { target: showPath(at.path) } },
      (files) => removeTree(files, { path: at.path, isRecursive }, signal),
      signal,
    );
    this.#versions.forget(documentKey(at));
    this.#tell({ at, kind: 'deleted' });
  }

  /** Where a file or folder would go instead of being deleted for good; undefined where it cannot. Source: ssh.md 8.8. */
  async trashFor(
    at: DocumentAt,
    signal: AbortSignal,
  ): Promise<{ readonly path: RemotePath; readonly isMade: boolean } | undefined> {
    if (at.as !== undefined) return undefined;
    return this.#read(
      at,
      async (files) => {
        const path = await findTrash(files, parentOf(at.path), signal);
        if (path === undefined || isAtOrBelow(at.path, path)) return undefined;
        return { path, isMade: await exists(files, path, signal) };
      },
      signal,
    );
  }

  /** All are of one host, which has a trash. Resolves with those that stayed, because they are on another file system. */
  async moveToTrash(all: readonly DocumentAt[], signal: AbortSignal): Promise<readonly DocumentAt[]> {
    const [first] = all;
    if (first === undefined) return [];
    const left: DocumentAt[] = [];
    await this.#use(
      { host: first.host },
      async (files) => {
        const trash = await findTrash(files, parentOf(first.path), signal);
        if (trash === undefined) return void left.push(...all);
        const folder = await TrashFolder.make(files, { trash, at: this.#options.clock.now() }, signal);
        for (const [index, at] of all.entries())
          if (!(await this.#toTrash(folder, { at, index }, signal))) left.push(at);
      },
      { isRepeatable: false, mayAsk: false, signal },
    );
    return left;
  }

  /** On the same host and file system. Rejects with `exists` unless a file in the way may be replaced. */
  async rename(
    from: DocumentAt,
    { to, mayReplace }: { readonly to: RemotePath; readonly mayReplace: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#change(
      { at: from, what: 'fileRenamed', facts: { from: showPath(from.path), to: showPath(to) } },
      async (files) => {
        await files.rename({ from: from.path, to, replace: mayReplace }, signal);
      },
      signal,
    );
    const target = { ...from, path: to };
    this.#versions.forget(documentKey(from));
    this.#versions.forget(documentKey(target));
    this.#tell({ at: from, kind: 'deleted' }, { at: target, kind: 'created' });
  }

  /** `mode`: permission bits. Of what a link leads to. */
  async setMode(at: DocumentAt, mode: number, signal: AbortSignal): Promise<void> {
    await this.#change(
      { at, what: 'fileModeChanged', facts: { target: showPath(at.path), mode: octalMode(mode) } },
      (files) => files.setstat(at.path, { mode }, signal),
      signal,
    );
    this.#tell({ at, kind: 'changed' });
  }

  /** Anything that a person wants to read; it is done again over a new channel when the first is lost. */
  async look<T>(
    place: FilesPlace,
    work: (files: RemoteFiles) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    return this.#use(place, work, { isRepeatable: true, mayAsk: true, signal });
  }

  dispose(): void {
    this.#over.abort(new Error('the window closes'));
    this.#shown.dispose();
    this.#changed.dispose();
  }

  async #baseOf(
    at: DocumentAt,
    { mayCreate, mayReplace }: { readonly mayCreate: boolean; readonly mayReplace: boolean },
    signal: AbortSignal,
  ): Promise<SaveBase> {
    if (!mayReplace) return 'missing';
    const key = documentKey(at);
    const known = this.#versions.base(key) ?? this.#open.keptBase(key);
    if (known !== undefined) return known;
    const isThere = await this.look(at, (files) => exists(files, at.path, signal), signal);
    if (!isThere && !mayCreate) throw fileError('not-found', { path: showPath(at.path) });
    // The editor asks before it replaces a file that it has not opened. Of one that is open it has to be told that another is there.
    return isThere && !this.#open.isOpen(at) ? 'anything' : 'missing';
  }

  async #save(
    at: DocumentAt,
    {
      content,
      base,
      keepsOld = false,
      by = 'editor',
    }: {
      readonly content: Uint8Array;
      readonly base: SaveBase;
      readonly keepsOld?: boolean | undefined;
      readonly by?: keyof typeof writers;
    },
    signal: AbortSignal,
  ): Promise<SaveOutcome> {
    const { saving, hosts } = this.#options;
    const isProduction = (await hosts.get(at.host))?.tier === 'prod';
    const keepBackup = keepsOld || isProduction;
    const outcome = await saving.save(
      { target: at, content, base, files: this.saveFiles(at), writer: writers[by], keepBackup },
      signal,
    );
    if (outcome.k === 'saved' && outcome.way !== 'unchanged')
      await this.#note({ at, what: 'fileSaved', facts: { target: showPath(at.path) } });
    if (outcome.k === 'unknown' || outcome.k === 'damaged')
      await this.#note({ at, what: 'fileSaved', facts: { target: showPath(at.path), status: outcome.k } });
    return outcome;
  }

  /** The channel that saves of this place use. */
  saveFiles(place: FilesPlace): SaveFiles {
    return {
      use: (work, signal) => this.#use(place, work, { isRepeatable: false, mayAsk: true, signal }),
    };
  }

  /** For the editor, which reads when nobody waits for it as well. */
  #read<T>(place: FilesPlace, work: (files: RemoteFiles) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#use(place, work, { isRepeatable: true, mayAsk: false, signal });
  }

  async #change(
    act: NotedAct,
    work: (files: RemoteFiles) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.#use(act.at, work, { isRepeatable: false, mayAsk: true, signal });
    } catch (error) {
      if (isTermindError(error) && error.fault.outcome === 'unknown')
        await this.#note({ ...act, facts: { ...act.facts, status: 'unknown' } });
      throw error;
    }
    await this.#note(act);
  }

  async #use<T>(
    { host, as }: FilesPlace,
    work: (files: RemoteFiles) => Promise<T>,
    { isRepeatable, mayAsk, signal }: Use,
  ): Promise<T> {
    const { files, elevated, connections } = this.#options;
    if (as !== undefined) return elevated.use({ host, as }, work, { mayAsk, signal });
    const browsed = files.browse(host);
    const lease =
      browsed.current === undefined
        ? await connections.acquireUnasked(host, 'sftp-browse', signal)
        : undefined;
    try {
      return await browsed.use(work, { isRepeatable }, signal);
    } finally {
      lease?.release();
    }
  }

  #seen(at: DocumentAt, stamp: ContentStamp, content: Uint8Array): void {
    if (at.as === undefined) this.#contents.seen(documentKey(at), stamp, content);
  }

  #keepBase(at: DocumentAt, base: ContentStamp): void {
    const key = documentKey(at);
    this.#open.keepBase(key, base);
    this.#contents.keep(key, base);
  }

  #forgetBase(at: DocumentAt): void {
    const key = documentKey(at);
    this.#open.keepBase(key, undefined);
    this.#contents.settled(key);
  }

  #noteUnsaved(key: string, outcome: SaveOutcome): void {
    if ((outcome.k === 'conflict' || outcome.k === 'failed') && outcome.kept !== undefined)
      this.#unsaved.set(key, [...(this.#unsaved.get(key) ?? []), outcome.kept]);
  }

  /** What was kept of them is not wanted any more. What cannot be deleted now is offered at the next start. */
  async #settleUnsaved(key: string): Promise<void> {
    const settled = this.#unsaved.get(key) ?? [];
    this.#unsaved.delete(key);
    for (const id of settled) await this.#options.saving.discard(id).catch(() => {});
  }

  async #look(key: string): Promise<boolean> {
    const at = this.#shownAt.get(key);
    const files = at === undefined ? undefined : this.#current(at);
    if (at === undefined || files === undefined) return false;
    try {
      const attributes = await files.stat(at.path, this.#over.signal);
      if (!this.#versions.hasChanged(key, attributes)) return false;
      this.#tell({ at, kind: 'changed' });
      return true;
    } catch (error) {
      if (!hasCode(error, 'not-found') || !this.#versions.isGone(key)) return false;
      this.#tell({ at, kind: 'deleted' });
      return true;
    }
  }

  /** `index`: keeps equal names of several folders apart. False when it is on another file system. */
  async #toTrash(
    folder: TrashFolder,
    { at, index }: { readonly at: DocumentAt; readonly index: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    const name = nameOf(at.path);
    if (name === undefined) return false;
    try {
      await folder.take(at.path, [String(index + 1), textOfPath(name)], signal);
    } catch (error) {
      if (hasCode(error, 'other-filesystem')) return false;
      throw error;
    }
    const facts = { target: showPath(at.path), to: showPath(folder.path) };
    await this.#note({ at, what: 'fileTrashed', facts });
    this.#versions.forget(documentKey(at));
    this.#tell({ at, kind: 'deleted' });
    return true;
  }

  #current({ host, as }: FilesPlace): RemoteFiles | undefined {
    const { files, elevated } = this.#options;
    return as === undefined ? files.browse(host).current : elevated.current({ host, as });
  }

  #tell(...changes: readonly DocumentChange[]): void {
    this.#changed.fire(changes);
  }

  async #note({ at, what, facts }: NotedAct): Promise<void> {
    const host = await this.#options.hosts.get(at.host);
    const all = at.as === undefined ? facts : { ...facts, as: at.as };
    this.#options.notes.note({
      what,
      facts: all,
      ...(host === undefined ? {} : { host: operationHost(host) }),
    });
  }
}

interface Use {
  readonly isRepeatable: boolean;
  /** A person waits for it and may be asked for a password of elevated files. */
  readonly mayAsk: boolean;
  readonly signal: AbortSignal;
}

interface NotedAct {
  readonly at: DocumentAt;
  readonly what: string;
  readonly facts: Readonly<Record<string, string>>;
}

function documentKind(attributes: FileAttributes): DocumentStatus['kind'] {
  const kind = kindOf(attributes);
  return kind === 'directory' || kind === 'other' ? kind : 'file';
}

async function exists(files: RemoteFiles, path: RemotePath, signal: AbortSignal): Promise<boolean> {
  try {
    await files.lstat(path, signal);
    return true;
  } catch (error) {
    if (hasCode(error, 'not-found')) return false;
    throw error;
  }
}

function attributesOf({ size, mtime }: ContentStamp): FileAttributes {
  return { size, ...(mtime === undefined ? {} : { times: { accessed: mtime, modified: mtime } }) };
}
