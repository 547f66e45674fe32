import * as vscode from 'vscode';
import type { PasteProgress } from '../../application/terminal/terminalInput.ts';
import type { Paste } from '../../domain/terminal/paste.ts';

/** What is sent at once anyway. UTF-16 code units. */
const smallLength = 64 * 1024;

/** A notification with the progress of a large paste, which can be cancelled there; nothing for a small one. */
export function showPasteProgress({ text }: Paste, label: string, cancel: () => void): PasteProgress {
  if (text.length <= smallLength) return { sent() {}, done() {} };
  const total = Buffer.byteLength(text, 'utf8');
  let report: (bytes: number) => void = () => {};
  let end: () => void = () => {};
  const over = new Promise<void>((resolve) => (end = resolve));
  void vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Pasting into {0}', label),
      cancellable: true,
    },
    (progress, token) => {
      let shown = 0;
      report = (bytes) => {
        const percent = Math.floor((bytes / total) * 100);
        if (percent <= shown) return;
        progress.report({ increment: percent - shown });
        shown = percent;
      };
      token.onCancellationRequested(cancel);
      return over;
    },
  );
  return { sent: (bytes) => report(bytes), done: () => end() };
}
