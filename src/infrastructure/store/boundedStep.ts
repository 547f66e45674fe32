import type { Row } from './connection.ts';

/**
 * What one step on the calling thread reads and decodes before others run: a few milliseconds, far below the bounds of vscode.md 9
 * (200 rows, 1 MiB) and 16 (10 ms). One row may be larger.
 */
const stepRows = 50;
const stepLength = 128 * 1024;

/** Rows of a query by a rising key, at most one step of them. Lengths are UTF-16 units of the columns named in `measured`. */
export function boundedStep(
  rows: Iterable<Row>,
  measured: readonly string[],
): { readonly rows: Row[]; readonly isLast: boolean } {
  const taken: Row[] = [];
  let length = 0;
  for (const row of rows) {
    taken.push(row);
    for (const column of measured) length += typeof row[column] === 'string' ? row[column].length : 0;
    if (taken.length >= stepRows || length >= stepLength) return { rows: taken, isLast: false };
  }
  return { rows: taken, isLast: true };
}
