import * as vscode from 'vscode';
import { z } from 'zod';
import { DisposableBag, type Disposable } from '../../agentkit/index.ts';
import {
  documentKey,
  type DocumentAt,
  type OpenDocumentsPort,
} from '../../application/files/documents/documentFiles.ts';
import type { RemoteDocuments } from '../../application/files/documents/remoteDocuments.ts';
import type { ContentStamp } from '../../domain/files/contentStamp.ts';
import { Scheme } from '../../ids.ts';
import type { FilesMemories } from './filesPorts.ts';
import { placeOfUri, uriOf } from './sftpUri.ts';

const stampSchema: z.ZodType<ContentStamp> = z.object({
  sha256: z.string(),
  size: z.number(),
  mtime: z.union([z.number(), z.undefined()]),
});

const memoryKey = (key: string): string => `termind.files.base:${key}`;

/** Tells the documents which files the editor shows and which have changes, from now until it is disposed. */
export function followOpenDocuments(documents: RemoteDocuments, memory: FilesMemories['here']): Disposable {
  const bag = new DisposableBag();
  documents.follow(openDocuments(memory));
  const show = (): void => documents.show(visibleFiles());
  bag.add(vscode.window.onDidChangeVisibleTextEditors(show));
  bag.add(vscode.window.tabGroups.onDidChangeTabs(show));
  /** Those with changes; one that the editor brings back has them when it opens. */
  const dirty = new Set<string>();
  const noteOpen = ({ uri, isDirty }: vscode.TextDocument): void => {
    if (isDirty && uri.scheme === Scheme.sftp) dirty.add(uri.toString());
  };
  bag.add(vscode.workspace.onDidOpenTextDocument(noteOpen));
  bag.add(
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      const { uri, isDirty } = document;
      const at = placeOfUri(uri);
      if (at === undefined || dirty.has(uri.toString()) === isDirty) return;
      if (isDirty) dirty.add(uri.toString());
      else dirty.delete(uri.toString());
      documents.dirtied(at, isDirty);
    }),
  );
  bag.add(
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      const at = placeOfUri(uri);
      // Another language of a document is told as an end of it, too.
      if (at === undefined || openDocumentOf(at) !== undefined) return;
      if (dirty.delete(uri.toString())) documents.dirtied(at, false);
      documents.closed(at);
    }),
  );
  vscode.workspace.textDocuments.forEach(noteOpen);
  show();
  return bag;
}

/** The document of a file while the editor holds it. */
export function openDocumentOf(at: DocumentAt): vscode.TextDocument | undefined {
  const address = uriOf(at).toString();
  return vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === address);
}

function openDocuments(memory: FilesMemories['here']): OpenDocumentsPort {
  return {
    isOpen: (at) => openDocumentOf(at) !== undefined,
    isDirty: (at) => openDocumentOf(at)?.isDirty === true,
    keptBase(key) {
      const { success, data } = stampSchema.safeParse(memory.get(memoryKey(key)));
      return success ? data : undefined;
    },
    keepBase(key, base) {
      if (base === undefined && memory.get(memoryKey(key)) === undefined) return;
      void memory.update(memoryKey(key), base);
    },
  };
}

function visibleFiles(): readonly DocumentAt[] {
  const tabs = vscode.window.tabGroups.all.flatMap(({ activeTab }) => {
    const input: unknown = activeTab?.input;
    return input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom ? [input.uri] : [];
  });
  const editors = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
  const all = [...tabs, ...editors].flatMap((uri) => placeOfUri(uri) ?? []);
  return [...new Map(all.map((at) => [documentKey(at), at])).values()];
}
