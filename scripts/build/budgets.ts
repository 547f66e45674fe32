const KiB = 1024;

/** Most bytes a shipped file may have. Source: vscode.md 15, quality.md P10 and P16. */
export const budgets = {
  extensionEntry: 350 * KiB,
  webviewScript: 600 * KiB,
  vsix: 6 * KiB * KiB,
} as const;

/** The budget of a file below `dist/`, `undefined` where there is none. */
export function budgetOf(file: string): number | undefined {
  if (file === 'extension.js') return budgets.extensionEntry;
  if (/^webview\/[^/]+\/main\.js$/.test(file)) return budgets.webviewScript;
  return undefined;
}
