import { l10n } from 'vscode';
import type { Verification } from '../../application/operations/operationsLog.ts';
import type { LogFault } from '../../application/operations/verifyLog.ts';

/** What a verification came to, for people: the first broken row in words, or how far the log can be trusted. */
export function verdictText(verification: Verification, moment: (at: number) => string): string {
  const { fault, rows, firstSeq, head, outside, isOutsideUnreadable } = verification;
  if (fault !== undefined) {
    const known =
      outside === undefined
        ? []
        : [l10n.t('Row {0} was kept as the newest one on {1}.', outside.seq, moment(outside.at))];
    return [l10n.t('The operations log was changed.'), faultTexts[fault.k](fault.seq), ...known].join(' ');
  }
  if (firstSeq === undefined) return l10n.t('The operations log is empty.');
  const whole = l10n.t('The operations log is whole: {0} row(s), {1} to {2}.', rows, firstSeq, head.seq);
  return `${whole} ${outsideText()}`;

  function outsideText(): string {
    if (isOutsideUnreadable)
      return l10n.t(
        'The secret storage cannot be read, so nobody can say whether the end of the log was written anew.',
      );
    if (outside === undefined)
      return l10n.t('Nothing was kept outside of it until now, so an earlier exchange would not show.');
    return l10n.t('It agrees with row {0}, kept on {1}.', outside.seq, moment(outside.at));
  }
}

const faultTexts: Record<LogFault['k'], (seq: number) => string> = {
  missing: (seq) => l10n.t('Row {0} is missing.', seq),
  changed: (seq) => l10n.t('The content of row {0} is not what its hash says.', seq),
  misnumbered: (seq) => l10n.t('Row {0} does not hold its own number.', seq),
  unlinked: (seq) => l10n.t('Row {0} does not follow on the row before it: one of them was exchanged.', seq),
  front: (seq) => l10n.t('Rows up to {0} were removed, and no row says so.', seq),
  cut: (seq) => l10n.t('Its end was cut: there is no row {0} any more.', seq),
  removed: (seq) => l10n.t('Row {0}, which was kept as the newest one, was removed.', seq),
  rewritten: (seq) => l10n.t('Row {0} is another one than the one that was kept.', seq),
};
