import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../../agentkit/index.ts';
import type { FeaturePorts } from '../../../application/featurePorts.ts';
import type { Services } from '../../../application/services.ts';
import { Command } from '../../../ids.ts';
import type { AssistantModel } from '../model/assistantModel.ts';

/** Plan mode and what becomes of a plan, for the conversation that is shown. */
export function registerPlanCommands(options: {
  readonly ports: FeaturePorts;
  readonly model: AssistantModel;
  readonly start: () => Promise<Services>;
}): Disposable {
  const { ports, model, start } = options;
  const bag = new DisposableBag();
  bag.add(
    ports.registerCommand(Command.togglePlanning, async () => {
      await start();
      const session = await model.ensureSession();
      if (session === undefined) return;
      const on = !session.snapshot().summary.planning;
      await session.setPlanning(on);
      void vscode.window.showInformationMessage(
        on
          ? vscode.l10n.t('Plan mode is on: the next run only looks, and hands over a plan.')
          : vscode.l10n.t('Plan mode is off: the next run may act, and asks as usual.'),
      );
    }),
  );
  for (const [id, act] of [
    [Command.implementPlan, 'implementPlan'],
    [Command.discardPlan, 'discardPlan'],
  ] as const)
    bag.add(
      ports.registerCommand(id, async () => {
        await start();
        const session = model.current?.session;
        const plan = session?.snapshot().plan;
        if (session !== undefined && plan?.outcome === 'pending') await session[act](plan.callId);
        else
          void vscode.window.showInformationMessage(
            vscode.l10n.t('This conversation has no plan that waits.'),
          );
      }),
    );
  return bag;
}
