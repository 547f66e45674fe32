import { compareIdentities, orderOf, signatureAlgorithms, type AuthIdentity } from './authIdentity.ts';

/** What does not change during one attempt. */
export interface AuthRules {
  readonly identities: readonly AuthIdentity[];
  readonly identitiesOnly: boolean;
  /** Whole methods in the order wanted; a method that is missing is not used. */
  readonly preferred: readonly string[] | undefined;
  readonly hasStoredPassword: boolean;
  /** Failed attempts after which the server is assumed to hang up; 6 where nothing else is known. At least 1 is made. */
  readonly attemptLimit: number;
  /** `NumberOfPasswordPrompts`, 3 by default: rounds of password and of keyboard-interactive. */
  readonly passwordRounds: number;
  /** Fingerprint of the key that opened this host last. */
  readonly lastSucceeded: string | undefined;
  /** With which algorithms a key may sign in, those of certificates included. */
  readonly accepted: readonly string[];
}

/** Why the sign-in is over. `needsSystemSsh`: the server offers only what the system's own `ssh` can do. */
export type AuthStopCause = 'failed' | 'budget' | 'cancelled' | 'needsSystemSsh';

export type AuthStep =
  | { readonly k: 'none' }
  | { readonly k: 'publickey'; readonly identity: AuthIdentity; readonly algorithm: string | undefined }
  | { readonly k: 'password'; readonly isStored: boolean }
  | { readonly k: 'keyboard-interactive' }
  | { readonly k: 'stop'; readonly why: AuthStopCause; readonly leftOut: readonly string[] };

export type AuthEvent =
  /** The server refused or, with `isPartial`, accepted and wants more. `wasAsked`: keyboard-interactive showed a prompt. */
  | {
      readonly k: 'answered';
      readonly methods: readonly string[];
      readonly isPartial: boolean;
      readonly serverTakes: readonly string[] | undefined;
      readonly wasAsked: boolean;
    }
  /** Nothing came of the step on our side. `wasOffered`: the server had seen it, so it counts. */
  | { readonly k: 'skipped'; readonly reason: string; readonly wasOffered: boolean }
  /** A person closed the prompt. */
  | { readonly k: 'cancelled' };

/** One line of the report: what was tried with which result. */
export interface AuthReport {
  readonly method: string;
  readonly label: string;
  readonly fingerprint: string | undefined;
  readonly result: 'refused' | 'partial' | 'skipped' | 'cancelled';
  readonly reason: string | undefined;
}

export interface AuthState {
  readonly rules: AuthRules;
  /** Undefined until the server has named its methods. */
  readonly allowed: readonly string[] | undefined;
  readonly serverTakes: readonly string[] | undefined;
  readonly step: AuthStep;
  readonly failures: number;
  /** Attempts that need not be made again, by `attemptKey`. */
  readonly spent: ReadonlySet<string>;
  readonly rounds: Readonly<Record<'password' | 'keyboard-interactive', number>>;
  readonly isStoredPasswordSpent: boolean;
  readonly wasCancelled: boolean;
  readonly reports: readonly AuthReport[];
}

/** Begins with `none`, which only asks for the methods and is not counted by servers. Source: ssh.md 2.1. */
export function beginAuth(rules: AuthRules): AuthState {
  return {
    rules,
    allowed: undefined,
    serverTakes: undefined,
    step: { k: 'none' },
    failures: 0,
    spent: new Set(),
    rounds: { password: 0, 'keyboard-interactive': 0 },
    isStoredPasswordSpent: false,
    wasCancelled: false,
    reports: [],
  };
}

/** The state with what was found out only when the server named a method that needs it. */
export function learnAuth(
  state: AuthState,
  found: Partial<Pick<AuthRules, 'identities' | 'hasStoredPassword'>>,
): AuthState {
  return { ...state, rules: { ...state.rules, ...found } };
}

/**
 * The state after an event; its `step` is what to do next. Pure. Each method fails alone and the next is tried; the engine stops one
 * failure short of the server's limit and keeps one attempt for a method that asks the user when one is offered.
 * Source: ssh.md 2.1, AG-1, AG-2, AG-6; TRAP-10.
 */
export function advanceAuth(state: AuthState, event: AuthEvent): AuthState {
  const after = afterEvent(state, event);
  const isOver = event.k === 'cancelled' && state.step.k !== 'publickey';
  return { ...after, step: isOver ? stop('cancelled') : nextStep(after) };
}

function afterEvent(state: AuthState, event: AuthEvent): AuthState {
  const { step } = state;
  if (step.k === 'stop') return state;
  const isPartial = event.k === 'answered' && event.isPartial;
  const counts =
    event.k === 'answered' ? step.k !== 'none' && !isPartial : event.k === 'skipped' && event.wasOffered;
  const isMute = step.k === 'keyboard-interactive' && event.k === 'answered' && !event.wasAsked && !isPartial;
  return {
    ...state,
    ...(event.k === 'answered' ? { allowed: event.methods, serverTakes: event.serverTakes } : {}),
    failures: state.failures + (counts ? 1 : 0),
    spent: new Set([
      // What said nothing may well ask once another method was accepted.
      ...[...state.spent].filter((key) => !isPartial || key !== 'keyboard-interactive'),
      ...spentBy(step, event),
      ...(isMute ? ['keyboard-interactive'] : []),
    ]),
    rounds: roundsAfter(state.rounds, step),
    isStoredPasswordSpent: state.isStoredPasswordSpent || (step.k === 'password' && step.isStored),
    wasCancelled: state.wasCancelled || event.k === 'cancelled',
    reports: step.k === 'none' ? state.reports : [...state.reports, reportOf(step, event)],
  };
}

function roundsAfter(rounds: AuthState['rounds'], step: AuthStep): AuthState['rounds'] {
  if (step.k === 'keyboard-interactive') return { ...rounds, [step.k]: rounds[step.k] + 1 };
  return step.k === 'password' && !step.isStored ? { ...rounds, password: rounds.password + 1 } : rounds;
}

/**
 * What an event makes pointless. A refusal is about the key or certificate, wherever it is kept, and about one algorithm; an acceptance
 * is about the key, also in a certificate; a failure of our own is about this identity.
 */
function spentBy(step: AuthStep, event: AuthEvent): readonly string[] {
  if (step.k !== 'publickey') return [];
  const { identity, algorithm } = step;
  if (event.k !== 'answered') return [identity.id];
  if (event.isPartial)
    return [identity.id, ...(identity.fingerprint === undefined ? [] : [identity.fingerprint])];
  return algorithm === undefined ? [identity.id] : [attemptKey(identity, algorithm)];
}

function attemptKey(identity: AuthIdentity, algorithm: string): string {
  return `${identity.certificate ?? identity.fingerprint ?? identity.id} ${algorithm}`;
}

function reportOf(step: Exclude<AuthStep, { k: 'none' | 'stop' }>, event: AuthEvent): AuthReport {
  const identity = step.k === 'publickey' ? step.identity : undefined;
  return {
    method: step.k,
    label: identity?.label ?? (step.k === 'password' && step.isStored ? 'stored' : ''),
    fingerprint: identity?.fingerprint,
    result: event.k === 'answered' ? (event.isPartial ? 'partial' : 'refused') : event.k,
    reason: event.k === 'skipped' ? event.reason : event.k === 'answered' ? identity?.warning : undefined,
  };
}

function stop(why: AuthStopCause, leftOut: readonly string[] = []): AuthStep {
  return { k: 'stop', why, leftOut };
}

function nextStep(state: AuthState): AuthStep {
  const candidates = candidatesOf(state);
  const left = Math.max(1, state.rules.attemptLimit - 1) - state.failures;
  const asking = candidates.find((step) => step.k !== 'publickey');
  const mustKeepOne = asking !== undefined && left <= 1;
  const next = mustKeepOne ? asking : candidates[0];
  if (next === undefined && state.wasCancelled) return stop('cancelled');
  if (next === undefined) return stop(offersOnlyForeign(state) ? 'needsSystemSsh' : 'failed');
  return left > 0 ? next : stop('budget', candidates.flatMap(labelsOf));
}

/** Labels of what was left out because of the budget so far: the keys that come before a method that asks. */
export function leftOutOf(state: AuthState): readonly string[] {
  if (state.step.k === 'stop') return state.step.leftOut;
  const { step } = state;
  if (step.k === 'publickey' || step.k === 'none') return [];
  const candidates = candidatesOf(state);
  return candidates
    .slice(
      0,
      Math.max(
        0,
        candidates.findIndex((candidate) => candidate.k === step.k),
      ),
    )
    .flatMap(labelsOf);
}

function labelsOf(step: AuthStep): readonly string[] {
  return step.k === 'publickey'
    ? [step.identity.label]
    : step.k === 'stop' || step.k === 'none'
      ? []
      : [step.k];
}

const ours = ['publickey', 'keyboard-interactive', 'password'];
const foreign = ['gssapi-with-mic', 'gssapi-keyex', 'hostbased'];

/** The methods that the server names and the configuration does not exclude are all among those we cannot do. */
function offersOnlyForeign({ allowed, rules }: AuthState): boolean {
  const wanted = (allowed ?? []).filter((method) => rules.preferred?.includes(method) ?? true);
  return wanted.some((method) => foreign.includes(method)) && !wanted.some((method) => ours.includes(method));
}

/** Everything that could still be tried, in order. */
function candidatesOf(state: AuthState): readonly AuthStep[] {
  const allowed = state.allowed ?? [];
  const order = state.rules.preferred ?? ours;
  const methods = order.filter((method) => allowed.includes(method));
  const keys = methods.includes('publickey') ? keySteps(state) : [];
  const early = keys.filter(({ identity }) => orderOf(identity) !== 7);
  const late = keys.filter(({ identity }) => orderOf(identity) === 7);
  const steps = methods.flatMap((method): readonly AuthStep[] => {
    switch (method) {
      case 'publickey':
        return early;
      case 'password':
        return passwordSteps(state);
      case 'keyboard-interactive':
        return interactiveSteps(state);
      default:
        return [];
    }
  });
  return [...steps, ...late];
}

function keySteps(state: AuthState): readonly (AuthStep & { k: 'publickey' })[] {
  const { rules, spent } = state;
  const usable = rules.identities.filter(
    (identity) =>
      !spent.has(identity.id) &&
      !(identity.fingerprint !== undefined && spent.has(identity.fingerprint)) &&
      (identity.isConfigured || identity.source === 'keyFile' || !rules.identitiesOnly),
  );
  const signing = { serverTakes: state.serverTakes, accepted: rules.accepted };
  return usable
    .toSorted(compareIdentities(rules.lastSucceeded))
    .flatMap((identity): readonly (AuthStep & { k: 'publickey' })[] => {
      if (identity.keyType === undefined) return [{ k: 'publickey', identity, algorithm: undefined }];
      const algorithm = signatureAlgorithms(identity.keyType, signing).find(
        (name) => !spent.has(attemptKey(identity, name)),
      );
      return algorithm === undefined ? [] : [{ k: 'publickey', identity, algorithm }];
    });
}

function passwordSteps(state: AuthState): readonly AuthStep[] {
  if (state.rules.hasStoredPassword && !state.isStoredPasswordSpent)
    return [{ k: 'password', isStored: true }];
  return state.rounds.password < state.rules.passwordRounds ? [{ k: 'password', isStored: false }] : [];
}

function interactiveSteps(state: AuthState): readonly AuthStep[] {
  const isOpen =
    !state.spent.has('keyboard-interactive') &&
    state.rounds['keyboard-interactive'] < state.rules.passwordRounds;
  return isOpen ? [{ k: 'keyboard-interactive' }] : [];
}
