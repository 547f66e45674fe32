import * as vscode from 'vscode';
import type { SecretFieldPort, SecretFieldQuestion } from '../../application/ports/secretField.ts';
import { withoutLinks } from '../../domain/withoutLinks.ts';
import type { PromptQueue } from './promptQueue.ts';

/** A masked input box that says where the secret goes, what for and who asks. Closing it gives nothing away. Source: decisions 15. */
export function secretField(queue: PromptQueue): SecretFieldPort {
  return {
    ask: (question, shown, signal) =>
      queue.next(signal, undefined, () => {
        shown();
        return showField(question, signal);
      }),
  };
}

async function showField(question: SecretFieldQuestion, signal: AbortSignal): Promise<string | undefined> {
  const closing = new vscode.CancellationTokenSource();
  const close = (): void => closing.cancel();
  signal.addEventListener('abort', close, { once: true });
  try {
    return await vscode.window.showInputBox(
      { title: titleOf(question), prompt: promptOf(question), password: true, ignoreFocusOut: true },
      closing.token,
    );
  } finally {
    signal.removeEventListener('abort', close);
    closing.dispose();
  }
}

function titleOf({ host, purpose, conversation }: SecretFieldQuestion): string {
  const what = purposeOn(purpose, host);
  return conversation === '' ? what : vscode.l10n.t('{0} (conversation "{1}")', what, conversation);
}

function purposeOn(purpose: string, host: string): string {
  switch (purpose) {
    case 'sudo':
      return vscode.l10n.t('Password for sudo on {0}', host);
    case 'command_input':
      return vscode.l10n.t('Secret input of a command on {0}', host);
    default:
      return vscode.l10n.t('Secret for {0} on {1}', purpose, host);
  }
}

function promptOf({ tool, words }: SecretFieldQuestion): string {
  const said = withoutLinks(words.replace(/\s+/gu, ' '));
  return vscode.l10n.t('Used once, by {0}, and not shown to the model. The assistant says: {1}', tool, said);
}
