import type { Connection } from './connection.ts';
import type { Statement } from './storeWorker.ts';

/** Parts of the store that are watched on their own. */
export type Area = 'hosts' | 'knownHosts' | 'conversations';

const raiseSql = 'UPDATE changes SET revision = 1 + (SELECT max(revision) FROM changes) WHERE area = ?';

/** Gives an area the next revision, in the transaction that changes its rows. */
export function raiseRevision(connection: Connection, area: Area): void {
  connection.run(raiseSql, area);
}

/** The same as a statement for a worker. */
export function revisionStatement(area: Area): Statement {
  return { sql: raiseSql, values: [area] };
}

/** Areas whose rows changed after `revision`, here or in another window, and the newest revision among them. */
export function changesAfter(
  connection: Connection,
  revision: number,
): { readonly areas: readonly Area[]; readonly revision: number } {
  const rows = connection.all(
    'SELECT area, revision FROM changes WHERE revision > ? ORDER BY revision',
    revision,
  );
  return {
    areas: rows.map((row) => row['area']).filter(isArea),
    revision: Math.max(revision, ...rows.map((row) => Number(row['revision']))),
  };
}

function isArea(value: unknown): value is Area {
  return value === 'hosts' || value === 'knownHosts' || value === 'conversations';
}
