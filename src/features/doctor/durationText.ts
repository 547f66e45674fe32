import { env, l10n } from 'vscode';

/** `12 ms`, `1.5 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return l10n.t('{0} ms', Math.round(ms));
  return l10n.t(
    '{0} s',
    new Intl.NumberFormat(env.language, { maximumFractionDigits: 1 }).format(ms / 1_000),
  );
}
