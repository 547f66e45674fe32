import type { Fault } from '../fault.ts';
import { fixOf, type FaultFix } from './faultFix.ts';
import type { TraceEvent, TraceFact } from './trace.ts';

/** The parts of connecting to one server, in order. */
export const connectStages = ['reach', 'identify', 'exchange', 'signIn'] as const;
export type ConnectStage = (typeof connectStages)[number];

export interface StageTime {
  readonly stage: ConnectStage;
  /** Milliseconds, without the time in which a question waited for the person. */
  readonly ms: number;
  /** False for the stage in which the attempt ended, or is now. */
  readonly isDone: boolean;
}

/** What a `ConnectTrace` has recorded. */
export interface TracedHop {
  readonly events: readonly TraceEvent[];
}

/** What an attempt did on one server of the way. */
export interface HopDiagnosis {
  /** Undefined when the attempt ended before this server. */
  readonly hop: string | undefined;
  readonly events: readonly TraceEvent[];
  readonly stages: readonly StageTime[];
  /** Milliseconds in which questions waited for the person. */
  readonly askedMs: number;
}

export interface Diagnosis {
  /** `nothing`: there is no trace that belongs to this. `open`: neither signed in nor ended. */
  readonly outcome: 'connected' | 'failed' | 'open' | 'nothing';
  readonly fault: Fault | undefined;
  readonly fix: FaultFix | undefined;
  readonly hops: readonly HopDiagnosis[];
  /** The event that shows the cause best, one of those in `hops`. */
  readonly lookAt: TraceEvent | undefined;
  /** What took longest, where it took at least `slowMs`. */
  readonly slowest: (StageTime & { readonly hop: string }) | undefined;
}

/** Below this nobody asks why. */
const slowMs = 2_000;

/**
 * One cause and one fix out of the traces of an attempt, one for each server, and the fault of the host as it is now, if there is one.
 * A trace of an earlier attempt, which the fault is not about, is left out. Source: ssh.md 1.10.
 */
export function diagnose(traces: readonly TracedHop[], fault: Fault | undefined): Diagnosis {
  const mine = fault === undefined || isAbout(traces, fault) ? traces : [];
  const hops = mine.map(diagnoseHop);
  const isSignedIn = hops.at(-1)?.events.some(({ fact }) => fact.k === 'signedIn') === true;
  const hasEnded = hops.some(({ events }) => events.some(({ fact }) => fact.k === 'ended'));
  const open = isSignedIn ? 'connected' : hasEnded ? 'failed' : 'open';
  return {
    outcome: fault !== undefined ? 'failed' : hops.length === 0 ? 'nothing' : open,
    fault,
    fix: fault === undefined ? undefined : fixOf(fault),
    hops,
    lookAt: fault === undefined ? undefined : causeOf(fault, hops),
    slowest: slowestOf(hops),
  };
}

/** A connection that was made and lost has no `ended` in its trace; one that was never made has exactly its own. */
function isAbout(traces: readonly TracedHop[], { code, stage }: Fault): boolean {
  if (stage === 'resolve') return false;
  const facts = traces.flatMap(({ events }) => events.map(({ fact }) => fact));
  const ended = facts.filter((fact) => fact.k === 'ended');
  if (ended.length > 0) return ended.some((fact) => fact.code === code);
  return stage !== 'local' && facts.length > 0;
}

function diagnoseHop({ events }: TracedHop): HopDiagnosis {
  const waited = waits(events);
  const askedMs = waited.reduce((sum, { from, to }) => sum + to - from, 0);
  return { hop: events[0]?.hop, events, stages: stagesOf(events, waited), askedMs };
}

interface Wait {
  readonly from: number;
  readonly to: number;
}

/** When questions were open until the sign-in; those of a connection that stands are not part of connecting. */
function waits(events: readonly TraceEvent[]): readonly Wait[] {
  const found: Wait[] = [];
  let from: number | undefined;
  for (const { fact, atMs } of events) {
    if (fact.k === 'signedIn') break;
    if (fact.k === 'asked' && fact.what !== undefined) from ??= atMs;
    const isOver = (fact.k === 'asked' && fact.what === undefined) || fact.k === 'ended';
    if (!isOver || from === undefined) continue;
    found.push({ from, to: atMs });
    from = undefined;
  }
  return found;
}

/** What ends each stage. */
const stageEnds: Readonly<Record<ConnectStage, (fact: TraceFact) => boolean>> = {
  reach: (fact) => fact.k === 'address' && fact.result === 'connected',
  identify: (fact) => fact.k === 'identification' && fact.side === 'theirs',
  exchange: (fact) => fact.k === 'agreed',
  signIn: (fact) => fact.k === 'signedIn',
};

/** A program tells nothing of addresses: it is reached when the server behind it has identified itself. */
function stagesOf(events: readonly TraceEvent[], waited: readonly Wait[]): readonly StageTime[] {
  const begun = events.find(({ fact }) => fact.k === 'carrier');
  if (begun === undefined) return [];
  const isProgram = begun.fact.k === 'carrier' && begun.fact.kind === 'program';
  const stages: StageTime[] = [];
  let from = begun.atMs;
  for (const stage of connectStages) {
    if (stage === 'reach' && isProgram) continue;
    const end = events.find(({ fact }) => stageEnds[stage](fact));
    const to = end ?? events.find(({ fact }) => fact.k === 'ended');
    if (to === undefined) break;
    const asked = waited.reduce((sum, wait) => sum + overlap(wait, { from, to: to.atMs }), 0);
    stages.push({ stage, ms: Math.max(0, to.atMs - from - asked), isDone: end !== undefined });
    if (end === undefined) break;
    from = end.atMs;
  }
  return stages;
}

function overlap(a: Wait, b: Wait): number {
  return Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));
}

function slowestOf(hops: readonly HopDiagnosis[]): Diagnosis['slowest'] {
  const all = hops.flatMap(({ hop, stages }) =>
    hop === undefined ? [] : stages.map((time) => ({ ...time, hop })),
  );
  const [slowest] = [...all].sort((a, b) => b.ms - a.ms);
  return slowest !== undefined && slowest.ms >= slowMs ? slowest : undefined;
}

/** Facts that show a cause, by the code of the fault, the best first. */
const tellingFacts: Partial<Record<Fault['code'], readonly TraceFact['k'][]>> = {
  'name-not-found': ['address', 'channelRefused'],
  unreachable: ['address', 'channelRefused'],
  refused: ['address', 'channelRefused'],
  'connect-timeout': ['address', 'channelRefused'],
  'proxy-failed': ['output', 'address', 'carrier'],
  'not-identified': ['address', 'output', 'carrier'],
  'not-ssh': ['address', 'output', 'carrier'],
  'no-common-algorithm': ['offered'],
  'key-unknown': ['hostKey'],
  'key-changed': ['hostKey'],
  'key-revoked': ['hostKey'],
  'cert-refused': ['hostKey'],
  'auth-failed': ['identity', 'methods'],
  'auth-budget': ['identity', 'methods'],
  'key-unreadable': ['identity'],
  'user-cert-unusable': ['identity'],
  'agent-missing': ['agent'],
  'agent-refused': ['identity', 'agent'],
  'channel-limit': ['channelRefused'],
};

/** The last of the telling facts, on the server that the fault names; otherwise where the attempt ended. */
function causeOf(fault: Fault, hops: readonly HopDiagnosis[]): TraceEvent | undefined {
  const events = hops.flatMap((hop) => hop.events);
  const ended = events.findLast(({ fact }) => fact.k === 'ended');
  const place = ended?.hop ?? fault.hop;
  for (const kind of tellingFacts[fault.code] ?? []) {
    const found = events.findLast(({ hop, fact }) => hop === place && fact.k === kind);
    if (found !== undefined) return found;
  }
  return ended;
}
