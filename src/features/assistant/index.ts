import * as vscode from 'vscode';
import { DisposableBag, systemClock, type Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { Services } from '../../application/services.ts';
import { Setting } from '../../ids.ts';
import { registerAssistantCommands } from './editor/assistantCommands.ts';
import { AssistantScreens } from './editor/assistantScreens.ts';
import { editorPort } from './editor/editorPort.ts';
import { publishContext } from './editor/publishContext.ts';
import { registerPermissionCommands } from './editor/permissionCommands.ts';
import { registerPlanCommands } from './editor/planCommands.ts';
import { AssistantStatusBar } from './editor/statusBar.ts';
import { waitingNotice } from './editor/waitingNotice.ts';
import { AssistantActions } from './model/assistantActions.ts';
import { AssistantModel } from './model/assistantModel.ts';
import { ShownMemory } from './model/shownMemory.ts';
import { failureTexts } from './presentation/failure.ts';
import { assistantTexts, screenStrings } from './presentation/texts.ts';

/**
 * The assistant: view, panel, commands, status bar. Registers only; the runtime is loaded when a screen appears or a command needs it.
 */
export function registerAssistant(context: vscode.ExtensionContext, ports: FeaturePorts): Disposable {
  const bag = new DisposableBag();
  const texts = assistantTexts(vscode.l10n);
  const model = bag.add(
    new AssistantModel({
      texts: { texts, failures: failureTexts(vscode.l10n) },
      clock: systemClock,
      describeError: (error) => ports.describeError(error),
      describeFault: (fault) => ports.describeFault(fault),
      defaultMode: () => defaultMode(),
      reviewModel: () => reviewModel(),
      onError: (error) => ports.log.error('assistant', 'a part of the view failed', error),
    }),
  );
  const statusBar = bag.add(new AssistantStatusBar(model));
  const editor = editorPort({
    log: ports.log,
    redactor: ports.redactor,
    describeError: (error) => ports.describeError(error),
    suggest: (text) => void screens.reveal({ kind: 'focusComposer', text }),
  });
  const actions = new AssistantActions({
    model,
    editor,
    texts,
    describeError: (error) => ports.describeError(error),
  });

  const memory = new ShownMemory(context.workspaceState);
  let starting: Promise<Services> | undefined;
  const start = (): Promise<Services> => (starting ??= load());
  const load = async (): Promise<Services> => {
    try {
      const services = await ports.runtime();
      model.attach(services);
      statusBar.watch(services.connections);
      await memory.restore(model, services.assistant).catch((error: unknown) => {
        ports.log.error('assistant', 'the last conversation was not opened', error);
        editor.showError(ports.describeError(error));
      });
      return services;
    } catch (error) {
      model.fail(error);
      throw error;
    }
  };

  const screens = bag.add(
    new AssistantScreens({
      extensionUri: context.extensionUri,
      model,
      intents: actions,
      clock: systemClock,
      log: ports.log,
      redactor: ports.redactor,
      texts,
      strings: screenStrings(vscode.l10n),
      onFirstUse: () => {
        start().catch((error: unknown) => ports.log.error('assistant', 'the runtime was not loaded', error));
      },
      onRestore: (conversationId) => memory.prefer(conversationId),
    }),
  );
  bag.add(waitingNotice(model, screens));
  bag.add(publishContext(model));
  bag.add(model.onDidChange(() => memory.note(model)));
  bag.add(registerAssistantCommands({ ports, model, actions, screens, texts, start }));
  bag.add(registerPermissionCommands({ ports, model, start }));
  bag.add(registerPlanCommands({ ports, model, actions, start }));
  return bag;
}

function reviewModel(): string {
  const value = vscode.workspace.getConfiguration().get<unknown>(Setting.reviewModel);
  return typeof value === 'string' ? value : '';
}

function defaultMode(): 'ask' | 'review' | 'full' {
  const value = vscode.workspace.getConfiguration().get<unknown>(Setting.permissionMode);
  return value === 'full' || value === 'review' ? value : 'ask';
}
