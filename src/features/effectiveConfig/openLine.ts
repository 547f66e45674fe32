import * as vscode from 'vscode';
import { z } from 'zod';
import type { SourceRef } from '../../domain/config/configFile.ts';

const place = z.tuple([z.literal('open'), z.string(), z.number()]);

/** The action of a page that opens a file at a line. */
export const openLine = {
  action: ({ path, line }: SourceRef): string => JSON.stringify(['open', path, line]),
  /** The place of an action; undefined when it is another one. */
  parse(action: string): SourceRef | undefined {
    const parsed = place.safeParse(jsonOf(action));
    return parsed.success ? { path: parsed.data[1], line: parsed.data[2] } : undefined;
  },
  /** Shows the line in an editor, selected. */
  async open({ path, line }: SourceRef): Promise<void> {
    const at = new vscode.Position(Math.max(0, line - 1), 0);
    await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(at, at) });
  },
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
