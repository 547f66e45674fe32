import * as vscode from 'vscode';
import { DisposableBag, type Disposable } from '../../../agentkit/index.ts';
import type { ConnectionManager } from '../../../application/ports/connection.ts';
import { Command } from '../../../ids.ts';
import type { AssistantModel } from '../model/assistantModel.ts';

/**
 * One item on the left: how many decisions and questions wait, on the warning background; otherwise how many connections are open. A click opens
 * the oldest of them. Source: vscode.md section 4.
 */
export class AssistantStatusBar implements Disposable {
  readonly #bag = new DisposableBag();
  readonly #item: vscode.StatusBarItem;
  readonly #model: AssistantModel;
  readonly #connected = new Set<string>();

  constructor(model: AssistantModel) {
    this.#model = model;
    this.#item = this.#bag.add(
      vscode.window.createStatusBarItem('termind.status', vscode.StatusBarAlignment.Left),
    );
    this.#item.name = vscode.l10n.t('Termind');
    this.#bag.add(model.onDidChange(() => this.#update()));
  }

  /** Counts the connections of the runtime from now on. */
  watch(connections: Pick<ConnectionManager, 'onDidChange'>): void {
    this.#bag.add(
      connections.onDidChange(({ hostId, state }) => {
        if (state.k === 'ready' || state.k === 'suspect') this.#connected.add(hostId);
        else this.#connected.delete(hostId);
        this.#update();
      }),
    );
    this.#update();
  }

  dispose(): void {
    this.#bag.dispose();
  }

  #update(): void {
    const waiting = this.#model.waiting.length;
    if (waiting > 0) {
      this.#show(`$(shield) ${waiting}`, vscode.l10n.t('{0} waiting for you', waiting));
      this.#item.command = Command.reviewApproval;
      this.#item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
      return;
    }
    this.#item.backgroundColor = undefined;
    this.#item.command = Command.openAssistant;
    if (this.#connected.size === 0) this.#item.hide();
    else
      this.#show(
        `$(plug) ${this.#connected.size}`,
        vscode.l10n.t('{0} open SSH connections', this.#connected.size),
      );
  }

  #show(text: string, tooltip: string): void {
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: tooltip };
    this.#item.show();
  }
}
