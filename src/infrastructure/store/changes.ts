import { storeAreas, type StoreArea } from '../../application/ports/store.ts';
import type { Connection } from './connection.ts';
import type { Statement } from './storeWorker.ts';

const raiseSql = 'UPDATE changes SET revision = 1 + (SELECT max(revision) FROM changes) WHERE area = ?';

/** Gives an area the next revision, in the transaction that changes its rows. */
export function raiseRevision(connection: Connection, area: StoreArea): void {
  connection.run(raiseSql, area);
}

/** The same as a statement for a worker. */
export function revisionStatement(area: StoreArea): Statement {
  return { sql: raiseSql, values: [area] };
}

/** Areas whose rows changed after `revision`, here or in another window, and the newest revision among them. */
export function changesAfter(
  connection: Connection,
  revision: number,
): { readonly areas: readonly StoreArea[]; readonly revision: number } {
  const rows = connection.all(
    'SELECT area, revision FROM changes WHERE revision > ? ORDER BY revision',
    revision,
  );
  return {
    areas: rows.map((row) => row['area']).filter(isArea),
    revision: Math.max(revision, ...rows.map((row) => Number(row['revision']))),
  };
}

function isArea(value: unknown): value is StoreArea {
  return storeAreas.some((area) => area === value);
}
