import { l10n } from 'vscode';
import type {
  ConfigExplanation,
  ConfigNote,
  ResolvedConfig,
  SelfTest,
} from '../../application/ports/hosts.ts';
import type { SourceRef } from '../../domain/config/configFile.ts';
import { honourOf, keywordName, type Honour } from '../../domain/config/honoured.ts';
import type {
  PageBlock,
  PageDocument,
  PageLine,
  PageNotice,
  PageRow,
  PageText,
} from '../../domain/page/pageDocument.ts';
import { chooseAlgorithms } from '../../domain/ssh/algorithmChoice.ts';
import { openLine } from './openLine.ts';
import { reasonTexts } from './reasonTexts.ts';

export interface ShownConfig {
  readonly label: string;
  /** The name that the configuration was asked about. */
  readonly asked: string;
  readonly explanation: ConfigExplanation;
  /** Keywords that the host's record sets itself. */
  readonly overridden: ReadonlySet<string>;
  /** Shortens a path for people. */
  readonly shorten: (path: string) => string;
}

/** The page about the effective configuration of one host. Source: ssh.md 4.5. */
export function configDocument(shown: ShownConfig): PageDocument {
  const { label, asked, explanation } = shown;
  const { resolved, notes } = explanation;
  return {
    title: l10n.t('Effective SSH configuration of {0}', label),
    subtitle:
      resolved.by === 'ssh -G'
        ? l10n.t('The values are those of ssh -G for the name {0}.', asked)
        : l10n.t("The values are those of Termind's own reading for the name {0}.", asked),
    notices: noticesOf(explanation),
    sections: [
      { title: l10n.t('Where it comes from'), blocks: [sourcesOf(shown)] },
      { title: l10n.t('Values'), blocks: [valuesOf(shown)] },
      { title: l10n.t('Self-test'), blocks: selfTestOf(explanation.check) },
      ...(notes.length === 0
        ? []
        : [{ title: l10n.t('Lines that are not used'), blocks: [notesOf(notes, shown)] }]),
    ],
  };
}

function noticesOf({ resolved, notes }: ConfigExplanation): readonly PageNotice[] {
  const refused = notes.filter(({ isRefusedBySsh }) => isRefusedBySsh).length;
  const notices: PageNotice[] = [];
  if (resolved.warning !== undefined) notices.push({ tone: 'warning', text: resolved.warning });
  else if (refused > 0)
    notices.push({
      tone: 'warning',
      text: l10n.t(
        'ssh itself refuses this configuration because of {0} line(s). Termind goes on without them.',
        refused,
      ),
    });
  return notices;
}

function sourcesOf(shown: ShownConfig): PageBlock {
  const { resolved, blocks } = shown.explanation;
  const first = (keyword: string): string => resolved.values.get(keyword)?.[0] ?? '';
  const places = blocks.map((at): PageLine => [linkTo(at, shown)]);
  return {
    k: 'facts',
    rows: [
      { name: l10n.t('Address'), lines: [[{ code: first('hostname') }]] },
      { name: l10n.t('User'), lines: [[{ code: first('user') }]] },
      { name: l10n.t('Port'), lines: [[{ code: first('port') }]] },
      {
        name: l10n.t('Blocks that hold'),
        lines: places.length === 0 ? [[{ quiet: l10n.t('none') }]] : places,
      },
    ],
  };
}

function valuesOf(shown: ShownConfig): PageBlock {
  const { resolved, losers } = shown.explanation;
  const keywords = [...new Set([...resolved.values.keys(), ...losers.keys()])].filter(
    (name) => name !== 'host',
  );
  const isSet = (keyword: string): boolean =>
    shown.explanation.winners.has(keyword) || losers.has(keyword) || shown.overridden.has(keyword);
  const rows = keywords
    .sort((a, b) => Number(isSet(b)) - Number(isSet(a)) || a.localeCompare(b))
    .map((keyword): PageRow => ({ ...valueRow(keyword, shown), isQuiet: !isSet(keyword) }));
  const quiet = rows.filter(({ isQuiet }) => isQuiet).length;
  return {
    k: 'table',
    caption: l10n.t('Values'),
    columns: [l10n.t('Keyword'), l10n.t('Value'), l10n.t('Set by'), l10n.t('In Termind')],
    rows,
    filter: l10n.t('Filter values'),
    ...(quiet === 0 ? {} : { showQuiet: l10n.t('Show {0} that nothing sets', quiet) }),
  };
}

function valueRow(keyword: string, shown: ShownConfig): PageRow {
  const { resolved, winners, losers } = shown.explanation;
  const values = resolved.values.get(keyword) ?? [];
  const written = resolved.asWritten(keyword);
  const won = winners.get(keyword) ?? [];
  const lost = losers.get(keyword) ?? [];
  const isChanged = written !== undefined && /^[-+^]/.test(written) && written !== values[0];
  const origin: PageLine[] = won.map((at) => [linkTo(at, shown)]);
  if (shown.overridden.has(keyword)) origin.unshift([{ badge: l10n.t('host record'), tone: 'plain' }]);
  if (origin.length === 0) origin.push([{ quiet: l10n.t('default') }]);
  for (const at of lost) origin.push([{ quiet: l10n.t('came too late:') }, linkTo(at, shown)]);
  const lines: PageLine[] = values.map((value) => [{ code: value }]);
  if (isChanged) lines.unshift([{ quiet: l10n.t('written as') }, { code: written }]);
  if (lines.length === 0) lines.push([{ quiet: l10n.t('none') }]);
  const honour = [...honourLines(honourOf(keyword)), ...leftOutLines(keyword, resolved.asWritten)];
  return { cells: [[[keywordName(keyword)]], lines, origin, honour] };
}

/** Algorithms that a line names and that Termind cannot do. Source: ssh.md 5.1. */
function leftOutLines(keyword: string, written: ResolvedConfig['asWritten']): readonly PageLine[] {
  const { leftOut } = chooseAlgorithms({ written, wantsCompression: false, legacy: [] });
  return leftOut
    .filter((one) => one.keyword === keyword)
    .map(({ names }): PageLine => [{ quiet: l10n.t('left out:') }, { code: names.join(', ') }]);
}

function honourLines(honour: Honour | undefined): readonly PageLine[] {
  switch (honour?.k) {
    case 'honoured':
      return [[{ badge: l10n.t('honoured'), tone: 'good' }]];
    case 'different':
      return [[{ badge: l10n.t('honoured with difference'), tone: 'warning' }], [reasonTexts[honour.why]()]];
    case 'not':
      return [[{ badge: l10n.t('not honoured'), tone: 'bad' }], [reasonTexts[honour.why]()]];
    case undefined:
      return [[{ badge: l10n.t('not known to Termind'), tone: 'bad' }]];
  }
}

function selfTestOf(check: SelfTest): readonly PageBlock[] {
  const text = (line: PageLine): readonly PageBlock[] => [{ k: 'text', line }];
  switch (check.k) {
    case 'refused':
      return text([
        { badge: l10n.t('not compared'), tone: 'warning' },
        l10n.t('ssh refuses:'),
        { code: check.why },
      ]);
    case 'notRun':
      return text([{ badge: l10n.t('not compared'), tone: 'plain' }, notRunTexts[check.why]()]);
    case 'compared': {
      const { release, differences } = check;
      if (differences.length === 0)
        return text([
          { badge: l10n.t('equal'), tone: 'good' },
          l10n.t("Termind's own reading and ssh -G (OpenSSH {0}) give the same values.", release),
        ]);
      return [
        ...text([
          { badge: l10n.t('different'), tone: 'bad' },
          l10n.t(
            "Termind's own reading and ssh -G (OpenSSH {0}) differ. What ssh says is used for connecting.",
            release,
          ),
        ]),
        {
          k: 'table',
          caption: l10n.t('Differences'),
          columns: [l10n.t('Keyword'), l10n.t('Own reading'), 'ssh -G'],
          rows: differences.map(({ keyword, own, ssh }) => ({
            cells: [[[keywordName(keyword)]], codes(own), codes(ssh)],
          })),
        },
      ];
    }
  }
}

const notRunTexts: Record<Extract<SelfTest, { k: 'notRun' }>['why'], () => string> = {
  noProgram: () => l10n.t('There is no ssh on this computer.'),
  untrusted: () => l10n.t('This folder is not trusted, so ssh is not started.'),
  programs: () => l10n.t('The configuration runs programs that you have not allowed, so ssh is not started.'),
};

function notesOf(notes: readonly ConfigNote[], shown: ShownConfig): PageBlock {
  return {
    k: 'table',
    caption: l10n.t('Lines that are not used'),
    columns: [l10n.t('Line'), l10n.t('Why')],
    rows: notes.map((note) => ({
      cells: [
        [[linkTo(note, shown)]],
        [
          [note.message],
          ...(note.isRefusedBySsh
            ? [[{ badge: l10n.t('ssh refuses the whole configuration'), tone: 'warning' } as const]]
            : []),
        ],
      ],
    })),
  };
}

function codes(lines: readonly string[]): readonly PageLine[] {
  return lines.length === 0 ? [[{ quiet: l10n.t('none') }]] : lines.map((line): PageLine => [{ code: line }]);
}

function linkTo(at: SourceRef, { shorten }: ShownConfig): PageText {
  return { linkText: `${shorten(at.path)}:${String(at.line)}`, action: openLine.action(at) };
}
