import * as vscode from 'vscode';
import { isTermindError } from '../../domain/fault.ts';

/** The six codes of the editor; the sentence carries the rest. Nothing else leaves a file system. Source: vscode.md 7. */
export function fileSystemError(
  error: unknown,
  uri: vscode.Uri,
  describe: (error: unknown) => string,
): vscode.FileSystemError {
  if (error instanceof vscode.FileSystemError) return error;
  if (!isTermindError(error)) return vscode.FileSystemError.Unavailable(describe(error));
  switch (error.fault.code) {
    case 'not-found':
    case 'unknown-host':
      return vscode.FileSystemError.FileNotFound(uri);
    case 'exists':
      return vscode.FileSystemError.FileExists(uri);
    case 'not-directory':
      return vscode.FileSystemError.FileNotADirectory(uri);
    case 'is-directory':
      return vscode.FileSystemError.FileIsADirectory(uri);
    case 'denied':
    case 'read-only':
    case 'bad-name':
    case 'not-empty':
    case 'too-large':
    case 'no-space':
    case 'quota':
      return vscode.FileSystemError.NoPermissions(describe(error));
    default:
      return vscode.FileSystemError.Unavailable(describe(error));
  }
}
