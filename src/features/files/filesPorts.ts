import type * as vscode from 'vscode';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { Services } from '../../application/services.ts';

/** Of the services, what files of hosts are shown and changed by. */
export type FilesServices = Pick<
  Services,
  'hosts' | 'connections' | 'files' | 'documents' | 'elevated' | 'saving'
>;

export interface FilesPorts extends Pick<
  FeaturePorts,
  'log' | 'describeError' | 'describeFault' | 'registerCommand'
> {
  runtime(): Promise<FilesServices>;
  /** Of rows of the Files view: what is dropped becomes a transfer. */
  readonly dragAndDrop: vscode.TreeDragAndDropController<unknown>;
}

/** What is remembered between windows: bookmarks and how folders are shown, and in this folder what documents were made from. */
export interface FilesMemories {
  readonly everywhere: Pick<vscode.Memento, 'get' | 'update'>;
  readonly here: Pick<vscode.Memento, 'get' | 'update'>;
}
