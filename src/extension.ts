import { randomUUID } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import * as vscode from 'vscode';
import { createRedactor, createSecretRegistry, DisposableBag, systemClock } from './agentkit/index.ts';
import type { FeaturePorts } from './application/featurePorts.ts';
import type { Services } from './application/services.ts';
import { registerAssistant } from './features/assistant/index.ts';
import { registerDoctor } from './features/doctor/index.ts';
import { registerEffectiveConfig } from './features/effectiveConfig/index.ts';
import { offerKeptSaves, registerFiles } from './features/files/index.ts';
import { registerFleetTrust } from './features/fleetTrust/index.ts';
import { registerForwards } from './features/forwards/index.ts';
import { registerHosts } from './features/hosts/index.ts';
import { registerOperationsLog } from './features/operationsLog/index.ts';
import { createPages } from './features/pages/index.ts';
import { registerRequestLog } from './features/requestLog/index.ts';
import { registerScratch } from './features/scratch/index.ts';
import { registerSync } from './features/sync/index.ts';
import { registerTerminals } from './features/terminals/index.ts';
import { registerTransfers } from './features/transfers/index.ts';
import { Command, outputChannelName } from './ids.ts';
import { commandRegistrar } from './platform/vscode/commands.ts';
import { copyDiagnostics } from './platform/vscode/diagnostics.ts';
import { elevationPrompts } from './platform/vscode/elevationPrompts.ts';
import { localTrash } from './platform/vscode/localTrash.ts';
import { createLog } from './platform/vscode/log.ts';
import { PromptQueue } from './platform/vscode/promptQueue.ts';
import { connectionPrompts } from './platform/vscode/prompts.ts';
import { secretField } from './platform/vscode/secretField.ts';
import { secretStore } from './platform/vscode/secrets.ts';
import { describeError, describeFault } from './platform/vscode/userText.ts';

let loaded: Services | undefined;

/** Registers everything and does nothing: no I/O, no waiting. The runtime is loaded at first use. Source: vscode.md 3. */
export function activate(context: vscode.ExtensionContext): void {
  const bag = new DisposableBag();
  context.subscriptions.push(bag);
  const secretRegistry = createSecretRegistry();
  const redactor = createRedactor(secretRegistry);
  const log = bag.add(createLog(outputChannelName, (text) => redactor.redact(text)));

  const load = async (): Promise<Services> => {
    const [{ createServices }, { settingsSource }, { editorModels }, consents, wake, archives] =
      await Promise.all([
        import('./runtime.ts'),
        import('./platform/vscode/settings.ts'),
        import('./platform/vscode/editorModels.ts'),
        import('./platform/vscode/programConsents.ts'),
        import('./platform/vscode/wakeSignals.ts'),
        import('./platform/vscode/archiveConsents.ts'),
      ]);
    const inputs = new PromptQueue();
    const services = createServices({
      storageDirectory: context.globalStorageUri.fsPath,
      windowId: randomUUID(),
      clock: systemClock,
      log,
      secrets: secretStore(context.secrets),
      prompts: connectionPrompts(inputs),
      elevationPrompts: elevationPrompts(inputs),
      secretField: secretField(inputs),
      settings: bag.add(settingsSource((problem) => log.warn('settings', problem))),
      secretRegistry,
      redactor,
      fetch: globalThis.fetch,
      editorModels: bag.add(editorModels({ access: context.languageModelAccessInformation, log })),
      programConsents: {
        store: consents.programConsentStore(context.globalState),
        prompt: consents.programConsentPrompt(inputs),
      },
      archiveConsents: archives.archiveConsents(context.globalState),
      localTrash,
      wakeSignals: bag.add(wake.windowWakeSignals(systemClock)),
      mayRunPrograms: () => vscode.workspace.isTrusted,
      environment: { homeDirectory: homedir(), userName: userInfo().username, variables: process.env },
    });
    bag.add(services);
    loaded = services;
    void services.forwards.atFirstUse();
    void offerKeptSaves(services.saving, log);
    return services;
  };
  let loading: Promise<Services> | undefined;
  const ports: FeaturePorts = {
    log,
    runtime: () => (loading ??= load()),
    redactor,
    describeError: (error) => redactor.redact(describeError(error)),
    describeFault: (fault) => redactor.redact(describeFault(fault)),
    registerCommand: commandRegistrar({
      log,
      describeError: (error) => redactor.redact(describeError(error)),
    }),
  };

  const pages = bag.add(createPages(context.extensionUri, ports));
  bag.add(registerHosts(ports));
  bag.add(registerTerminals(ports));
  const { filesDragAndDrop } = bag.add(registerTransfers(ports));
  const memories = { everywhere: context.globalState, here: context.workspaceState };
  bag.add(registerFiles(memories, { ...ports, dragAndDrop: filesDragAndDrop }));
  bag.add(registerForwards(ports));
  bag.add(registerScratch(context, ports));
  bag.add(registerAssistant(context, ports));
  bag.add(registerRequestLog(ports));
  bag.add(registerEffectiveConfig(ports, pages));
  bag.add(registerDoctor(ports, pages));
  bag.add(registerFleetTrust(ports, pages));
  bag.add(registerOperationsLog(ports, pages));
  bag.add(registerSync(ports, pages));
  bag.add(ports.registerCommand(Command.showLog, async () => log.show()));
  bag.add(ports.registerCommand(Command.copyDiagnostics, async () => copyDiagnostics(loaded)));
}

/** Stops runs, closes channels and releases leases. It may be cut off: everything that matters was written before. */
export async function deactivate(): Promise<void> {
  await loaded?.close();
}
