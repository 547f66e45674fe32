import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../../agentkit/index.ts';
import type { FeaturePorts } from '../../../application/featurePorts.ts';
import type { Services } from '../../../application/services.ts';
import { Command } from '../../../ids.ts';
import type { AssistantActions } from '../model/assistantActions.ts';
import type { AssistantModel } from '../model/assistantModel.ts';

/** Plan mode and what becomes of a plan as commands, for the conversation that is shown. */
export function registerPlanCommands(options: {
  readonly ports: FeaturePorts;
  readonly model: AssistantModel;
  readonly actions: AssistantActions;
  readonly start: () => Promise<Services>;
}): Disposable {
  const { ports, model, actions, start } = options;
  const bag = new DisposableBag();
  bag.add(
    ports.registerCommand(Command.togglePlanning, async () => {
      await start();
      await model.setPlanning(!model.planning);
      void vscode.window.showInformationMessage(
        model.planning
          ? vscode.l10n.t('Plan mode is on: the next run only looks, and hands over a plan.')
          : vscode.l10n.t('Plan mode is off: the next run may act, and asks as usual.'),
      );
    }),
  );
  for (const [id, verdict] of [
    [Command.implementPlan, 'implement'],
    [Command.discardPlan, 'discard'],
  ] as const)
    bag.add(
      ports.registerCommand(id, async () => {
        await start();
        const answer = await actions.decideLatestPlan(verdict);
        if (!answer.ok) void vscode.window.showInformationMessage(answer.text);
      }),
    );
  return bag;
}
