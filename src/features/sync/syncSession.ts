import * as vscode from 'vscode';
import { Emitter, neverAborted } from '../../agentkit/index.ts';
import { operationHost } from '../../application/operations/notedActs.ts';
import {
  placeOf,
  type CompareProgress,
  type Comparison,
  type DeletionWay,
  type SyncResult,
} from '../../application/sync/folderSync.ts';
import { keyOfTransfer } from '../../application/transfer/engine/place.ts';
import type { TransferProgress } from '../../application/transfer/engine/transfer.ts';
import { isTermindError } from '../../domain/fault.ts';
import { sizeText } from '../../domain/files/sizeText.ts';
import type { PageDocument } from '../../domain/page/pageDocument.ts';
import type { SyncRules } from '../../domain/sync/syncPlan.ts';
import { PageView, Setting } from '../../ids.ts';
import { askSync } from './askSync.ts';
import { chooseDirection, chooseExcludes, chooseRules } from './chooseFolders.ts';
import { machineText, sideText, type FolderSide } from './folderSide.ts';
import { uriOfFile } from './sideAddress.ts';
import { planAction } from './planActions.ts';
import { pathText, planDocument } from './planDocument.ts';
import { countOutcomes, resultDocument, runningDocument } from './resultDocument.ts';
import type { ShownComparison } from './shownComparison.ts';
import type { SyncDesk } from './syncPorts.ts';
import { withCancel } from './withCancel.ts';

type State =
  | { readonly k: 'compared'; readonly comparison: Comparison }
  | { readonly k: 'running' }
  | { readonly k: 'ended'; readonly result: SyncResult };

/** Two folders in a tab: the plan, the changes when a person agrees to them, and how they ended. */
export class SyncSession {
  readonly #left: FolderSide;
  readonly #right: FolderSide;
  readonly #desk: SyncDesk;
  readonly #changed = new Emitter<void>();
  readonly #format = new Intl.DateTimeFormat(vscode.env.language, {
    dateStyle: 'medium',
    timeStyle: 'medium',
  });
  #rules: SyncRules;
  #excludes: readonly string[] = [];
  #state: State | undefined;

  constructor(
    { left, right }: { readonly left: FolderSide; readonly right: FolderSide },
    direction: SyncRules['direction'],
    desk: SyncDesk,
  ) {
    this.#left = left;
    this.#right = right;
    this.#desk = desk;
    this.#rules = { direction, deletes: false, compare: 'sizeAndTime', timeStep: 1 };
  }

  /** Compares, then opens the tab; cancelled, it opens none. */
  async show(): Promise<void> {
    if (!(await this.#compare())) return;
    let isFresh = true;
    await this.#desk.pages.open({
      kind: PageView.folderSync,
      key: keyOfTransfer(this.#left.place, this.#right.place),
      tabTitle: vscode.l10n.t('Compare: {0} ↔ {1}', machineText(this.#left), machineText(this.#right)),
      icon: 'diff-multiple',
      load: async (_signal, cause) => {
        if (cause === 'asked' && !isFresh && this.#state?.k !== 'running') await this.#compare();
        isFresh = false;
        return this.#document();
      },
      onDidChange: this.#changed.event,
      act: (action) => this.#act(action),
    });
  }

  #document(): PageDocument {
    const state = this.#state;
    switch (state?.k) {
      case 'compared':
        return planDocument(this.#shown(state.comparison));
      case 'ended':
        return resultDocument({
          left: this.#left,
          right: this.#right,
          result: state.result,
          describeFault: (fault) => this.#desk.ports.describeFault(fault),
        });
      case 'running':
      case undefined:
        return runningDocument({ left: this.#left, right: this.#right });
    }
  }

  #shown(comparison: Comparison): ShownComparison {
    return {
      left: this.#left,
      right: this.#right,
      comparison,
      excludes: this.#excludes,
      describeFault: (fault) => this.#desk.ports.describeFault(fault),
      moment: (at) => this.#format.format(at),
    };
  }

  async #act(action: string): Promise<void> {
    if (this.#state?.k === 'running') return;
    const comparison = this.#state?.k === 'compared' ? this.#state.comparison : undefined;
    switch (action) {
      case planAction.again:
        return this.#compareAgain();
      case planAction.direction: {
        const direction = await chooseDirection(
          { left: this.#left, right: this.#right },
          this.#rules.direction,
        );
        return this.#compareWith(direction === undefined ? undefined : { ...this.#rules, direction });
      }
      case planAction.rules:
        return this.#compareWith(await chooseRules(this.#rules));
      case planAction.exclude: {
        const excludes = await chooseExcludes(this.#excludes);
        if (excludes === undefined) return;
        this.#excludes = excludes;
        return this.#compareAgain();
      }
    }
    if (comparison === undefined) return;
    if (action === planAction.run(comparison)) return this.#run(comparison);
    const step = comparison.plan.steps.find((one) => action === planAction.diff(one));
    if (step === undefined) return;
    const [left, right] = [this.#left, this.#right].map((side) => uriOfFile(side, step.path));
    const title = vscode.l10n.t('{0}: left ↔ right', pathText(step.path));
    await vscode.commands.executeCommand('vscode.diff', left, right, title);
  }

  async #compareWith(rules: SyncRules | undefined): Promise<void> {
    if (rules === undefined) return;
    this.#rules = rules;
    await this.#compareAgain();
  }

  async #compareAgain(): Promise<void> {
    if (await this.#compare()) this.#changed.fire();
  }

  /** False when the person cancelled; then everything is as before. */
  async #compare(): Promise<boolean> {
    const title = vscode.l10n.t('Comparing {0} with {1}', sideText(this.#left), sideText(this.#right));
    try {
      const comparison = await withCancel(title, (say, signal) =>
        this.#desk.services.folderSync.compare(
          {
            left: this.#left.place,
            right: this.#right.place,
            rules: this.#rules,
            excludes: this.#excludes,
            onProgress: (progress) => say(compareText(progress)),
          },
          signal,
        ),
      );
      this.#state = { k: 'compared', comparison };
      return true;
    } catch (error) {
      if (isTermindError(error) && error.fault.code === 'cancelled') return false;
      throw error;
    }
  }

  async #run(comparison: Comparison): Promise<void> {
    const deletion = await this.#deletionWay(comparison);
    if (!(await askSync(this.#shown(comparison), deletion))) return;
    if (this.#state?.k !== 'compared' || this.#state.comparison !== comparison) return;
    this.#state = { k: 'running' };
    this.#changed.fire();
    try {
      const title = vscode.l10n.t('Synchronizing {0} and {1}', sideText(this.#left), sideText(this.#right));
      const result = await withCancel(title, (say, signal) =>
        this.#desk.services.folderSync.run(
          { comparison, deletion, onProgress: (progress) => say(runText(progress)) },
          signal,
        ),
      );
      this.#state = { k: 'ended', result };
      this.#note(comparison, result);
    } finally {
      if (this.#state.k === 'running') this.#state = { k: 'compared', comparison };
      this.#changed.fire();
    }
  }

  async #deletionWay(comparison: Comparison): Promise<DeletionWay> {
    const step = comparison.plan.steps.find(({ action }) => action === 'delete');
    if (step?.changes === undefined) return 'trash';
    const place = placeOf(comparison, step.changes);
    const mode = vscode.workspace.getConfiguration().get<unknown>(Setting.deleteMode);
    if (place.k === 'remote' && mode === 'permanent') return 'permanent';
    return this.#desk.services.folderSync.deletionWay(place, neverAborted);
  }

  /** Once for each host that was changed. */
  #note({ plan }: Comparison, result: SyncResult): void {
    const { done, conflict, failed, unknown, notRun } = countOutcomes(result);
    for (const [side, other, changes] of [
      [this.#right, this.#left, 'right'],
      [this.#left, this.#right, 'left'],
    ] as const) {
      if (side.host === undefined || !plan.steps.some((step) => step.changes === changes)) continue;
      this.#desk.services.operations.note({
        what: 'foldersSynchronized',
        facts: {
          from: sideText(other),
          to: sideText(side),
          done: String(done),
          notDone: String(conflict + failed + notRun),
          unknown: String(unknown),
          ...(result.trash === undefined ? {} : { trash: result.trash }),
        },
        host: operationHost(side.host),
      });
    }
  }
}

function compareText(progress: CompareProgress): string {
  if (progress.k === 'reading')
    return vscode.l10n.t('{0} and {1} entries found', progress.left, progress.right);
  return vscode.l10n.t('content of {0} of {1} files', progress.doneFiles, progress.totalFiles);
}

function runText({ doneFiles, totalFiles, doneBytes, totalBytes }: TransferProgress): string {
  const files = vscode.l10n.t('{0} of {1} files', doneFiles, totalFiles ?? '?');
  const bytes =
    totalBytes === undefined ? sizeText(doneBytes) : `${sizeText(doneBytes)} / ${sizeText(totalBytes)}`;
  return `${files} · ${bytes}`;
}
