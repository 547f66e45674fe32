import type { LogPort } from '../../src/application/ports/prompts.ts';

/** Keeps nothing. */
export const silentLog: LogPort = { trace: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Keeps every line as `level component: message`. */
export function recordingLog(): LogPort & { readonly lines: readonly string[] } {
  const lines: string[] = [];
  const at = (level: string) => (component: string, message: string) =>
    void lines.push(`${level} ${component}: ${message}`);
  return { lines, trace: at('trace'), info: at('info'), warn: at('warn'), error: at('error') };
}
