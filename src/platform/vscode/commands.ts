import * as vscode from 'vscode';
import type { Disposable } from '../../agentkit/index.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import { hostIdOf } from '../../application/vault/hostArgument.ts';
import { isTermindError, isWorthShowing } from '../../domain/fault.ts';
import type { HostId } from '../../domain/host/hostId.ts';
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
        const isAboutHost =
          isTermindError(error) && error.fault.hop !== undefined && isWorthShowing(error.fault);
        void offerMore(options.describeError(error), isAboutHost ? hostIdOf(args[0]) : undefined);
        return undefined;
      }
    });
}

/** `host`: whose connection the sentence is about; then its trace says more than the log. Source: decisions 20. */
async function offerMore(sentence: string, host: HostId | undefined): Promise<void> {
  const showLog = vscode.l10n.t('Show Log');
  const showWhy = vscode.l10n.t('Show Why');
  const chosen = await vscode.window.showErrorMessage(
    sentence,
    ...(host === undefined ? [] : [showWhy]),
    showLog,
  );
  if (chosen === showLog) await vscode.commands.executeCommand(Command.showLog);
  if (chosen === showWhy)
    await vscode.commands.executeCommand(Command.showConnectionTrace, {
      kind: 'host',
      listing: { id: host },
    });
}
