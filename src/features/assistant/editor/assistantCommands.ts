import * as vscode from 'vscode';
import { DisposableBag, type ConversationSummary, type Disposable } from '../../../agentkit/index.ts';
import type { FeaturePorts } from '../../../application/featurePorts.ts';
import type { Services } from '../../../application/services.ts';
import { hostOf } from '../../../application/vault/hostArgument.ts';
import { parseHostId } from '../../../domain/host/hostId.ts';
import { Command } from '../../../ids.ts';
import type { AssistantActions } from '../model/assistantActions.ts';
import type { AssistantModel } from '../model/assistantModel.ts';
import type { AssistantTexts } from '../presentation/texts.ts';
import type { AssistantScreens } from './assistantScreens.ts';
import { deleteConversation, pickConversation, renameConversation } from './conversationCommands.ts';
import { pickModel, pickPermissionMode, pickReviewModel } from './pickers.ts';

export interface CommandOptions {
  readonly ports: FeaturePorts;
  readonly model: AssistantModel;
  readonly actions: AssistantActions;
  readonly screens: AssistantScreens;
  readonly texts: AssistantTexts;
  /** Loads the runtime at first use; rejects when it cannot be loaded. */
  readonly start: () => Promise<Services>;
}

/** Every action of the assistant as a command. */
export function registerAssistantCommands(options: CommandOptions): Disposable {
  const { ports, model, actions, screens, texts, start } = options;
  const bag = new DisposableBag();
  const command = (id: string, handler: (...args: readonly unknown[]) => Promise<unknown>): void => {
    bag.add(ports.registerCommand(id, handler));
  };

  command(Command.openAssistant, () => screens.reveal({ kind: 'focusComposer', text: undefined }));
  command(Command.openAssistantInEditor, async () => screens.openPanel());
  command(Command.askAboutHost, (argument) => askAboutHost(options, argument));
  command(Command.newConversation, async () => {
    await start();
    model.show(undefined);
    await screens.reveal({ kind: 'focusComposer', text: undefined });
  });
  command(Command.openConversation, async (argument) => {
    const summary = await chosenConversation(await start(), argument, vscode.l10n.t('Open Conversation'));
    if (summary === undefined) return;
    await model.open(summary.id);
    await screens.reveal({ kind: 'focusComposer', text: undefined });
  });
  command(Command.renameConversation, async (argument) => {
    const { assistant } = await start();
    const summary = await shownOrChosen(options, argument, vscode.l10n.t('Rename Conversation'));
    if (summary !== undefined) await renameConversation(assistant, summary);
  });
  command(Command.deleteConversation, async (argument) => {
    const { assistant } = await start();
    const summary = await shownOrChosen(options, argument, vscode.l10n.t('Delete Conversation'));
    if (summary !== undefined) await deleteConversation(assistant, summary, model);
  });
  command(Command.stopRun, async () => actions.stop());
  command(Command.reviewApproval, () => review(options));
  command(Command.approve, async () => {
    if (!actions.decideShown('approve')) await review(options);
  });
  command(Command.deny, async () => {
    if (!actions.decideShown('deny')) await review(options);
  });
  command(Command.pickModel, async () => {
    await start();
    await pickModel(model);
  });
  command(Command.pickPermissionMode, async () => {
    await start();
    await pickPermissionMode(model, texts);
  });
  command(Command.pickReviewModel, async () => {
    await start();
    await pickReviewModel(model);
  });
  command(Command.addProvider, async () => {
    const { credentials } = await start();
    const { addProvider } = await import('./providerCommands.ts');
    const ref = await addProvider(credentials);
    if (ref !== undefined) await model.setModel(ref);
  });
  command(Command.setProviderKey, async () => {
    const { setProviderKey } = await import('./providerCommands.ts');
    await setProviderKey((await start()).credentials);
  });
  return bag;
}

/** Shows the oldest card that waits, in its own conversation, with the focus on it. */
async function review({ model, screens, start }: CommandOptions): Promise<void> {
  await start();
  const [oldest] = model.waiting;
  if (oldest === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Nothing waits for you.'));
    return;
  }
  if (model.current?.session.id !== oldest.conversationId) await model.open(oldest.conversationId);
  await screens.reveal({ kind: 'focusPinned' });
}

async function askAboutHost({ screens, start }: CommandOptions, argument: unknown): Promise<void> {
  const { hosts } = await start();
  let host = await hostOf(hosts, argument);
  if (host === undefined) {
    const picked = await vscode.commands.executeCommand(Command.pickHost, vscode.l10n.t('Ask About a Host'));
    const id = typeof picked === 'string' ? parseHostId(picked) : undefined;
    if (id === undefined) return;
    host = await hosts.get(id);
  }
  if (host === undefined) return;
  await screens.reveal({ kind: 'focusComposer', text: vscode.l10n.t('On {0}: ', host.label) });
}

async function chosenConversation(
  { assistant }: Services,
  argument: unknown,
  title: string,
): Promise<ConversationSummary | undefined> {
  if (typeof argument === 'string')
    return (await assistant.list()).find((summary) => summary.id === argument);
  return pickConversation(assistant, { title, placeHolder: vscode.l10n.t('Choose a conversation') });
}

/** The conversation that was named, the one that is shown, or the one the person picks. */
async function shownOrChosen(
  { model, start }: CommandOptions,
  argument: unknown,
  title: string,
): Promise<ConversationSummary | undefined> {
  if (typeof argument !== 'string' && model.current !== undefined) return model.current.summary;
  return chosenConversation(await start(), argument, title);
}
