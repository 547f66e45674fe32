import { homedir } from 'node:os';
import { l10n } from 'vscode';
import { openLineAction } from '../../domain/page/openLineAction.ts';
import type { PageBlock, PageLine, PageStep, PageText } from '../../domain/page/pageDocument.ts';
import { algorithmKinds, isPostQuantum, optionOf } from '../../domain/ssh/algorithms.ts';
import type { AgreedAlgorithms, AlgorithmLists, TraceEvent, TraceFact } from '../../domain/ssh/trace.ts';
import { durationText } from './durationText.ts';
import { placeOf } from './placeOf.ts';
import { placeText } from '../../domain/host/placeText.ts';

type StepParts = Pick<PageStep, 'state' | 'line'> & { readonly blocks?: readonly PageBlock[] };

/**
 * The timeline of one server. What the trace holds as text is a record, like the output of `ssh -v`, and is shown as it was recorded.
 * `lookAt` is marked as what shows the cause.
 */
export function hopSteps(events: readonly TraceEvent[], lookAt: TraceEvent | undefined): readonly PageStep[] {
  const lists = listsOf(events);
  return events.flatMap((event): readonly PageStep[] => {
    const parts = stepOf(event, lists);
    if (parts === undefined) return [];
    const isCause = event === lookAt && event.fact.k !== 'ended';
    const state = isCause && parts.state !== 'skipped' ? 'failed' : parts.state;
    const cause: PageText = { badge: l10n.t('look here first'), tone: 'bad' };
    return [
      {
        ...parts,
        state,
        word: stateWord(state),
        line: isCause ? [...parts.line, cause] : parts.line,
        time: durationText(event.atMs),
      },
    ];
  });
}

interface Lists {
  readonly ours: AlgorithmLists | undefined;
  readonly theirs: AlgorithmLists | undefined;
  readonly agreed: AgreedAlgorithms | undefined;
  /** Where both lists and what came of them are shown: the last event about them. */
  readonly shownAt: TraceEvent | undefined;
}

function listsOf(events: readonly TraceEvent[]): Lists {
  const offered = (side: 'ours' | 'theirs'): AlgorithmLists | undefined => {
    const found = events.find(({ fact }) => fact.k === 'offered' && fact.side === side)?.fact;
    return found?.k === 'offered' ? found.lists : undefined;
  };
  const agreed = events.find(({ fact }) => fact.k === 'agreed')?.fact;
  return {
    ours: offered('ours'),
    theirs: offered('theirs'),
    agreed: agreed?.k === 'agreed' ? agreed.algorithms : undefined,
    shownAt: events.findLast(({ fact }) => fact.k === 'offered' || fact.k === 'agreed'),
  };
}

function stateWord(state: PageStep['state']): string {
  switch (state) {
    case 'done':
      return l10n.t('Done');
    case 'failed':
      return l10n.t('Failed');
    case 'skipped':
      return l10n.t('Not tried');
    case 'running':
      return l10n.t('Under way');
    case 'note':
      return l10n.t('Note');
  }
}

/** Undefined for an event that another one shows along. */
function stepOf(event: TraceEvent, lists: Lists): StepParts | undefined {
  const { fact } = event;
  switch (fact.k) {
    case 'alreadyConnected':
      return { state: 'done', line: [l10n.t('It was connected already.')] };
    case 'carrier':
      return { state: 'note', line: carrierLine(fact) };
    case 'address':
      return addressStep(fact);
    case 'identification':
      return {
        state: 'done',
        line: [
          fact.side === 'ours'
            ? l10n.t('Termind identified itself:')
            : l10n.t('The server identified itself:'),
          { code: fact.text },
        ],
      };
    case 'offered':
    case 'agreed':
      return event === lists.shownAt ? algorithmsStep(lists) : undefined;
    case 'leftOut':
      return {
        state: 'note',
        line: [l10n.t('Configured algorithms that Termind cannot do:'), { code: fact.names.join(', ') }],
      };
    case 'hostKey':
      return hostKeyStep(fact);
    case 'agent':
      return { state: 'note', line: [l10n.t('Agent:'), { code: fact.endpoint }, { quiet: fact.result }] };
    case 'methods':
      return {
        state: 'note',
        line: [
          fact.isPartial
            ? l10n.t('Accepted, and the server wants one more of:')
            : l10n.t('The server takes one of:'),
          { code: fact.offered.join(', ') },
        ],
      };
    case 'identity':
      return identityStep(fact);
    case 'asked':
      return fact.what === undefined
        ? undefined
        : { state: 'note', line: [l10n.t('You were asked:'), { quiet: fact.what }] };
    case 'signedIn':
      return { state: 'done', line: [l10n.t('Signed in by'), { code: fact.by }] };
    case 'channelRefused':
      return { state: 'failed', line: channelLine(fact) };
    case 'output':
      return { state: 'note', line: [l10n.t('The program said:'), { code: fact.text }] };
    case 'banner':
      return { state: 'note', line: [l10n.t('The server says:'), { code: fact.text }] };
    case 'laterError':
      return { state: 'note', line: [l10n.t('Later:'), { code: fact.text }] };
    case 'ended':
      return { state: 'failed', line: [l10n.t('The attempt ended:'), { code: fact.code }] };
  }
}

type Of<K extends TraceFact['k']> = Extract<TraceFact, { readonly k: K }>;

function carrierLine({ kind, via }: Of<'carrier'>): PageLine {
  const where: PageLine = via === undefined ? [] : [{ code: via }];
  switch (kind) {
    case 'direct':
      return [l10n.t('Directly')];
    case 'jump':
      return [l10n.t('Through the jump host'), ...where];
    case 'program':
      return [l10n.t('Through the program'), ...where];
    case 'socks':
      return [l10n.t('Through the SOCKS proxy'), ...where];
    case 'http':
      return [l10n.t('Through the HTTP proxy'), ...where];
  }
}

function addressStep({ address, port, result, reason }: Of<'address'>): StepParts {
  const where: PageLine = [l10n.t('Address'), { code: placeText(address, port) }];
  const why: PageLine = reason === undefined ? [] : [{ quiet: reason }];
  switch (result) {
    case 'connected':
      return { state: 'done', line: where };
    case 'failed':
      return { state: 'failed', line: [...where, ...why] };
    case 'overtaken':
      return { state: 'skipped', line: [...where, { quiet: l10n.t('another one was faster') }] };
  }
}

function algorithmsStep(lists: Lists): StepParts {
  const { ours, theirs, agreed } = lists;
  const blocks: readonly PageBlock[] = [
    { k: 'details', summary: l10n.t('Algorithms of both sides'), blocks: [algorithmsTable(lists)] },
  ];
  if (agreed !== undefined)
    return {
      state: 'done',
      line: [
        l10n.t('Keys exchanged with'),
        { code: agreed.kex },
        isPostQuantum(agreed.kex)
          ? { badge: l10n.t('post-quantum'), tone: 'good' }
          : { badge: l10n.t('not post-quantum'), tone: 'warning' },
        { code: agreed.cipher },
      ],
      blocks,
    };
  if (ours !== undefined && theirs === undefined)
    return { state: 'note', line: [l10n.t('The server told no algorithms.')], blocks };
  return { state: 'note', line: [l10n.t('Nothing was agreed on.')], blocks };
}

function algorithmsTable({ ours, theirs, agreed }: Lists): PageBlock {
  const list = (names: readonly string[] | undefined): readonly PageLine[] =>
    names === undefined || names.length === 0
      ? [[{ quiet: l10n.t('none') }]]
      : names.map((name): PageLine => [{ code: name }]);
  return {
    k: 'table',
    caption: l10n.t('Algorithms of both sides'),
    columns: [l10n.t('Kind'), l10n.t('Agreed on'), l10n.t('Termind'), l10n.t('Server')],
    rows: algorithmKinds.map((kind) => {
      const name = agreed?.[kind];
      return {
        cells: [
          [[optionOf[kind]]],
          list(name === undefined || name === '' ? [] : [name]),
          list(ours?.[kind]),
          list(theirs?.[kind]),
        ],
      };
    }),
  };
}

function hostKeyStep({ keyType, fingerprint, decision, at }: Of<'hostKey'>): StepParts {
  const isRefused = /^(changed|revoked|certificate refused)/.test(decision);
  const place = at === undefined ? undefined : placeOf(at, homedir());
  const link: PageLine =
    at === undefined
      ? []
      : [place === undefined ? { quiet: at } : { linkText: at, action: openLineAction.of(place) }];
  return {
    state: isRefused ? 'failed' : 'done',
    line: [l10n.t('Host key'), keyType, { code: fingerprint }, { quiet: decision }, ...link],
  };
}

function identityStep({ method, label, fingerprint, source, result }: Of<'identity'>): StepParts {
  const named: PageLine = label === '' ? [] : [{ code: label }];
  const key: PageLine = fingerprint === undefined ? [] : [{ code: fingerprint }];
  const from: PageLine = source === undefined ? [] : [{ quiet: source }];
  return { state: identityState(result), line: [method, ...named, ...key, ...from, { quiet: result }] };
}

function identityState(result: string): PageStep['state'] {
  if (result.startsWith('accepted')) return 'done';
  return result.startsWith('not ') ? 'skipped' : 'failed';
}

function channelLine({ reason, text }: Of<'channelRefused'>): PageLine {
  return [
    reason === undefined
      ? l10n.t('A channel was refused:')
      : l10n.t('A channel was refused, reason {0}:', reason),
    { code: text },
  ];
}
