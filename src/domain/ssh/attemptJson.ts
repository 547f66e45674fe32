import type { AttemptRecord } from './redactAttempt.ts';

/** An attempt as JSON for other programs; `version` grows with the shape. Ends with a line break. Source: ssh.md 1.10. */
export function attemptJson({ label, fault, traces }: AttemptRecord): string {
  const servers = traces.map(({ startedAt, events }) => ({
    startedAt: new Date(startedAt).toISOString(),
    events: events.map(({ atMs, hop, fact: { k, ...fact } }) => ({ atMs, hop, kind: k, ...fact })),
  }));
  const json = { format: 'termind-connection-trace', version: 1, host: label, fault: fault ?? null, servers };
  return `${JSON.stringify(json, null, 2)}\n`;
}
