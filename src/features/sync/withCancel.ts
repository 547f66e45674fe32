import * as vscode from 'vscode';

/** Runs work behind a notification with a Cancel button; `say` replaces its text. Resolves and rejects as the work does. */
export async function withCancel<T>(
  title: string,
  work: (say: (text: string) => void, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, (progress, token) => {
    const stop = new AbortController();
    const heard = token.onCancellationRequested(() => stop.abort(new Error('cancelled by the person')));
    const say = (message: string): void => progress.report({ message });
    return work(say, stop.signal).finally(() => void heard.dispose());
  });
}
