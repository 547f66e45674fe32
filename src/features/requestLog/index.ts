import * as vscode from 'vscode';
import { DisposableBag, type ConversationSummary, type Disposable } from '../../agentkit/index.ts';
import type { AssistantLibrary } from '../../application/assistant/assistantLibrary.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { LoggedConversation, RequestLogReader } from '../../application/requestLog/readLog.ts';
import { Command, DocumentScheme } from '../../ids.ts';

/** What this feature needs of the window. */
export interface RequestLogPorts extends Pick<FeaturePorts, 'log' | 'describeError' | 'registerCommand'> {
  runtime(): Promise<{
    readonly assistant: Pick<AssistantLibrary, 'list'>;
    readonly requestLog: RequestLogReader;
  }>;
}

/** What was sent to providers in a conversation, to read in an editor and to save as a file. */
export function registerRequestLog(ports: RequestLogPorts): Disposable {
  const bag = new DisposableBag();
  const changes = bag.add(new vscode.EventEmitter<vscode.Uri>());
  bag.add(
    vscode.workspace.registerTextDocumentContentProvider(DocumentScheme.requestLog, {
      onDidChange: changes.event,
      provideTextDocumentContent: async (uri) => {
        try {
          const conversation = await conversationOf(ports, uri.query);
          if (conversation === undefined) return vscode.l10n.t('This conversation is no longer there.');
          return await (await ports.runtime()).requestLog.show(conversation);
        } catch (error) {
          ports.log.error('request log', 'it could not be read', error);
          return ports.describeError(error);
        }
      },
    }),
  );
  bag.add(
    ports.registerCommand(Command.showRequestLog, async (id) => {
      const conversation = await choose(ports, id, vscode.l10n.t('Show Request Log'));
      if (conversation === undefined) return;
      const uri = uriOf(conversation);
      changes.fire(uri);
      await vscode.window.showTextDocument(uri, { preview: true });
    }),
  );
  bag.add(
    ports.registerCommand(Command.exportRequestLog, async (id) => {
      const conversation = await choose(ports, id, vscode.l10n.t('Export Request Log'));
      if (conversation !== undefined) await save(ports, conversation);
    }),
  );
  return bag;
}

async function save(ports: RequestLogPorts, conversation: LoggedConversation): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const name = `request-log-${conversation.id.slice(0, 8)}.json`;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Request Log'),
    filters: { JSON: ['json'] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (target === undefined) return;
  const text = await (await ports.runtime()).requestLog.export(conversation);
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  const open = vscode.l10n.t('Open');
  const message = vscode.l10n.t(
    'The request log was saved. It holds what the conversation holds, with secrets redacted.',
  );
  if ((await vscode.window.showInformationMessage(message, open)) === open)
    await vscode.commands.executeCommand('vscode.open', target);
}

/** The conversation a caller names, or the one a person picks; the one worked on last is the first. */
async function choose(
  ports: RequestLogPorts,
  id: unknown,
  title: string,
): Promise<LoggedConversation | undefined> {
  if (typeof id === 'string') return conversationOf(ports, id);
  const conversations = await (await ports.runtime()).assistant.list();
  if (conversations.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no conversation yet.'));
    return undefined;
  }
  const time = new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium', timeStyle: 'short' });
  const picked = await vscode.window.showQuickPick(
    conversations.map((summary) => ({
      label: titleOf(summary),
      description: time.format(summary.updatedAt),
      summary,
    })),
    { title, placeHolder: vscode.l10n.t('Of which conversation?'), matchOnDescription: true },
  );
  return picked === undefined ? undefined : { id: picked.summary.id, title: titleOf(picked.summary) };
}

async function conversationOf(ports: RequestLogPorts, id: string): Promise<LoggedConversation | undefined> {
  const conversations = await (await ports.runtime()).assistant.list();
  const summary = conversations.find((conversation) => conversation.id === id);
  return summary === undefined ? undefined : { id: summary.id, title: titleOf(summary) };
}

/** The name is for the tab; the query names the conversation. */
function uriOf({ id, title }: LoggedConversation): vscode.Uri {
  const name = title.replaceAll(/[/\\?#]/gu, ' ').trim();
  return vscode.Uri.from({
    scheme: DocumentScheme.requestLog,
    path: `/${vscode.l10n.t('Request Log: {0}', name)}.md`,
    query: id,
  });
}

function titleOf({ title }: ConversationSummary): string {
  return title === '' ? vscode.l10n.t('New Conversation') : title;
}
