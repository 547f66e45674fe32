import * as vscode from 'vscode';
import { DisposableBag, type Disposable, type Event } from '../../../agentkit/index.ts';
import type { WaitingCard } from '../../../application/assistant/cardQueue.ts';
import { withoutLinks } from '../../../domain/withoutLinks.ts';
import { Command } from '../../../ids.ts';
import type { AssistantModel } from '../model/assistantModel.ts';

/**
 * Tells a person who does not see the assistant that a card or a plan waits. It only offers to look: nothing is decided here. Cards
 * that wait together share one notification, which cannot be taken back: once nothing waits, a later card gets its own. Each plan is
 * told once. Source: vscode.md section 4.
 */
export function waitingNotice(
  model: AssistantModel,
  screens: { readonly isVisible: boolean; readonly onDidChangeVisibility: Event<void> },
): Disposable {
  let isOpen = false;
  let toldCard: string | undefined;
  const toldPlans = new Set<string>();

  const tellCard = (): void => {
    const [oldest] = model.waiting;
    if (oldest === undefined) isOpen = false;
    if (oldest === undefined || oldest.id === toldCard || isOpen || screens.isVisible) return;
    toldCard = oldest.id;
    isOpen = true;
    const close = (): void => {
      isOpen = false;
    };
    const review = vscode.l10n.t('Review');
    vscode.window
      .showWarningMessage(withoutLinks(cardSentence(oldest)), review)
      .then((chosen) => look(chosen, Command.reviewApproval))
      .then(close, close);
  };
  const tellPlan = (): void => {
    const current = model.current;
    const plan = current?.plan;
    if (plan?.outcome !== 'pending' || current?.session.isRunning === true) return;
    const id = `${plan.runId} ${plan.callId}`;
    if (toldPlans.has(id)) return;
    toldPlans.add(id);
    if (screens.isVisible) return;
    void vscode.window
      .showInformationMessage(
        vscode.l10n.t('The assistant has a plan: {0}', withoutLinks(plan.title)),
        vscode.l10n.t('Show'),
      )
      .then((chosen) => look(chosen, Command.openAssistant));
  };
  const bag = new DisposableBag();
  bag.add(
    model.onDidChange(() => {
      tellCard();
      tellPlan();
    }),
  );
  // The editor tells late that a view was hidden: a card may have come in between.
  bag.add(screens.onDidChangeVisibility(tellCard));
  return bag;
}

/** Follows the one button there is; a notification that was closed chose nothing. */
async function look(chosen: string | undefined, command: Command): Promise<void> {
  if (chosen !== undefined) await vscode.commands.executeCommand(command);
}

function cardSentence({ subject }: WaitingCard): string {
  switch (subject.kind) {
    case 'approval': {
      const { target } = subject.approval.request.subject;
      return target === ''
        ? vscode.l10n.t('The assistant needs your decision.')
        : vscode.l10n.t('The assistant needs your decision about a command on {0}.', target);
    }
    case 'questions':
      return vscode.l10n.t('The assistant asks you something.');
    case 'run':
      return vscode.l10n.t('The assistant asks whether it goes on.');
  }
}
