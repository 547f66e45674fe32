import { l10n } from 'vscode';
import type { NegotiatedFacts } from '../../application/ports/connection.ts';
import type { SshDebug } from '../../application/ports/hosts.ts';
import type { Fault } from '../../domain/fault.ts';
import type {
  PageBlock,
  PageButton,
  PageDocument,
  PageLine,
  PageNotice,
  PageSection,
} from '../../domain/page/pageDocument.ts';
import { isPostQuantum } from '../../domain/ssh/algorithms.ts';
import type { ConnectStage, Diagnosis, HopDiagnosis } from '../../domain/ssh/diagnose.ts';
import type { FaultFix } from '../../domain/ssh/faultFix.ts';
import { sightingOfTrace } from '../../domain/ssh/sighting.ts';
import { comparisonSection } from './comparisonSection.ts';
import { DoctorAction } from './doctorAction.ts';
import { hopSteps } from './hopSteps.ts';
import { durationText } from './durationText.ts';

export interface ShownConnection {
  readonly label: string;
  /** When the attempt began, for people; undefined before the first. */
  readonly startedAt: string | undefined;
  readonly diagnosis: Diagnosis;
  /** Of the connection as it stands. */
  readonly negotiated: NegotiatedFacts | undefined;
  /** Milliseconds that starting the login shell took; undefined when it was not measured. */
  readonly shellStartMs: number | undefined;
  /** What `ssh` said about the same host; undefined when it was not asked. */
  readonly ssh: SshDebug | undefined;
  readonly describeFault: (fault: Fault) => string;
}

/** Somebody's start-up files are worth a word from here on. */
const slowShellMs = 80;

/** The page about one attempt to connect: the cause and the fix, then what happened on each server. Source: ssh.md 1.10; ui.md 5. */
export function doctorDocument(shown: ShownConnection): PageDocument {
  const { label, startedAt, diagnosis, negotiated, ssh } = shown;
  return {
    title: l10n.t('Connection to {0}', label),
    ...(startedAt === undefined ? {} : { subtitle: l10n.t('Last attempt: {0}', startedAt) }),
    notices: [...withTools(outcomeOf(shown), diagnosis), ...slowNotices(shown)],
    sections: [
      ...(negotiated === undefined ? [] : [connectionSection(negotiated)]),
      ...(ssh === undefined
        ? []
        : [comparisonSection(sightingOfTrace(diagnosis.hops.at(-1)?.events ?? []), ssh)]),
      ...diagnosis.hops.map((hop, index) => hopSection(hop, index, diagnosis)),
    ],
  };
}

function outcomeOf({ diagnosis, describeFault, negotiated }: ShownConnection): readonly PageNotice[] {
  const { outcome, fault, fix, hops } = diagnosis;
  const again = { label: l10n.t('Try Again'), action: DoctorAction.again };
  if (fault !== undefined) {
    const fixButton = fix === undefined ? undefined : buttonOf(fix);
    const buttons: readonly PageButton[] =
      fixButton === undefined
        ? [{ ...again, isPrimary: fix?.k === 'reconnect' }]
        : [{ ...fixButton, isPrimary: true }, again];
    const text = describeFault(fault);
    if (hops.length > 0) return [{ tone: 'bad', text, buttons }];
    return [
      { tone: 'bad', text, buttons },
      { tone: 'plain', text: l10n.t('The attempt ended before any server was spoken to.') },
    ];
  }
  if (negotiated !== undefined) return [{ tone: 'good', text: connectedText(negotiated) }];
  switch (outcome) {
    case 'connected':
      return [{ tone: 'plain', text: l10n.t('The connection was made.'), buttons: [again] }];
    case 'open':
      return [{ tone: 'plain', text: l10n.t('The attempt is still going on.') }];
    case 'failed':
      return [{ tone: 'plain', text: l10n.t('The attempt ended without a connection.'), buttons: [again] }];
    case 'nothing':
      return [{ tone: 'plain', text: l10n.t('Nothing was tried yet in this window.'), buttons: [again] }];
  }
}

/** What was traced can be compared and can leave the machine. */
function withTools([first, ...rest]: readonly PageNotice[], { hops }: Diagnosis): readonly PageNotice[] {
  if (first === undefined || hops.length === 0) return first === undefined ? rest : [first, ...rest];
  const compare = { label: l10n.t('Compare with ssh'), action: DoctorAction.compare };
  const save = { label: l10n.t('Export…'), action: DoctorAction.export };
  return [{ ...first, buttons: [...(first.buttons ?? []), compare, save] }, ...rest];
}

/** A fix that is a command; the others are the sentence itself. */
function buttonOf(fix: FaultFix): PageButton | undefined {
  const { fix: action } = DoctorAction;
  switch (fix.k) {
    case 'editHost':
      return { label: l10n.t('Edit Host'), action };
    case 'allowLegacy':
      return { label: l10n.t('Allow Legacy Algorithms…'), action };
    case 'reviewHostKey':
      return { label: l10n.t('Review the Host Key…'), action };
    case 'openLine':
      return { label: l10n.t('Open the Line'), action };
    case 'useSystemSsh':
      return { label: l10n.t('Use System ssh…'), action };
    case 'reconnect':
    case 'showTrace':
      return undefined;
  }
}

function connectedText({ user, address, port, authenticatedBy }: NegotiatedFacts): string {
  return l10n.t(
    'Connected as {0} to {1} port {2}, signed in by {3}.',
    user,
    address,
    String(port),
    authenticatedBy,
  );
}

/** Said plainly and once, where the exchange is shown. Source: ssh.md 5.1. */
function exchangeLines(kex: string): readonly PageLine[] {
  if (isPostQuantum(kex)) return [[{ code: kex }, { badge: l10n.t('post-quantum'), tone: 'good' }]];
  const meaning = l10n.t('Whoever records this connection now could read it with a quantum computer later.');
  return [[{ code: kex }, { badge: l10n.t('not post-quantum'), tone: 'warning' }, { quiet: meaning }]];
}

function slowNotices({ diagnosis, shellStartMs }: ShownConnection): readonly PageNotice[] {
  const notices: PageNotice[] = [];
  const { slowest } = diagnosis;
  if (slowest !== undefined)
    notices.push({
      tone: 'plain',
      text: l10n.t('What took longest: {0}, {1}.', stageText(slowest.stage), durationText(slowest.ms)),
    });
  if (shellStartMs !== undefined && shellStartMs >= slowShellMs)
    notices.push({
      tone: 'plain',
      text: l10n.t(
        'A command that does nothing ran for {0} on the server. That is the start of its login shell, not the network; look into its start-up files, for example ~/.bashrc.',
        durationText(shellStartMs),
      ),
    });
  return notices;
}

/** Of a connection by system ssh neither the algorithms nor the host key are known; they have no rows. */
function connectionSection(negotiated: NegotiatedFacts): PageSection {
  const { algorithms, agent, forwardedAgent, hostKeyType, hostKeyFingerprint } = negotiated;
  const { kex, hostKey, cipher, mac, compression } = algorithms;
  const code = (text: string): readonly PageLine[] => [[{ code: text }]];
  const orNone = (text: string | undefined): readonly PageLine[] =>
    text === undefined ? [[{ quiet: l10n.t('none') }]] : code(text);
  const software = { name: l10n.t('Server software'), lines: code(negotiated.serverIdentification) };
  const agreed = [
    { name: l10n.t('Host key'), lines: [[hostKeyType, { code: hostKeyFingerprint }]] },
    { name: l10n.t('Key exchange'), lines: exchangeLines(kex) },
    { name: l10n.t('Host key algorithm'), lines: code(hostKey) },
    { name: l10n.t('Encryption'), lines: code(cipher) },
    { name: l10n.t('Integrity'), lines: code(mac === '' ? cipher : mac) },
    { name: l10n.t('Compression'), lines: code(compression) },
  ];
  const signIn = [
    { name: l10n.t('Signed in by'), lines: code(negotiated.authenticatedBy) },
    { name: l10n.t('Agent asked for keys'), lines: orNone(agent) },
    { name: l10n.t('Agent offered to the server'), lines: orNone(forwardedAgent) },
  ];
  const rows = [software, ...(kex === '' ? [] : agreed), ...signIn];
  return { title: l10n.t('Connection'), blocks: [{ k: 'facts', rows }] };
}

function hopSection(hop: HopDiagnosis, index: number, diagnosis: Diagnosis): PageSection {
  if (hop.hop === undefined)
    return {
      title: l10n.t('Server {0}', index + 1),
      blocks: [{ k: 'text', line: [{ quiet: l10n.t('It was not reached.') }] }],
    };
  const lasted = timesOf(hop);
  return {
    title: hop.hop,
    blocks: [{ k: 'steps', steps: hopSteps(hop.events, diagnosis.lookAt) }, ...lasted],
  };
}

function timesOf({ stages, askedMs }: HopDiagnosis): readonly PageBlock[] {
  if (stages.length === 0) return [];
  const rows = stages.map(({ stage, ms, isDone }) => ({
    name: stageText(stage),
    lines: [isDone ? [durationText(ms)] : [durationText(ms), { quiet: l10n.t('until it ended') }]],
  }));
  const asked = { name: l10n.t('Waiting for your answers'), lines: [[durationText(askedMs)]] };
  return [{ k: 'facts', rows: askedMs > 0 ? [...rows, asked] : rows }];
}

function stageText(stage: ConnectStage): string {
  switch (stage) {
    case 'reach':
      return l10n.t('Reaching the address');
    case 'identify':
      return l10n.t('Waiting for the server to identify itself');
    case 'exchange':
      return l10n.t('Exchange of keys');
    case 'signIn':
      return l10n.t('Signing in');
  }
}
