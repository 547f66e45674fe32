import * as vscode from 'vscode';
import type { DeletionWay } from '../../application/sync/folderSync.ts';
import { sizeText } from '../../domain/files/sizeText.ts';
import { sourceOf, type SyncStep } from '../../domain/sync/syncPlan.ts';
import { machineText, sideText } from './folderSide.ts';
import type { ShownComparison } from './shownComparison.ts';

/** Asks with the numbers whether a plan is carried out. True only for the button that says so. Source: ssh.md 8.8. */
export async function askSync(shown: ShownComparison, deletion: DeletionWay): Promise<boolean> {
  const { left, right, comparison } = shown;
  const changed = (
    [
      ['right', right],
      ['left', left],
    ] as const
  ).filter(([side]) => comparison.plan.steps.some(({ changes }) => changes === side));
  const production = changed
    .filter(([, side]) => side.host?.tier === 'prod')
    .map(([, side]) => machineText(side));
  const title =
    production.length === 0
      ? vscode.l10n.t('Synchronize the folders?')
      : vscode.l10n.t('Change files on {0}, a production host?', production.join(', '));
  const lines = changed.flatMap(([side, folder]) => [
    vscode.l10n.t('{0}:', sideText(folder)),
    ...countLines(
      comparison.plan.steps.filter(({ changes }) => changes === side),
      {
        isLocal: folder.host === undefined,
        deletion,
      },
    ),
  ]);
  const leave = vscode.l10n.t('Leave as They Are'); // the first button is the default of the editor
  const go = vscode.l10n.t('Synchronize');
  const detail = lines.join('\n');
  return (await vscode.window.showWarningMessage(title, { modal: true, detail }, leave, go)) === go;
}

function countLines(
  steps: readonly SyncStep[],
  { isLocal, deletion }: { readonly isLocal: boolean; readonly deletion: DeletionWay },
): readonly string[] {
  const count = (action: SyncStep['action']): number => steps.filter((step) => step.action === action).length;
  const [created, replaced, deleted] = [count('create'), count('update'), count('delete')];
  const newer = steps.filter(({ replacesNewer }) => replacesNewer).length;
  const bytes = steps
    .map(sourceOf)
    .reduce((sum, one) => sum + (one?.kind === 'file' ? (one.size ?? 0) : 0), 0);
  const deletedLine = isLocal
    ? vscode.l10n.t('{0} deleted, into the trash of this machine', deleted)
    : deletion === 'trash'
      ? vscode.l10n.t('{0} deleted, into ~/.termind-trash, which is made where it is missing', deleted)
      : vscode.l10n.t('{0} deleted for good, which cannot be undone', deleted);
  return [
    ...(created > 0 ? [vscode.l10n.t('{0} created', created)] : []),
    ...(replaced > 0 ? [vscode.l10n.t('{0} replaced', replaced)] : []),
    ...(newer > 0 ? [vscode.l10n.t('{0} of them are newer than what replaces them', newer)] : []),
    ...(created + replaced > 0 ? [vscode.l10n.t('{0} copied', sizeText(bytes))] : []),
    ...(deleted > 0 ? [deletedLine] : []),
  ];
}
