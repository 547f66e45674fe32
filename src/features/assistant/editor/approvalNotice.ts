import * as vscode from 'vscode';
import type { Disposable } from '../../../agentkit/index.ts';
import { Command } from '../../../ids.ts';
import type { AssistantModel } from '../model/assistantModel.ts';

/**
 * Tells a person who does not see the assistant that something waits. It offers to look and never to approve; several approvals share
 * one notification, which cannot be taken back: once nothing waits, a later approval gets its own. Source: vscode.md section 4.
 */
export function approvalNotice(model: AssistantModel, isVisible: () => boolean): Disposable {
  let isOpen = false;
  let told: string | undefined;
  return model.onDidChange(() => {
    const [oldest] = model.waiting;
    if (oldest === undefined) isOpen = false;
    if (oldest === undefined || oldest.request.id === told || isOpen || isVisible()) return;
    told = oldest.request.id;
    isOpen = true;
    const { target } = oldest.request.subject;
    const sentence =
      target === ''
        ? vscode.l10n.t('The assistant needs your decision.')
        : vscode.l10n.t('The assistant needs your decision about a command on {0}.', target);
    const review = vscode.l10n.t('Review');
    vscode.window.showWarningMessage(sentence, review).then(
      (chosen) => {
        isOpen = false;
        if (chosen === review) void vscode.commands.executeCommand(Command.reviewApproval);
      },
      () => {
        isOpen = false;
      },
    );
  });
}
