import { leftOutOf, type AuthReport, type AuthState } from './authEngine.ts';
import type { ConnectionFaultCode } from './connectionFault.ts';
import { showUntrusted } from './untrustedText.ts';

type Facts = Readonly<Record<string, string>>;

/** A file that could not be used as it was meant, and why. */
export interface IdentityProblem {
  readonly path: string;
  readonly reason: string;
}

/** What the engine does not see and the sentence of a failed sign-in needs. Texts from outside are sanitised by `authFault`. */
export interface AuthCircumstances {
  readonly keyProblems: readonly IdentityProblem[];
  /** Certificates that were not offered. */
  readonly certificateProblems: readonly IdentityProblem[];
  /** Nothing but an agent was wanted. */
  readonly wantsAgent: boolean;
  readonly agent: {
    readonly endpoint: string | undefined;
    /** Why no agent could be asked. */
    readonly missing: string | undefined;
    /** Why one did not sign. */
    readonly refusal: string | undefined;
  };
  /** Why the server did not take a new password in place of an expired one. */
  readonly passwordChange: string | undefined;
}

/** More names than this are counted, not listed. */
const maxNames = 6;

/** Facts for the sentence of a failed sign-in: what was tried with which result, what was left out, what the server offers. */
export function authFacts(state: AuthState): Facts {
  const leftOut = leftOutOf(state);
  return {
    tried: state.reports.length === 0 ? 'nothing' : state.reports.map(describeReport).join('; '),
    offered: (state.allowed ?? []).map((method) => showUntrusted(method)).join(', '),
    ...(leftOut.length === 0 ? {} : { leftOut: someOf(leftOut) }),
  };
}

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map((name) => showUntrusted(name));
  const rest = names.length - shown.length;
  return [...shown, ...(rest === 0 ? [] : [`${String(rest)} more`])].join(', ');
}

/** `publickey ~/.ssh/id_ed25519 SHA256:…: refused`. */
export function describeReport(report: AuthReport): string {
  const result = describeResult(report);
  const subject = [report.method, showUntrusted(report.label), report.fingerprint ?? '']
    .filter(Boolean)
    .join(' ');
  return `${subject}: ${result}`;
}

/** `refused`, or `not tried, the agent declined`. */
export function describeResult({ result, reason }: Pick<AuthReport, 'result' | 'reason'>): string {
  const words = {
    refused: 'refused',
    partial: 'accepted, more wanted',
    skipped: 'not tried',
    cancelled: 'cancelled',
  }[result];
  return reason === undefined ? words : `${words}, ${showUntrusted(reason)}`;
}

/**
 * The one cause of a sign-in that has stopped. What was wrong on this side counts only where the server refused nothing: otherwise the
 * refusal is the news. Source: ssh.md 1.4.
 */
export function authFault(
  state: AuthState,
  circumstances: AuthCircumstances,
): { readonly code: ConnectionFaultCode; readonly facts: Facts } {
  const facts = authFacts(state);
  const why = state.step.k === 'stop' ? state.step.why : 'failed';
  if (why === 'cancelled') return { code: 'auth-cancelled', facts };
  if (why === 'needsSystemSsh')
    return { code: 'needs-system-ssh', facts: { ...facts, option: foreignMethod(state.allowed ?? []) } };
  const { keyProblems, certificateProblems, wantsAgent, agent, passwordChange } = circumstances;
  if (passwordChange !== undefined)
    return { code: 'password-change-failed', facts: { ...facts, reason: showUntrusted(passwordChange) } };
  const wasRefused = state.reports.some(({ result }) => result === 'refused' || result === 'partial');
  const endpoint = agent.endpoint ?? 'none';
  if (!wasRefused && keyProblems[0] !== undefined)
    return { code: 'key-unreadable', facts: { ...facts, ...shown(keyProblems[0]) } };
  if (!wasRefused && wantsAgent && agent.missing !== undefined)
    return { code: 'agent-missing', facts: { ...facts, endpoint, reason: showUntrusted(agent.missing) } };
  if (!wasRefused && agent.refusal !== undefined)
    return { code: 'agent-refused', facts: { ...facts, endpoint, reason: showUntrusted(agent.refusal) } };
  // A password or code that was refused is the news, whatever else there might have been.
  const wasAsked = state.reports.some(({ method, result }) => method !== 'publickey' && result === 'refused');
  if (!wasAsked && certificateProblems[0] !== undefined)
    return { code: 'user-cert-unusable', facts: { ...facts, ...shown(certificateProblems[0]) } };
  return { code: why === 'budget' ? 'auth-budget' : 'auth-failed', facts };
}

function shown({ path, reason }: IdentityProblem): Facts {
  return { path: showUntrusted(path), reason: showUntrusted(reason) };
}

function foreignMethod(allowed: readonly string[]): string {
  return allowed.some((method) => method.startsWith('gssapi')) ? 'GSSAPI' : 'hostbased';
}
