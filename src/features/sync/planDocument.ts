import { l10n } from 'vscode';
import { sizeText } from '../../domain/files/sizeText.ts';
import { showPath } from '../../domain/files/remotePath.ts';
import { bytesOfText } from '../../domain/files/nameText.ts';
import type {
  PageBlock,
  PageDocument,
  PageLine,
  PageNotice,
  PageRow,
} from '../../domain/page/pageDocument.ts';
import { keyOfPath, type SyncEntry, type SyncPath } from '../../domain/sync/syncEntry.ts';
import type { SyncPlan, SyncStep } from '../../domain/sync/syncPlan.ts';
import { sideText } from './folderSide.ts';
import { planAction } from './planActions.ts';
import type { ShownComparison } from './shownComparison.ts';
import { actionBadge, reasonText } from './syncWords.ts';

/** A page holds so many changes and conflicts; a plan with more is not carried out, because nobody has seen it. */
export const mostShown = 10_000;
/** Of what stays as it is. */
const mostQuiet = 1_000;
const mostTold = 20;

/** The whole plan before anything is done. Source: ssh.md 8.8, "a complete plan first". */
export function planDocument(shown: ShownComparison): PageDocument {
  const { comparison, left, right } = shown;
  const title = l10n.t('Plan');
  return {
    title: l10n.t('Compare Folders'),
    subtitle: `${sideText(left)} ↔ ${sideText(right)}`,
    notices: noticesOf(shown),
    sections: [
      { title: l10n.t('Compared'), blocks: [factsBlock(shown)] },
      { title, blocks: planBlocks(title, comparison.plan, shown) },
    ],
  };
}

/** Whether a page shows all of its changes. */
export function isShownWhole({ steps }: SyncPlan): boolean {
  return steps.filter(isOfInterest).length <= mostShown;
}

function noticesOf({ comparison }: ShownComparison): readonly PageNotice[] {
  const { plan, unread, refused } = comparison;
  const { create, update, delete: deletes, conflict, skip, bytes, replacesNewer } = plan.totals;
  const changes = create + update + deletes;
  const isWhole = isShownWhole(plan);
  const counts = l10n.t(
    'Create {0}, replace {1}, delete {2}; {5} to copy. Conflicts: {3}. Unchanged: {4}.',
    create,
    update,
    deletes,
    conflict,
    skip,
    sizeText(bytes),
  );
  const again = { label: l10n.t('Compare Again'), action: planAction.again };
  const choose = [
    { label: l10n.t('Direction…'), action: planAction.direction },
    { label: l10n.t('Options…'), action: planAction.rules },
    { label: l10n.t('Exclude…'), action: planAction.exclude },
  ];
  const run = { label: l10n.t('Synchronize…'), action: planAction.run(comparison), isPrimary: true };
  const notices: PageNotice[] = [
    {
      tone: changes === 0 && conflict === 0 ? 'good' : 'plain',
      text: changes === 0 ? l10n.t('Nothing to do. {0}', counts) : counts,
      buttons: [...(changes > 0 && isWhole ? [run] : []), ...choose, again],
    },
  ];
  const warn = (text: string): void => void notices.push({ tone: 'warning', text });
  if (!isWhole)
    warn(
      l10n.t(
        'There is more to do than a page can show, so it cannot be started from here. Compare a smaller folder, or exclude something.',
      ),
    );
  if (replacesNewer > 0) warn(l10n.t('Replaced although newer than what replaces it: {0}.', replacesNewer));
  if (conflict > 0)
    warn(l10n.t('Conflicts are left as they are: {0}. Decide about them yourself.', conflict));
  if (unread.length > 0) warn(l10n.t('Could not be read: {0}. Nothing is done there.', unread.length));
  if (refused.length > 0)
    warn(l10n.t('Names that are none were left out: {0}', refused.slice(0, mostTold).join(', ')));
  return notices;
}

function factsBlock({ left, right, comparison, excludes }: ShownComparison): PageBlock {
  const { direction, compare, deletes, timeStep } = comparison.rules;
  const directions = {
    toRight: l10n.t('the right folder is changed'),
    toLeft: l10n.t('the left folder is changed'),
    both: l10n.t('each folder gets what it lacks'),
  };
  const bySize = timeStep === 2 ? l10n.t('size and time, in steps of two seconds') : l10n.t('size and time');
  const fact = (
    name: string,
    ...lines: PageLine[]
  ): { readonly name: string; readonly lines: PageLine[] } => ({
    name,
    lines,
  });
  return {
    k: 'facts',
    rows: [
      fact(l10n.t('Left'), sideLine(left)),
      fact(l10n.t('Right'), sideLine(right)),
      fact(l10n.t('Direction'), [directions[direction]]),
      fact(l10n.t('Compared by'), [compare === 'content' ? l10n.t('content') : bySize]),
      fact(l10n.t('Deletions'), [deletes && direction !== 'both' ? l10n.t('yes') : l10n.t('no')]),
      ...(excludes.length === 0 ? [] : [fact(l10n.t('Excluded'), ...excludes.map((code) => [{ code }]))]),
    ],
  };
}

function sideLine(side: ShownComparison['left']): PageLine {
  return [
    { code: sideText(side) },
    ...(side.host?.tier === 'prod' ? [{ badge: l10n.t('production'), tone: 'warning' } as const] : []),
  ];
}

function planBlocks(caption: string, { steps }: SyncPlan, shown: ShownComparison): readonly PageBlock[] {
  const isEqual = ({ reason }: SyncStep): boolean => reason === 'equal';
  const shownSteps = steps.filter(isOfInterest).slice(0, mostShown);
  const quiet = steps.filter((step) => !isOfInterest(step) && !isFolderInBoth(step));
  const kept = new Set([...shownSteps, ...quiet.slice(0, mostQuiet)]);
  const rows = steps.filter((step) => kept.has(step)).map((step) => rowOf(step, shown));
  const { unread } = shown.comparison;
  const unreadBlock: PageBlock = {
    k: 'details',
    summary: l10n.t('Could not be read: {0}', unread.length),
    blocks: unread.slice(0, mostTold).map(({ path, fault }) => ({
      k: 'text',
      line: [{ code: path }, { quiet: shown.describeFault(fault) }],
    })),
  };
  if (rows.length === 0) return [{ k: 'text', line: [l10n.t('Both folders are empty, or equal.')] }];
  return [
    {
      k: 'table',
      caption,
      columns: [l10n.t('Path'), l10n.t('Left'), l10n.t('Right'), l10n.t('Action'), l10n.t('Why')],
      filter: l10n.t('Filter the plan'),
      showQuiet: l10n.t('Show what stays as it is'),
      rows,
    },
    ...(quiet.length > mostQuiet
      ? [
          {
            k: 'text',
            line: [
              {
                quiet: l10n.t(
                  'Of {0} that stay, the first {1} are listed; {2} are equal.',
                  quiet.length,
                  mostQuiet,
                  quiet.filter(isEqual).length,
                ),
              },
            ],
          } as const,
        ]
      : []),
    ...(unread.length === 0 ? [] : [unreadBlock]),
  ];
}

function isOfInterest({ action }: SyncStep): boolean {
  return action !== 'skip';
}

function isFolderInBoth({ left, right, reason }: SyncStep): boolean {
  return reason === 'equal' && left?.kind === 'directory' && right?.kind === 'directory';
}

function rowOf(step: SyncStep, { moment }: ShownComparison): PageRow {
  const { left, right, reason, replacesNewer } = step;
  const canDiff = left?.kind === 'file' && right?.kind === 'file' && reason !== 'equal';
  return {
    cells: [
      [
        [{ code: pathText(step.path) }],
        ...(canDiff ? [[{ linkText: l10n.t('Open Diff'), action: planAction.diff(step) }]] : []),
      ],
      entryLines(left, moment),
      entryLines(right, moment),
      [[actionBadge(step)]],
      [
        [reasonText(reason)],
        ...(replacesNewer ? [[{ badge: l10n.t('replaces something newer'), tone: 'warning' } as const]] : []),
      ],
    ],
    ...(isOfInterest(step) ? {} : { isQuiet: true }),
  };
}

/** For people; a folder as long as its own name. */
export function pathText(path: SyncPath): string {
  return showPath(bytesOfText(keyOfPath(path)), { maxCharacters: 1_000, maxLines: 1 });
}

function entryLines(entry: SyncEntry | undefined, moment: (at: number) => string): readonly PageLine[] {
  if (entry === undefined) return [[{ quiet: '–' }]];
  const { kind, size, modified } = entry;
  if (kind === 'directory') return [[l10n.t('folder')]];
  if (kind === 'symlink') return [[l10n.t('link')]];
  if (kind !== 'file') return [[l10n.t('special file')]];
  return [
    [size === undefined ? l10n.t('size not known') : sizeText(size)],
    ...(modified === undefined ? [] : [[{ quiet: moment(Math.floor(modified) * 1_000) }]]),
  ];
}
