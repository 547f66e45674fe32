import { l10n } from 'vscode';
import type { StepOutcome, SyncResult } from '../../application/sync/folderSync.ts';
import type { Fault } from '../../domain/fault.ts';
import { sizeText } from '../../domain/files/sizeText.ts';
import type {
  PageDocument,
  PageLine,
  PageNotice,
  PageRow,
  PageText,
} from '../../domain/page/pageDocument.ts';
import { sideText, type FolderSide } from './folderSide.ts';
import { planAction } from './planActions.ts';
import { pathText } from './planDocument.ts';
import { actionBadge } from './syncWords.ts';

export interface ShownResult {
  readonly left: FolderSide;
  readonly right: FolderSide;
  readonly result: SyncResult;
  readonly describeFault: (fault: Fault) => string;
}

export type OutcomeCounts = Readonly<Record<StepOutcome['k'], number>>;

export function countOutcomes({ steps }: SyncResult): OutcomeCounts {
  const counts = { done: 0, conflict: 0, failed: 0, unknown: 0, notRun: 0 };
  for (const { outcome } of steps) counts[outcome.k] += 1;
  return counts;
}

/** How every change ended; where something did not go as planned, that is shown and the rest on demand. */
export function resultDocument(shown: ShownResult): PageDocument {
  const { left, right, result } = shown;
  const title = l10n.t('Result');
  const isSmooth = result.steps.every(({ outcome }) => isUneventful(outcome));
  return {
    title: l10n.t('Synchronize Folders'),
    subtitle: `${sideText(left)} ↔ ${sideText(right)}`,
    notices: noticesOf(shown),
    sections: [
      {
        title,
        blocks: [
          {
            k: 'table',
            caption: title,
            columns: [l10n.t('Path'), l10n.t('Action'), l10n.t('Outcome'), l10n.t('Why')],
            filter: l10n.t('Filter the result'),
            ...(isSmooth ? {} : { showQuiet: l10n.t('Show what was done') }),
            rows: result.steps.map((step) => ({
              ...rowOf(step, shown),
              ...(!isSmooth && isUneventful(step.outcome) ? { isQuiet: true } : {}),
            })),
          },
        ],
      },
    ],
  };
}

/** While it runs. */
export function runningDocument({ left, right }: Pick<ShownResult, 'left' | 'right'>): PageDocument {
  return {
    title: l10n.t('Synchronize Folders'),
    subtitle: `${sideText(left)} ↔ ${sideText(right)}`,
    notices: [
      { tone: 'plain', text: l10n.t('The changes are being made. The notification has a Cancel button.') },
    ],
    sections: [],
  };
}

function noticesOf({ result, describeFault }: ShownResult): readonly PageNotice[] {
  const { done, conflict, failed, unknown, notRun } = countOutcomes(result);
  const { stoppedBy, bytes, trash } = result;
  const isWhole = done === result.steps.length;
  const again = { label: l10n.t('Compare Again'), action: planAction.again, isPrimary: !isWhole };
  const text = l10n.t('Changes made: {0} of {1}. Copied: {2}.', done, result.steps.length, sizeText(bytes));
  const notices: PageNotice[] = [{ tone: isWhole ? 'good' : 'warning', text, buttons: [again] }];
  const tell = (tone: 'warning' | 'bad', sentence: string): void =>
    void notices.push({ tone, text: sentence });
  if (stoppedBy !== undefined)
    tell('bad', l10n.t('It ended early: {0} Comparing again shows what is left.', describeFault(stoppedBy)));
  if (unknown > 0) tell('bad', l10n.t('Outcome unknown: {0}. Compare again to see what is there.', unknown));
  if (conflict > 0) tell('warning', l10n.t('Changed after it was shown, so left as it is: {0}.', conflict));
  if (failed > 0) tell('bad', l10n.t('Failed: {0}.', failed));
  if (notRun > 0) tell('warning', l10n.t('Not begun: {0}.', notRun));
  if (trash !== undefined)
    notices.push({ tone: 'plain', text: l10n.t('What was deleted is in {0} on the host.', trash) });
  return notices;
}

function rowOf({ step, outcome }: SyncResult['steps'][number], { describeFault }: ShownResult): PageRow {
  return {
    cells: [
      [[{ code: pathText(step.path) }]],
      [[actionBadge(step)]],
      [[outcomeBadge(outcome)]],
      'fault' in outcome ? [[describeFault(outcome.fault)]] : warningLines(outcome),
    ],
  };
}

function isUneventful(outcome: StepOutcome): boolean {
  return outcome.k === 'done' && warningLines(outcome).length === 0;
}

function outcomeBadge({ k }: StepOutcome): PageText {
  const badges = {
    done: { badge: l10n.t('done'), tone: 'good' },
    conflict: { badge: l10n.t('changed meanwhile'), tone: 'warning' },
    failed: { badge: l10n.t('failed'), tone: 'bad' },
    unknown: { badge: l10n.t('outcome unknown'), tone: 'bad' },
    notRun: { badge: l10n.t('not begun'), tone: 'plain' },
  } as const satisfies Record<StepOutcome['k'], PageText>;
  return badges[k];
}

function warningLines(outcome: StepOutcome): readonly PageLine[] {
  if (outcome.k !== 'done') return [];
  const { warnings, changedMeanwhile } = outcome;
  return [
    ...(changedMeanwhile ? [[l10n.t('The file changed while it was copied.')]] : []),
    ...(warnings.some(({ code }) => code === 'attributes-not-kept')
      ? [[l10n.t('Its time or permissions could not be kept.')]]
      : []),
    ...(warnings.some(({ code }) => code === 'not-flushed')
      ? [[l10n.t('The server did not say that it is on its disk.')]]
      : []),
  ];
}
