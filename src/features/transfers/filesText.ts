import * as vscode from 'vscode';

/** So many files, in words. */
export function filesText(count: number): string {
  return count === 1 ? vscode.l10n.t('1 file') : vscode.l10n.t('{0} files', count);
}

/** Of so many files, so many, in words. */
export function filesOfText(count: number, total: number): string {
  return total === 1
    ? vscode.l10n.t('{0} of 1 file', count)
    : vscode.l10n.t('{0} of {1} files', count, total);
}
