import { leftOutOf, type AuthReport, type AuthState } from './authEngine.ts';
import { showUntrusted } from './untrustedText.ts';

/** Facts for the sentence of a failed sign-in: what was tried with which result, what was left out, what the server offers. */
export function authFacts(state: AuthState): Readonly<Record<string, string>> {
  const leftOut = leftOutOf(state);
  return {
    tried: state.reports.length === 0 ? 'nothing' : state.reports.map(describeReport).join('; '),
    offered: (state.allowed ?? []).map((method) => showUntrusted(method)).join(', '),
    ...(leftOut.length === 0 ? {} : { leftOut: leftOut.join(', ') }),
  };
}

/** `publickey ~/.ssh/id_ed25519 SHA256:…: refused`. */
export function describeReport(report: AuthReport): string {
  const result = {
    refused: 'refused',
    partial: 'accepted, more wanted',
    skipped: 'not tried',
    cancelled: 'cancelled',
  }[report.result];
  const subject = [report.method, showUntrusted(report.label), report.fingerprint ?? '']
    .filter(Boolean)
    .join(' ');
  return report.reason === undefined
    ? `${subject}: ${result}`
    : `${subject}: ${result}, ${showUntrusted(report.reason)}`;
}
