import { parseJsonObject, sortedJson, type Redactor } from '../../agentkit/index.ts';
import type { OperationRow, OperationsPort } from '../ports/operations.ts';
import type { KeptHead } from './verifyLog.ts';

/**
 * The whole log as one JSON document that can be verified without Termind: `docs/operations-log.md` says how. A row whose text holds what
 * only later became known as a secret is given with `withheld`, its redacted text: its own hash cannot be recomputed then. Never localised.
 * Rejects as `OperationsPort`, or with the signal's reason.
 */
export async function exportOperations(
  log: OperationsPort,
  about: { readonly redactor: Redactor; readonly kept: KeptHead | undefined; readonly at: number },
  signal: AbortSignal,
): Promise<string> {
  const { anchor } = await log.bounds();
  const rows: string[] = [];
  let head = anchor;
  for await (const row of log.rows(anchor.seq)) {
    signal.throwIfAborted();
    head = { seq: row.seq, hash: row.hash };
    rows.push(`    ${JSON.stringify(exportedRow(row, about.redactor))}`);
  }
  return `{
  "format": "termind operations log",
  "version": 1,
  "exportedAt": ${JSON.stringify(new Date(about.at).toISOString())},
  "anchor": ${JSON.stringify(anchor)},
  "head": ${JSON.stringify(head)},
  "kept": ${JSON.stringify(about.kept ?? null)},
  "rows": [${rows.length === 0 ? '' : `\n${rows.join(',\n')}\n  `}]
}
`;
}

function exportedRow({ seq, hash, text }: OperationRow, redactor: Redactor): object {
  const known = parseJsonObject(text);
  if (known === undefined) return { seq, hash, withheld: redactor.redact(text) };
  const clean = sortedJson(redactor.redactJson(known));
  return clean === sortedJson(known) ? { seq, hash, text } : { seq, hash, withheld: clean };
}
