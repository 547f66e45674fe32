import type { HostStorePort } from '../../application/ports/hosts.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import { localFault } from '../../domain/fault.ts';
import type { HostFacts, HostRecord } from '../../domain/host/host.ts';
import type { HostId } from '../../domain/host/hostId.ts';
import type { Row } from './connection.ts';
import { decodeJson } from './decode.ts';
import { storedConnect, storedFacts, storedHost } from './hostRows.ts';
import type { StoreDatabase } from './storeDatabase.ts';

/** Connects that are remembered. Source: ssh.md 10.1, "Recents". */
const recentLimit = 50;
const pageRows = 200;

export class SqliteHostStore implements HostStorePort {
  readonly #database: StoreDatabase;
  readonly #log: LogPort;

  constructor(database: StoreDatabase, log: LogPort) {
    this.#database = database;
    this.#log = log;
  }

  async list(): Promise<readonly HostRecord[]> {
    const hosts: HostRecord[] = [];
    for (let after = ''; ;) {
      const rows = await this.#database.read((connection) =>
        connection.all(
          'SELECT id, revision, record FROM hosts WHERE id > ? ORDER BY id LIMIT ?',
          after,
          pageRows,
        ),
      );
      for (const row of rows) {
        const host = this.#decode(row);
        if (host !== undefined) hosts.push(host);
      }
      if (rows.length < pageRows) return hosts;
      after = String(rows.at(-1)?.['id']);
    }
  }

  async get(id: HostId): Promise<HostRecord | undefined> {
    const row = await this.#database.read((connection) =>
      connection.get('SELECT id, revision, record FROM hosts WHERE id = ?', id),
    );
    return row === undefined ? undefined : this.#decode(row);
  }

  put(record: HostRecord): Promise<HostRecord> {
    const { revision, ...host } = record;
    const json = JSON.stringify(host);
    return this.#database.write({ area: 'hosts', isDurable: true }, (connection) => {
      const changed =
        revision === 0
          ? connection.run(
              'INSERT OR IGNORE INTO hosts (id, revision, record) VALUES (?, 1, ?)',
              host.id,
              json,
            )
          : connection.run(
              'UPDATE hosts SET revision = revision + 1, record = ? WHERE id = ? AND revision = ?',
              json,
              host.id,
              revision,
            );
      if (changed === 0) throw localFault('stale-write');
      return { ...record, revision: revision + 1 };
    });
  }

  /** Facts and connects go with the record; accepted host keys belong to the name and stay. */
  remove(id: HostId): Promise<void> {
    const statements = [
      'DELETE FROM hosts WHERE id = ?',
      'DELETE FROM host_facts WHERE host_id = ?',
      'DELETE FROM connects WHERE host_id = ?',
    ].map((sql) => ({ sql, values: [id] }));
    return this.#database.bulk(statements, { area: 'hosts', reclaim: true });
  }

  recordConnect(entry: {
    readonly hostId: HostId;
    readonly at: number;
    readonly ok: boolean;
  }): Promise<void> {
    return this.#database.write({ area: 'hosts' }, (connection) => {
      connection.run(
        'INSERT INTO connects (host_id, at, ok) VALUES (?, ?, ?)',
        entry.hostId,
        entry.at,
        entry.ok ? 1 : 0,
      );
      connection.run(
        'DELETE FROM connects WHERE id <= (SELECT id FROM connects ORDER BY id DESC LIMIT 1 OFFSET ?)',
        recentLimit,
      );
    });
  }

  async recents(): Promise<
    readonly { readonly hostId: HostId; readonly at: number; readonly ok: boolean }[]
  > {
    const rows = await this.#database.read((connection) =>
      connection.all('SELECT host_id, at, ok FROM connects ORDER BY id DESC LIMIT ?', recentLimit),
    );
    return rows.flatMap((row) => {
      const connect = storedConnect.safeParse(row);
      return connect.success ? [connect.data] : [];
    });
  }

  async facts(id: HostId): Promise<HostFacts> {
    const row = await this.#database.read((connection) =>
      connection.get('SELECT facts FROM host_facts WHERE host_id = ?', id),
    );
    return row === undefined ? {} : this.#decodeFacts(row, id);
  }

  learn(id: HostId, facts: HostFacts): Promise<void> {
    return this.#database.write({ area: 'hosts' }, (connection) => {
      const row = connection.get('SELECT facts FROM host_facts WHERE host_id = ?', id);
      const known = row === undefined ? {} : this.#decodeFacts(row, id);
      connection.run(
        'INSERT OR REPLACE INTO host_facts (host_id, facts) VALUES (?, ?)',
        id,
        JSON.stringify({ ...known, ...facts }),
      );
    });
  }

  #decode(row: Row): HostRecord | undefined {
    const name = `the host ${String(row['id'])}`;
    const host = decodeJson(storedHost, row['record'], { name, log: this.#log });
    return host === undefined ? undefined : { ...host, revision: Number(row['revision']) };
  }

  #decodeFacts(row: Row, id: HostId): HostFacts {
    return (
      decodeJson(storedFacts, row['facts'], { name: `what is known of host ${id}`, log: this.#log }) ?? {}
    );
  }
}
