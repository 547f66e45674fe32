import * as vscode from 'vscode';
import { DisposableBag, Emitter, type Disposable, type Event } from '../../agentkit/index.ts';
import { Setting } from '../../ids.ts';
import { parseSettings, type TermindSettings } from '../../application/settings.ts';

/** The settings as they stand, parsed; what is malformed falls back to its default and is reported once per change. */
export interface SettingsSource extends Disposable {
  current(): TermindSettings;
  readonly onDidChange: Event<TermindSettings>;
}

export function settingsSource(onProblem: (problem: string) => void): SettingsSource {
  const bag = new DisposableBag();
  const changed = bag.add(new Emitter<TermindSettings>());
  const read = (): TermindSettings => {
    const configuration = vscode.workspace.getConfiguration();
    return parseSettings((name) => configuration.get<unknown>(Setting[name]), onProblem);
  };
  bag.add(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('termind')) changed.fire(read());
    }),
  );
  return { current: read, onDidChange: changed.event, dispose: () => bag.dispose() };
}
