import * as vscode from 'vscode';
import type { PermissionMode } from '../../../agentkit/index.ts';
import { Command, Setting } from '../../../ids.ts';
import type { AssistantModel } from '../model/assistantModel.ts';
import type { AssistantTexts } from '../presentation/texts.ts';

const modes = ['ask', 'review', 'full'] as const satisfies readonly PermissionMode[];

/** Lets a person choose the model of the conversation. */
export async function pickModel(model: AssistantModel): Promise<void> {
  const add = { label: vscode.l10n.t('$(add) Add Model…'), ref: undefined, description: '' };
  const picked = await vscode.window.showQuickPick([...modelItems(model, model.modelRef), add], {
    title: vscode.l10n.t('Choose Model'),
    placeHolder: vscode.l10n.t('Who answers in this conversation?'),
  });
  if (picked === undefined) return;
  if (picked.ref === undefined) await vscode.commands.executeCommand(Command.addProvider);
  else await model.setModel(picked.ref);
}

/** Lets a person choose who reviews in the mode `review`, in all conversations; false when they leave. Nothing is preselected. */
export async function pickReviewModel(model: AssistantModel): Promise<boolean> {
  const picked = await vscode.window.showQuickPick(modelItems(model, model.reviewer?.ref), {
    title: vscode.l10n.t('Choose Review Model'),
    placeHolder: vscode.l10n.t('It gets your own words and each action that is not proven to only read.'),
  });
  if (picked === undefined) return false;
  const configuration = vscode.workspace.getConfiguration();
  await configuration.update(Setting.reviewModel, picked.ref, vscode.ConfigurationTarget.Global);
  return true;
}

interface ModelItem extends vscode.QuickPickItem {
  readonly ref: string;
}

function modelItems(model: AssistantModel, current: string | undefined): readonly ModelItem[] {
  return model.models.map(({ ref, label }) => ({
    label: ref === current ? `$(check) ${label}` : label,
    description: ref,
    ref,
  }));
}

/**
 * Lets a person choose what runs without asking. Full access takes a second, modal yes, and a review somebody who reviews: without them the
 * mode stays.
 */
export async function pickPermissionMode(model: AssistantModel, texts: AssistantTexts): Promise<void> {
  const details: Record<PermissionMode, string> = {
    ask: vscode.l10n.t('What is proven to only read runs by itself. You decide about everything else.'),
    review: vscode.l10n.t(
      'A model of your choice decides about what is not proven, by your words. Without its clear yes nothing runs.',
    ),
    full: vscode.l10n.t('Everything runs without asking. For machines that you can afford to lose.'),
  };
  const picked = await vscode.window.showQuickPick(
    modes.map((mode) => ({
      label: mode === model.mode ? `$(check) ${texts.mode(mode)}` : texts.mode(mode),
      ...(mode === 'review' && model.reviewer !== undefined && { description: model.reviewer.label }),
      detail: details[mode],
      mode,
    })),
    {
      title: vscode.l10n.t('Permission Mode'),
      placeHolder: vscode.l10n.t('What may this conversation do without asking?'),
    },
  );
  if (picked === undefined || picked.mode === model.mode) return;
  if (picked.mode === 'full' && !(await confirmFullAccess())) return;
  if (picked.mode === 'review' && model.reviewer === undefined && !(await pickReviewModel(model))) return;
  await model.setMode(picked.mode);
}

async function confirmFullAccess(): Promise<boolean> {
  const keep = vscode.l10n.t('Keep Asking');
  const allow = vscode.l10n.t('Run Everything');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Let this conversation run everything without asking?'),
    {
      modal: true,
      detail: vscode.l10n.t(
        'The assistant then changes and deletes on your hosts by itself. It counts for this conversation only, from the next request on.',
      ),
    },
    keep,
    allow,
  );
  return answer === allow;
}
