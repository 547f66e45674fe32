import * as vscode from 'vscode';
import type { Disposable } from '../../agentkit/index.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import { Command } from '../../ids.ts';

/**
 * Registers a command whose rejection becomes one sentence for the person and one line in the log. Commands may be run by anybody
 * with any argument, so handlers take `unknown`.
 */
export function commandRegistrar(options: {
  readonly log: LogPort;
  describeError(error: unknown): string;
}): (id: string, handler: (...args: readonly unknown[]) => Promise<unknown>) => Disposable {
  return (id, handler) =>
    vscode.commands.registerCommand(id, async (...args: readonly unknown[]) => {
      try {
        return await handler(...args);
      } catch (error) {
        options.log.error('command', `${id} failed`, error);
        void offerLog(options.describeError(error));
        return undefined;
      }
    });
}

async function offerLog(sentence: string): Promise<void> {
  const showLog = vscode.l10n.t('Show Log');
  const chosen = await vscode.window.showErrorMessage(sentence, showLog);
  if (chosen === showLog) await vscode.commands.executeCommand(Command.showLog);
}
