/** The environment for a program of the user: the editor's own variables are nobody else's business. Source: vscode.md 16. */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(?:ELECTRON_|VSCODE_)/i.test(name)),
  );
}
