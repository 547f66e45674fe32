import { l10n } from 'vscode';
import type { CallOperation, Operation } from '../../application/operations/operation.ts';
import type { Timeline } from '../../application/operations/operationsLog.ts';
import type {
  CallDecidedEntry,
  CallEndedEntry,
  OperationAction,
  OperationHost,
} from '../../application/ports/operations.ts';
import type {
  PageBlock,
  PageDocument,
  PageLine,
  PageNotice,
  PageRow,
  PageText,
  PageTone,
} from '../../domain/page/pageDocument.ts';
import { showUntrusted, type TextLimits } from '../../domain/ssh/untrustedText.ts';
import { actText, decidedText, factNames, groundText, outcomeText } from './operationWords.ts';

export interface ShownOperations {
  readonly timeline: Timeline;
  /** The label of the one host that is shown; undefined for all. */
  readonly host: string | undefined;
  /** A moment (milliseconds UTC) for people. */
  readonly moment: (at: number) => string;
  /** Everything is in it, so nothing is said about an export. */
  readonly isWhole?: boolean;
}

/** The actions of the page. */
export const verifyAction = 'verify';
export const exportAction = 'export';

/** A command in a cell of a table; the export as JSON has all of it. */
const cellText: TextLimits = { maxCharacters: 2_000, maxLines: 40 };
/** Of a SHA-256 in hex, to recognise it by. */
const digestCharacters = 12;

/** The operations of a host or of all, newest first. Source: mission C13. */
export function operationsDocument(shown: ShownOperations): PageDocument {
  const { timeline, host } = shown;
  const title = l10n.t('Operations');
  return {
    title: l10n.t('Operations Log'),
    subtitle: host === undefined ? l10n.t('All hosts, newest first') : showUntrusted(host),
    notices: noticesOf(shown),
    sections: [{ title, blocks: [operationsBlock(title, timeline.operations, shown)] }],
  };
}

function noticesOf({ timeline, isWhole = false }: ShownOperations): readonly PageNotice[] {
  const unknown = timeline.operations.filter(
    (operation) => operation.k === 'call' && operation.ended?.outcome === 'unknown',
  ).length;
  const notices: PageNotice[] = [];
  if (unknown > 0)
    notices.push({
      tone: 'warning',
      text: l10n.t('Nobody knows how {0} of these calls ended. Look at what they were to change.', unknown),
    });
  if (timeline.isCut)
    notices.push({
      tone: 'plain',
      text: l10n.t('Only the newest rows are shown. The export has all of them.'),
    });
  if (isWhole) return notices;
  return [
    ...notices,
    {
      tone: 'plain',
      text: l10n.t('Each row holds the hash of the one before it, so a change can be found out.'),
      buttons: [
        { label: l10n.t('Verify'), action: verifyAction },
        { label: l10n.t('Export…'), action: exportAction },
      ],
    },
  ];
}

function operationsBlock(
  caption: string,
  operations: readonly Operation[],
  shown: ShownOperations,
): PageBlock {
  if (operations.length === 0)
    return { k: 'text', line: [l10n.t('Nothing was done here yet, or it was too long ago.')] };
  return {
    k: 'table',
    caption,
    columns: [l10n.t('When'), l10n.t('Host'), l10n.t('What'), l10n.t('Decided'), l10n.t('Result')],
    filter: l10n.t('Filter operations'),
    showQuiet: l10n.t('Show calls that stayed on this machine'),
    rows: operations.map((operation) => rowOf(operation, shown)),
  };
}

function rowOf(operation: Operation, { moment }: ShownOperations): PageRow {
  switch (operation.k) {
    case 'call':
      return callRow(operation, moment);
    case 'act': {
      const { entry, seq } = operation;
      return {
        cells: [
          whenLines(moment(entry.at), [seq, seq]),
          hostLines(entry.host),
          [[actText(entry.what)], ...factLines(entry.facts)],
          [[entry.actor === 'person' ? l10n.t('a person') : 'Termind']],
          [],
        ],
      };
    }
    case 'pruned':
      return {
        cells: [
          whenLines(moment(operation.at), [operation.seq, operation.seq]),
          [],
          [[l10n.t('Rows up to {0} were too old and were removed.', operation.through)]],
          [['Termind']],
          [],
        ],
      };
    case 'unreadable': {
      const badge: PageText = { badge: l10n.t('cannot be read'), tone: 'bad' };
      return { cells: [whenLines('', [operation.seq, operation.seq]), [], [[badge]], [], []] };
    }
  }
}

function callRow(operation: CallOperation, moment: ShownOperations['moment']): PageRow {
  const { call, started, refused, decisions } = operation;
  const action = started?.action ?? refused?.action;
  const ground = started?.ground.kind;
  const isDecidedInside = decisions.some((one) => one.action !== undefined);
  const isQuiet =
    !isDecidedInside && (ground === 'contained' || (ground === 'proof' && call.host === undefined));
  return {
    cells: [
      whenLines(moment(operation.at), operation.seqs),
      hostLines(call.host),
      [
        ...actionLines(action),
        [{ quiet: showUntrusted(call.tool) }, { quiet: showUntrusted(call.conversation.title) }],
        ...(action === undefined ? [] : [[{ quiet: digestText(action.digest) }]]),
      ],
      decisionLines(operation),
      resultLines(operation),
    ],
    ...(isQuiet && operation.ended?.outcome !== 'unknown' ? { isQuiet } : {}),
  };
}

function actionLines(action: OperationAction | undefined): readonly PageLine[] {
  if (action === undefined) return [];
  return [
    [{ code: showUntrusted(action.text, cellText) }],
    ...action.details.map(({ label, value }): PageLine => [
      { quiet: showUntrusted(label) },
      { code: showUntrusted(value, cellText) },
    ]),
  ];
}

function decisionLines({ started, decisions }: CallOperation): readonly PageLine[] {
  const ofCall = decisions.filter(({ action }) => action === undefined);
  return [
    ...(started === undefined ? [] : [[groundText(started.ground.kind)]]),
    ...ofCall.filter((one) => !isSaidByStart(one, started)).map((one): PageLine => [decidedText(one)]),
    ...ofCall.flatMap(wordLines),
    ...shownLines(started?.ground.id, started?.ground.asked ?? ofCall.at(-1)?.asked),
    ...decisions.flatMap(furtherLines),
  ];
}

/** A decision in the middle of the call, with what it was about. */
function furtherLines(decision: CallDecidedEntry): readonly PageLine[] {
  const { action, id, asked } = decision;
  if (action === undefined) return [];
  return [
    [l10n.t('in the middle of the call: {0}', decidedText(decision))],
    ...actionLines(action),
    ...wordLines(decision),
    [{ quiet: digestText(action.digest) }],
    ...shownLines(id, asked),
  ];
}

/** The approval or grant by its id, and the digest of what was shown. */
function shownLines(id: string | undefined, asked: string | undefined): readonly PageLine[] {
  return [
    ...(id === undefined ? [] : [[{ quiet: showUntrusted(id) }]]),
    ...(asked === undefined ? [] : [[{ quiet: l10n.t('shown: {0}', digestText(asked)) }]]),
  ];
}

/** What was said about a decision; what rates it is of the review. */
function wordLines({ words, risk, authorization }: CallDecidedEntry): readonly PageLine[] {
  return [
    ...(words === undefined ? [] : [[{ quiet: showUntrusted(words) }]]),
    ...(risk === undefined ? [] : [[{ quiet: l10n.t('risk: {0}', showUntrusted(risk)) }]]),
    ...(authorization === undefined
      ? []
      : [[{ quiet: l10n.t('authorized by what was asked: {0}', showUntrusted(authorization)) }]]),
  ];
}

function isSaidByStart(decision: CallDecidedEntry, started: CallOperation['started']): boolean {
  return decision.allowed && started?.ground.kind === decision.by && started.ground.id === decision.id;
}

function resultLines({ started, ended, refused, decisions }: CallOperation): readonly PageLine[] {
  if (refused !== undefined)
    return [
      [{ badge: l10n.t('did not run'), tone: 'plain' }],
      ...(decisions.some(({ words }) => words === refused.reason)
        ? []
        : [[{ quiet: showUntrusted(refused.reason) }]]),
    ];
  if (ended !== undefined)
    return [
      [{ badge: outcomeText(ended.outcome), tone: toneOf(ended.outcome) }],
      ...figures(ended).map((figure): PageLine => [figure]),
    ];
  return started === undefined ? [] : [[{ badge: l10n.t('not ended yet'), tone: 'plain' }]];
}

function toneOf(outcome: string): PageTone {
  if (outcome === 'succeeded') return 'good';
  return outcome === 'unknown' ? 'warning' : 'plain';
}

function figures({
  exitCode,
  signal,
  status,
  durationMs,
  outputBytes,
  isInferred,
}: CallEndedEntry): readonly string[] {
  return [
    ...(status === 'running' ? [l10n.t('the command went on')] : []),
    ...(exitCode === undefined ? [] : [l10n.t('exit status {0}', exitCode)]),
    ...(signal === undefined ? [] : [l10n.t('signal {0}', showUntrusted(signal))]),
    ...(durationMs === undefined ? [] : [l10n.t('{0} ms', durationMs)]),
    ...(outputBytes === undefined ? [] : [l10n.t('{0} byte(s) of output', outputBytes)]),
    ...(isInferred ? [l10n.t('the window ended before the result was there')] : []),
  ];
}

function whenLines(when: string, [first, last]: readonly [number, number]): readonly PageLine[] {
  const rows = first === last ? l10n.t('row {0}', first) : l10n.t('rows {0} to {1}', first, last);
  return [[when], [{ quiet: rows }]];
}

function hostLines(host: OperationHost | undefined): readonly PageLine[] {
  if (host === undefined) return [];
  const { label, user, address, tier } = host;
  const at = `${user === '' ? '' : `${user}@`}${address}`;
  return [
    [
      showUntrusted(label),
      ...(tier === '' ? [] : [{ badge: showUntrusted(tier), tone: tierTone(tier) } as const]),
    ],
    ...(at === '' ? [] : [[{ quiet: showUntrusted(at) }]]),
  ];
}

function tierTone(tier: string): PageTone {
  return tier === 'prod' ? 'warning' : 'plain';
}

function factLines(facts: Readonly<Record<string, string>>): readonly PageLine[] {
  return Object.entries(facts).map(([name, value]): PageLine => [
    { quiet: factNames[name]?.() ?? showUntrusted(name) },
    { code: showUntrusted(value) },
  ]);
}

function digestText(digest: string): string {
  return `SHA-256 ${digest.slice(0, digestCharacters)}…`;
}
