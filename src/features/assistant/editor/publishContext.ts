import * as vscode from 'vscode';
import type { Disposable } from '../../../agentkit/index.ts';
import { ContextKey } from '../../../ids.ts';
import type { AssistantModel } from '../model/assistantModel.ts';

/** Tells the editor what menus and keys depend on, each time it is different. */
export function publishContext(model: AssistantModel): Disposable {
  const published = new Map<string, boolean>();
  return model.onDidChange(() => {
    const facts = [
      [ContextKey.approvalWaiting, model.waiting.length > 0],
      [ContextKey.running, model.current?.status !== undefined],
    ] as const;
    for (const [key, value] of facts) {
      if (published.get(key) === value) continue;
      published.set(key, value);
      void vscode.commands.executeCommand('setContext', key, value);
    }
  });
}
