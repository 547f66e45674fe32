import * as vscode from 'vscode';
import { DisposableBag, systemClock, type Disposable } from '../../agentkit/index.ts';
import type { FeaturePorts } from '../../application/featurePorts.ts';
import type { Services } from '../../application/services.ts';
import { ContextKey, Setting } from '../../ids.ts';
import { registerAssistantCommands } from './editor/assistantCommands.ts';
import { AssistantScreens } from './editor/assistantScreens.ts';
import { approvalNotice } from './editor/approvalNotice.ts';
import { editorPort } from './editor/editorPort.ts';
import { AssistantStatusBar } from './editor/statusBar.ts';
import { AssistantActions } from './model/assistantActions.ts';
import { AssistantModel } from './model/assistantModel.ts';
import { failureTexts } from './presentation/failure.ts';
import { assistantTexts, screenStrings } from './presentation/texts.ts';

/** Which conversation this window showed last. */
const shownKey = 'termind.assistant.shown';

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
      onError: (error) => ports.log.error('assistant', 'a part of the view failed', error),
    }),
  );
  const statusBar = bag.add(new AssistantStatusBar(model));
  const editor = editorPort({
    log: ports.log,
    describeError: (error) => ports.describeError(error),
    suggest: (text) => void screens.reveal({ kind: 'focusComposer', text }),
  });
  const actions = new AssistantActions({
    model,
    editor,
    texts,
    describeError: (error) => ports.describeError(error),
  });

  let starting: Promise<Services> | undefined;
  const start = (): Promise<Services> => (starting ??= load());
  const load = async (): Promise<Services> => {
    try {
      const services = await ports.runtime();
      model.attach(services);
      statusBar.watch(services.connections);
      await showLast(services);
      return services;
    } catch (error) {
      model.fail(error);
      throw error;
    }
  };
  const showLast = async (services: Services): Promise<void> => {
    const last = context.workspaceState.get<unknown>(shownKey);
    if (typeof last !== 'string' || model.current !== undefined) return;
    await model.open(last).catch((error: unknown) => {
      ports.log.warn('assistant', `the last conversation was not opened: ${services.store.state().k}`);
      editor.showError(ports.describeError(error));
    });
  };

  const screens = bag.add(
    new AssistantScreens({
      extensionUri: context.extensionUri,
      model,
      intents: actions,
      clock: systemClock,
      log: ports.log,
      texts,
      strings: screenStrings(vscode.l10n),
      onFirstUse: () => {
        start().catch((error: unknown) => ports.log.error('assistant', 'the runtime was not loaded', error));
      },
      onRestore: (conversationId) => void context.workspaceState.update(shownKey, conversationId),
    }),
  );
  bag.add(approvalNotice(model, () => screens.isVisible));
  bag.add(model.onDidChange(() => publish(model, context)));
  bag.add(registerAssistantCommands({ ports, model, actions, screens, texts, start }));
  return bag;
}

function defaultMode(): 'ask' | 'review' | 'full' {
  const value = vscode.workspace.getConfiguration().get<unknown>(Setting.permissionMode);
  return value === 'full' || value === 'review' ? value : 'ask';
}

const published = new WeakMap<AssistantModel, string>();

/** Tells the editor what menus depend on, and remembers the conversation; only when something is different. */
function publish(model: AssistantModel, context: vscode.ExtensionContext): void {
  const shown = model.current?.session.id;
  const facts = {
    [ContextKey.approvalWaiting]: model.waiting.length > 0,
    [ContextKey.running]: model.current?.status !== undefined,
  };
  const key = JSON.stringify([facts, shown]);
  if (published.get(model) === key) return;
  published.set(model, key);
  for (const [name, value] of Object.entries(facts))
    void vscode.commands.executeCommand('setContext', name, value);
  if (model.services !== undefined) void context.workspaceState.update(shownKey, shown);
}
