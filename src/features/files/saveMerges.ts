import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableBag, neverAborted, type Disposable } from '../../agentkit/index.ts';
import { documentKey, type DocumentAt } from '../../application/files/documents/documentFiles.ts';
import type { SaveConflict, SaveOutcome } from '../../application/files/save/fileSaving.ts';
import type { ContentStamp } from '../../domain/files/contentStamp.ts';
import { fileError } from '../../domain/files/fileFault.ts';
import { showPath } from '../../domain/files/remotePath.ts';
import { textOfContent } from '../../domain/files/textContent.ts';
import { DocumentScheme, Scheme } from '../../ids.ts';
import { fileSystemError } from './fileSystemError.ts';
import type { FilesServices } from './filesPorts.ts';
import { openDocumentOf } from './openDocuments.ts';
import { uriOf } from './sftpUri.ts';
import { unmergedPlaces } from './unmergedPlaces.ts';

export interface SaveMergesOptions {
  readonly services: Pick<FilesServices, 'documents' | 'hosts'>;
  /** Throws unless the content is on the server; not for conflicts. */
  readonly conclude: (at: DocumentAt, outcome: Exclude<SaveOutcome, SaveConflict>) => void;
  readonly describeError: (error: unknown) => string;
}

/** What the document was made from, and what the host holds. */
export interface MergeSides {
  readonly base: string;
  readonly theirs: string;
  /** Of theirs: what the merged content is to replace. */
  readonly over: ContentStamp;
}

interface Merge extends Omit<MergeSides, 'over'> {
  readonly at: DocumentAt;
  readonly mine: string;
  /** The open document as it was when its changes were taken into the merge. */
  readonly documentText: string;
  /** The file begins with the mark of UTF-8. */
  readonly hasMark: boolean;
  over: ContentStamp;
  /** What the editor has saved, as it gave it. */
  saved: Uint8Array | undefined;
  /** How often it did. */
  saves: number;
}

/** Of the editor itself: its own extension for git opens merges by it. */
const openMergeEditor = '_open.mergeEditor';
const mark = new Uint8Array([0xef, 0xbb, 0xbf]);

/**
 * Conflicts in the editor's merge editor: what was opened, what the host holds, the changes, and a result. The result is a file of its own
 * (`termind-merge:`), so nothing is on the host before the person saves it, and saving it replaces what was merged and nothing else. The
 * editor's own automatic saves are refused: half a merge is not for a host. Source: ssh.md 8.5, "Conflict".
 */
export class SaveMerges implements Disposable {
  readonly #options: SaveMergesOptions;
  readonly #bag = new DisposableBag();
  readonly #merges = new Map<string, Merge>();
  /** Results that the person is about to save. */
  readonly #wanted = new Set<string>();
  /** Files about which the person is asked whether to merge again. */
  readonly #asked = new Set<string>();

  constructor(options: SaveMergesOptions) {
    this.#options = options;
    this.#bag.add(
      vscode.workspace.registerTextDocumentContentProvider(DocumentScheme.mergeSide, {
        provideTextDocumentContent: (uri) => this.#side(uri),
      }),
    );
    this.#bag.add(
      vscode.workspace.onWillSaveTextDocument(({ document, reason }) => {
        if (document.uri.scheme !== Scheme.merge) return;
        if (reason === vscode.TextDocumentSaveReason.Manual) this.#wanted.add(document.uri.query);
        else this.#wanted.delete(document.uri.query);
      }),
    );
    this.#bag.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === Scheme.merge && documentAt(uri) === undefined) this.#merges.delete(uri.query);
      }),
    );
  }

  /** Undefined where there is nothing to merge: a content that is no text in UTF-8 or not known any more, or an editor without merges. */
  async prepare(at: DocumentAt, { theirs }: SaveConflict): Promise<MergeSides | undefined> {
    const text = theirs?.content === undefined ? undefined : textOfContent(theirs.content);
    if (theirs === undefined || text === undefined || !isUnicode(openDocumentOf(at))) return undefined;
    const opened = await this.#options.services.documents.openedContent(at);
    const base = opened === undefined ? undefined : textOfContent(opened);
    if (base === undefined) return undefined;
    if (!(await vscode.commands.getCommands(false)).includes(openMergeEditor)) return undefined;
    return { base, theirs: text, over: theirs.stamp };
  }

  /** Opens the merge editor with the document as it is now. */
  async open(at: DocumentAt, sides: MergeSides): Promise<void> {
    const document = openDocumentOf(at);
    if (document === undefined || !isUnicode(document)) return;
    const mine = document.getText();
    const hasMark = document.encoding === 'utf8bom';
    await this.#show({ at, ...sides, mine, documentText: mine, hasMark, saved: undefined, saves: 0 });
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const merge = this.#find(uri);
    // Whoever writes looks at the folders above.
    if (uri.path !== uriOf(merge.at).path)
      return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    return { type: vscode.FileType.File, ctime: 0, mtime: merge.saves, size: content(uri, merge).length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return content(uri, this.#find(uri));
  }

  /** Saves the result on the host, over what was merged. */
  async writeFile(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const merge = this.#merges.get(uri.query);
    if (merge === undefined) throw ended();
    const text = new TextDecoder().decode(bytes);
    if (!this.#wanted.delete(uri.query))
      throw vscode.FileSystemError.NoPermissions(
        vscode.l10n.t('Automatic saving puts no merge on its host. Save it yourself when it is finished.'),
      );
    if (text.startsWith(markerLine(uri)))
      throw vscode.FileSystemError.NoPermissions(vscode.l10n.t('Nothing is merged yet.'));
    try {
      await this.#checkMerged(merge, text);
      await this.#save(merge, { text, bytes });
    } catch (error) {
      throw fileSystemError(error, uri, this.#options.describeError);
    }
    merge.saved = bytes;
    merge.saves += 1;
  }

  /** The editor wants a folder for a result that is not there any more. */
  createDirectory(): never {
    throw ended();
  }

  dispose(): void {
    this.#bag.dispose();
    this.#merges.clear();
  }

  /** The editor leaves what was opened where nobody has decided between two changes. That would undo both. */
  async #checkMerged({ at, base, theirs, mine }: Merge, result: string): Promise<void> {
    const places = unmergedPlaces({ base, theirs, mine, result });
    if (places === 0) return;
    const save = vscode.l10n.t('Save Anyway');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('Save {0} before everything is merged?', showPath(at.path)),
      {
        modal: true,
        detail:
          places === undefined
            ? vscode.l10n.t('The contents are too different to see whether each change is in the result.')
            : places === 1
              ? vscode.l10n.t('One place that was changed on both sides is as it was before either change.')
              : vscode.l10n.t(
                  '{0} places that were changed on both sides are as they were before either change.',
                  places,
                ),
      },
      save,
    );
    if (answer !== save) throw vscode.FileSystemError.Unavailable(vscode.l10n.t('Nothing was saved.'));
  }

  async #save(merge: Merge, result: { readonly text: string; readonly bytes: Uint8Array }): Promise<void> {
    const { at, over, hasMark } = merge;
    const isMarked = Buffer.from(result.bytes.subarray(0, mark.length)).equals(mark);
    const merged = isMarked && !hasMark ? result.bytes.subarray(mark.length) : result.bytes;
    const { documents } = this.#options.services;
    const outcome = await documents.writeMerged(at, { content: merged, over }, neverAborted);
    if (outcome.k === 'conflict') {
      void this.#askAgain(merge, result.text, outcome);
      throw fileError('conflict', { path: showPath(at.path) });
    }
    this.#options.conclude(at, outcome);
    if (outcome.k !== 'saved') return;
    merge.over = outcome.stamp;
    void this.#settle(merge, result.text, () =>
      documents.acceptTheirs(at, { stamp: outcome.stamp, content: merged }),
    );
  }

  /** The document becomes what was merged. One that was changed further keeps its changes and what they were made from. */
  async #settle({ at, documentText }: Merge, text: string, accept: () => void): Promise<void> {
    const document = openDocumentOf(at);
    if (document?.isDirty !== true || document.getText() !== documentText) return;
    const whole = new vscode.Range(document.positionAt(0), document.positionAt(documentText.length));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, whole, text);
    if (!(await vscode.workspace.applyEdit(edit))) return;
    accept();
    await document.save();
  }

  async #askAgain(merge: Merge, text: string, { theirs }: SaveConflict): Promise<void> {
    const { at } = merge;
    const key = documentKey(at);
    if (this.#asked.has(key)) return;
    this.#asked.add(key);
    try {
      const now = theirs?.content === undefined ? undefined : textOfContent(theirs.content);
      const label = (await this.#options.services.hosts.get(at.host))?.label ?? at.host;
      const again = vscode.l10n.t('Merge Again');
      const answer = await vscode.window.showWarningMessage(
        vscode.l10n.t(
          '{0} was changed on {1} again while you merged. Nothing was saved.',
          showPath(at.path),
          label,
        ),
        ...(now === undefined ? [] : [again]),
      );
      if (answer !== again || theirs === undefined || now === undefined) return;
      const next = { base: merge.theirs, theirs: now, mine: text, over: theirs.stamp };
      await this.#show({ ...merge, ...next, saved: undefined, saves: 0 });
    } finally {
      this.#asked.delete(key);
    }
  }

  async #show(merge: Merge): Promise<void> {
    const id = randomUUID();
    this.#merges.set(id, merge);
    const { path } = uriOf(merge.at);
    const label = (await this.#options.services.hosts.get(merge.at.host))?.label ?? merge.at.host;
    const side = (name: Side): vscode.Uri =>
      vscode.Uri.from({ scheme: DocumentScheme.mergeSide, path, query: id, fragment: name });
    await vscode.commands.executeCommand(openMergeEditor, {
      base: side('base'),
      input1: { uri: side('theirs'), title: vscode.l10n.t('On the Host'), description: label },
      input2: { uri: side('mine'), title: vscode.l10n.t('Yours') },
      output: vscode.Uri.from({ scheme: Scheme.merge, path, query: id }),
    });
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'Save the result of the merge to put it on {0}. Until then nothing is saved there.',
        label,
      ),
    );
  }

  #side({ query, fragment }: vscode.Uri): string {
    const merge = this.#merges.get(query);
    const name = sideNames.find((one) => one === fragment);
    return merge === undefined || name === undefined ? '' : merge[name];
  }

  /** A merge ends with its editor and with its window. */
  #find(uri: vscode.Uri): Merge {
    const merge = this.#merges.get(uri.query);
    if (merge === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return merge;
  }
}

/** Of a result that the editor has brought back after its window was closed. */
function ended(): vscode.FileSystemError {
  return vscode.FileSystemError.Unavailable(
    vscode.l10n.t(
      'This merge has ended, and nothing was saved. Save the file of the host again to merge it, or copy what you need from here.',
    ),
  );
}

const sideNames = ['base', 'theirs', 'mine'] as const;
type Side = (typeof sideNames)[number];

/**
 * Before it was saved it is one conflict from end to end: the editor takes that as a merge that begins. With the mark of UTF-8 the editor
 * saves it in UTF-8, whatever its settings say.
 */
function content(uri: vscode.Uri, { saved, theirs, mine }: Merge): Uint8Array {
  if (saved !== undefined) return saved;
  const eol = mine.includes('\r\n') ? '\r\n' : '\n';
  const lines = [markerLine(uri), ...linesOf(theirs), '=======', ...linesOf(mine), '>>>>>>>', ''];
  return Buffer.concat([mark, Buffer.from(lines.join(eol))]);
}

function markerLine({ query }: vscode.Uri): string {
  return `<<<<<<< ${query}`;
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\r|\n/);
}

function isUnicode(document: vscode.TextDocument | undefined): boolean {
  return document?.encoding === 'utf8' || document?.encoding === 'utf8bom';
}

function documentAt(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
}
