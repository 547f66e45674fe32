import * as vscode from 'vscode';
import type { PermissionMode } from '../../../agentkit/index.ts';
import { Command } from '../../../ids.ts';
import type { AssistantModel } from '../model/assistantModel.ts';
import type { AssistantTexts } from '../presentation/texts.ts';

/** The security review is not there yet; a mode that denies everything it would decide is not offered. */
const offeredModes = ['ask', 'full'] as const satisfies readonly PermissionMode[];

/** Lets a person choose the model of the conversation. */
export async function pickModel(model: AssistantModel): Promise<void> {
  const current = model.modelRef;
  const add = { label: vscode.l10n.t('$(add) Add Model…'), ref: undefined, description: '' };
  const picked = await vscode.window.showQuickPick(
    [
      ...model.models.map((choice) => ({
        label: choice.ref === current ? `$(check) ${choice.label}` : choice.label,
        description: choice.ref,
        ref: choice.ref,
      })),
      add,
    ],
    { title: vscode.l10n.t('Choose Model'), placeHolder: vscode.l10n.t('Who answers in this conversation?') },
  );
  if (picked === undefined) return;
  if (picked.ref === undefined) await vscode.commands.executeCommand(Command.addProvider);
  else await model.setModel(picked.ref);
}

/** Lets a person choose what runs without asking; full access takes a second, modal yes. */
export async function pickPermissionMode(model: AssistantModel, texts: AssistantTexts): Promise<void> {
  const details: Record<(typeof offeredModes)[number], string> = {
    ask: vscode.l10n.t('What is proven to only read runs by itself. You decide about everything else.'),
    full: vscode.l10n.t('Everything runs without asking. For machines that you can afford to lose.'),
  };
  const picked = await vscode.window.showQuickPick(
    offeredModes.map((mode) => ({
      label: mode === model.mode ? `$(check) ${texts.mode(mode)}` : texts.mode(mode),
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
