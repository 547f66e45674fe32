import * as vscode from 'vscode';
import type { ElevationPromptPort } from '../../application/ports/elevationPrompts.ts';
import type { PromptQueue } from './promptQueue.ts';

/** Questions about files with other rights, in the queue of all questions of the window. Source: ssh.md 8.6. */
export function elevationPrompts(queue: PromptQueue): ElevationPromptPort {
  return {
    mayElevate: ({ host, user }, signal) => queue.next(signal, false, () => askElevation(host, user)),
    password: ({ host, user, isRepeated }, signal) =>
      queue.next(signal, undefined, () => {
        const purpose = vscode.l10n.t('For files with the rights of {0}', user);
        const title = vscode.l10n.t('Password of sudo on {0}', host);
        const refused = vscode.l10n.t('sudo refused the password.');
        return askPassword(title, isRepeated ? `${refused} – ${purpose}` : purpose, signal);
      }),
  };
}

async function askElevation(host: string, user: string): Promise<boolean> {
  const go = vscode.l10n.t('Continue');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Work with files of the production host {0} as {1}?', host, user),
    {
      modal: true,
      detail: vscode.l10n.t(
        'What you save, rename or delete there takes effect with the rights of that user.',
      ),
    },
    vscode.l10n.t('Refuse'), // the first one is what Enter presses
    go,
  );
  return answer === go;
}

async function askPassword(title: string, prompt: string, signal: AbortSignal): Promise<string | undefined> {
  const closing = new vscode.CancellationTokenSource();
  const close = (): void => closing.cancel();
  signal.addEventListener('abort', close, { once: true });
  try {
    const options = { title, prompt, password: true, ignoreFocusOut: true };
    return await vscode.window.showInputBox(options, closing.token);
  } finally {
    signal.removeEventListener('abort', close);
    closing.dispose();
  }
}
