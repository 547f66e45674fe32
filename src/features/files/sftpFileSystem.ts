import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import {
  placeKey,
  type DocumentAt,
  type DocumentChange,
  type DocumentStatus,
  type FilesPlace,
} from '../../application/files/documents/documentFiles.ts';
import type { ListedEntry } from '../../application/files/documents/listFolder.ts';
import type { SaveOutcome } from '../../application/files/save/fileSaving.ts';
import { localFault } from '../../domain/fault.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { textOfBytes } from '../../domain/files/nameText.ts';
import { showPath } from '../../domain/files/remotePath.ts';
import { faultError } from '../../domain/ssh/connectionFault.ts';
import { askOnProduction } from './askOnProduction.ts';
import type { ConnectOffers } from './connectOffer.ts';
import { fileSystemError } from './fileSystemError.ts';
import type { FilesServices } from './filesPorts.ts';
import { offerDownload } from './offerDownload.ts';
import type { SaveConflicts } from './saveConflicts.ts';
import { openDocumentOf } from './openDocuments.ts';
import { documentOf, uriOf } from './sftpUri.ts';
import type { SudoOpens } from './sudoOpens.ts';
import type { SudoSaves } from './sudoSaves.ts';

export interface SftpFileSystemOptions {
  readonly services: Pick<FilesServices, 'documents' | 'elevated' | 'hosts'>;
  readonly offers: ConnectOffers;
  readonly conflicts: SaveConflicts;
  readonly sudoOpens: SudoOpens;
  readonly sudoSaves: SudoSaves;
  readonly describeError: (error: unknown) => string;
  readonly tell: (changes: vscode.FileChangeEvent[]) => void;
}

/**
 * `termind-sftp://<host id>/<path>`: what the editor asks of a file system, answered by the documents of hosts. What fails is one of the
 * editor's codes, with one sentence. Source: vscode.md 7; ssh.md 8.2.
 */
export class SftpFileSystem implements Disposable {
  readonly #options: SftpFileSystemOptions;
  readonly #bag = new DisposableBag();
  readonly #over = new AbortController();
  /** What could not be reached, to be told once its host is connected. */
  readonly #unreached = new Map<string, Map<string, vscode.Uri>>();

  constructor(options: SftpFileSystemOptions) {
    this.#options = options;
    this.#bag.add(options.services.documents.onDidChange((changes) => options.tell(changes.map(eventOf))));
  }

  stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return this.#answer(uri, async (at, signal) => {
      const status = await this.#options.services.documents.stat(at, signal);
      const { mtime, size } = status;
      const type = typeOf(status.kind, status.isLink);
      // The server tells no time of creation.
      return {
        ...{ type, ctime: 0, mtime, size },
        ...(status.isReadOnly ? { permissions: vscode.FilePermission.Readonly } : {}),
      };
    });
  }

  readDirectory(uri: vscode.Uri): Promise<[string, vscode.FileType][]> {
    return this.#answer(uri, async (at, signal) => {
      const { entries } = await this.#options.services.documents.list(at, signal);
      return entries.map((entry): [string, vscode.FileType] => [textOfBytes(entry.name), entryType(entry)]);
    });
  }

  readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return this.#answer(uri, async (at, signal) => {
      const { services, sudoOpens } = this.#options;
      try {
        return await services.documents.read(at, signal);
      } catch (error) {
        void sudoOpens.offer(at, error);
        throw error;
      }
    });
  }

  writeFile(
    uri: vscode.Uri,
    content: Uint8Array,
    options: { readonly create: boolean; readonly overwrite: boolean },
  ): Promise<void> {
    return this.#answer(uri, async (at, signal) => {
      if (openDocumentOf(at)?.isDirty !== true) this.#checkRights(at);
      const as = this.#options.sudoSaves.rightsOf(at);
      const order = {
        ...{ content, mayCreate: options.create, mayReplace: options.overwrite },
        ...(as === undefined ? {} : { as }),
      };
      const outcome = await this.#options.services.documents.write(at, order, signal);
      this.conclude(at, outcome, as);
    });
  }

  createDirectory(uri: vscode.Uri): Promise<void> {
    return this.#answer(uri, async (at, signal) => {
      this.#checkRights(at);
      await this.#options.services.documents.createFolder(at, signal);
    });
  }

  delete(uri: vscode.Uri, { recursive }: { readonly recursive: boolean }): Promise<void> {
    return this.#answer(uri, async (at, signal) => {
      const { services } = this.#options;
      this.#checkRights(at);
      await askOnProduction(services, at, { isRecursive: recursive });
      await services.documents.remove(at, { isRecursive: recursive }, signal);
    });
  }

  /** The editor has deleted what is to be overwritten before it asks for this, so nothing may be in the way. */
  rename(from: vscode.Uri, to: vscode.Uri): Promise<void> {
    return this.#answer(from, async (at, signal) => {
      const target = documentOf(to);
      if (placeKey(target) !== placeKey(at)) throw fileError('other-filesystem', { path: showPath(at.path) });
      this.#checkRights(at);
      await this.#options.services.documents.rename(at, { to: target.path, mayReplace: false }, signal);
    });
  }

  /** Throws unless the content is on the server; the editor keeps its changes then. `as`: whose rights only this save had. */
  conclude(at: DocumentAt, outcome: SaveOutcome, as?: string): void {
    switch (outcome.k) {
      case 'saved':
        return;
      case 'conflict':
        this.#options.conflicts.offer(at, outcome, { mayMerge: as === undefined });
        throw fileError('conflict', { path: showPath(at.path) });
      case 'failed':
        this.#options.sudoSaves.offer(at, outcome.fault);
        throw faultError(outcome.fault);
      case 'unknown':
      case 'damaged':
        this.#options.conflicts.tellUncertain(at, outcome);
        throw faultError(outcome.fault);
    }
  }

  /** The files can be had: the editor may ask again for what it could not get. */
  reached(place: FilesPlace): void {
    const key = placeKey(place);
    const uris = [...(this.#unreached.get(key)?.values() ?? [])];
    this.#unreached.delete(key);
    if (uris.length > 0)
      this.#options.tell(uris.map((uri) => ({ type: vscode.FileChangeType.Changed, uri })));
  }

  dispose(): void {
    this.#over.abort(new Error('the window closes'));
    this.#bag.dispose();
  }

  /**
   * Only the save of what a person has changed asks for a password by itself. Whatever else comes through here may come from anybody, and
   * rejects with `answer-needed` while the rights are not held. Source: ssh.md 8.6.
   */
  #checkRights({ host, as }: DocumentAt): void {
    if (as !== undefined && this.#options.services.elevated.current({ host, as }) === undefined)
      throw localFault('answer-needed');
  }

  async #answer<T>(uri: vscode.Uri, work: (at: DocumentAt, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { offers, describeError } = this.#options;
    let at: DocumentAt | undefined;
    try {
      at = documentOf(uri);
      return await work(at, this.#over.signal);
    } catch (error) {
      if (at !== undefined && offers.offerFor(at, error)) {
        const key = placeKey(at);
        const unreached = this.#unreached.get(key) ?? new Map<string, vscode.Uri>();
        this.#unreached.set(key, unreached.set(uri.toString(), uri));
        throw vscode.FileSystemError.Unavailable(
          at.as === undefined
            ? vscode.l10n.t('The host is not connected. Connect it, then try again.')
            : vscode.l10n.t('The password of sudo is needed again. Enter it, then try again.'),
        );
      }
      if (at !== undefined && at.as === undefined) void offerDownload(at, error);
      throw fileSystemError(error, uri, describeError);
    }
  }
}

function typeOf(kind: DocumentStatus['kind'], isLink: boolean): vscode.FileType {
  const link = isLink ? vscode.FileType.SymbolicLink : vscode.FileType.Unknown;
  switch (kind) {
    case 'directory':
      return link | vscode.FileType.Directory;
    case 'file':
      return link | vscode.FileType.File;
    case 'other':
    case 'missing':
      return link;
  }
}

function entryType({ kind, target }: ListedEntry): vscode.FileType {
  const behind = kind === 'symlink' ? target : kind;
  if (behind === 'directory') return typeOf('directory', kind === 'symlink');
  if (behind === 'file') return typeOf('file', kind === 'symlink');
  return typeOf('other', kind === 'symlink');
}

function eventOf({ at, kind }: DocumentChange): vscode.FileChangeEvent {
  const types = {
    created: vscode.FileChangeType.Created,
    changed: vscode.FileChangeType.Changed,
    deleted: vscode.FileChangeType.Deleted,
  } as const;
  return { type: types[kind], uri: uriOf(at) };
}
