import * as vscode from 'vscode';
import type { Disposable } from '../../../agentkit/index.ts';
import { Command } from '../../../ids.ts';
import type { AssistantModel } from '../model/assistantModel.ts';

/**
 * Offers what can be done with a plan that was handed over and waits: read it, implement it, discard it. Closing the notification decides
 * nothing; the commands stay. Each plan is told once.
 */
export function planNotice(model: AssistantModel): Disposable {
  const told = new Set<string>();
  return model.onDidChange(() => {
    const session = model.current?.session;
    const plan = session?.snapshot().plan;
    if (session === undefined || session.isRunning || plan?.outcome !== 'pending') return;
    if (told.has(plan.callId)) return;
    told.add(plan.callId);
    void offer(plan.title, plan.scratchPath);
  });
}

async function offer(title: string, scratchPath: string): Promise<void> {
  const open = vscode.l10n.t('Open Plan');
  const implement = vscode.l10n.t('Implement');
  const discard = vscode.l10n.t('Discard');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t('The assistant has a plan: {0}', title),
    open,
    implement,
    discard,
  );
  if (chosen === open) await vscode.commands.executeCommand(Command.openScratchFile, scratchPath);
  if (chosen === implement) await vscode.commands.executeCommand(Command.implementPlan);
  if (chosen === discard) await vscode.commands.executeCommand(Command.discardPlan);
}
