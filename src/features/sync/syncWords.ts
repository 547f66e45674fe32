import { l10n } from 'vscode';
import type { PageText } from '../../domain/page/pageDocument.ts';
import type { SyncReason, SyncStep } from '../../domain/sync/syncPlan.ts';

/** What happens to a path, in a word; an arrow says to which side. */
export function actionBadge({ action, changes }: SyncStep): PageText {
  const arrow = changes === 'right' ? '→' : '←';
  switch (action) {
    case 'create':
      return { badge: l10n.t('{0} create', arrow), tone: 'good' };
    case 'update':
      return { badge: l10n.t('{0} replace', arrow), tone: 'warning' };
    case 'delete':
      return {
        badge: changes === 'right' ? l10n.t('delete on the right') : l10n.t('delete on the left'),
        tone: 'bad',
      };
    case 'conflict':
      return { badge: l10n.t('conflict'), tone: 'bad' };
    case 'skip':
      return { badge: l10n.t('stays'), tone: 'plain' };
  }
}

export function reasonText(reason: SyncReason): string {
  return reasons[reason]();
}

const reasons: Record<SyncReason, () => string> = {
  missing: () => l10n.t('is missing there'),
  size: () => l10n.t('the sizes differ'),
  time: () => l10n.t('the times differ'),
  content: () => l10n.t('the content differs'),
  unknown: () => l10n.t('size or time is not known'),
  equal: () => l10n.t('is equal'),
  onlyThere: () => l10n.t('only there'),
  kind: () => l10n.t('a file on one side, something else on the other'),
  link: () => l10n.t('a link, which is not followed'),
  special: () => l10n.t('neither file nor folder'),
  case: () => l10n.t('another name differs only in upper and lower case'),
  form: () => l10n.t('another name looks the same'),
  name: () => l10n.t('the name is not possible there'),
  unread: () => l10n.t('could not be read'),
  excluded: () => l10n.t('excluded'),
  above: () => l10n.t('as the folder it is in'),
};
