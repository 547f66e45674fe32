import { randomUUID } from 'node:crypto';
import type { ClockPort, ConversationId, Grant, GrantShape } from '../../agentkit/index.ts';
import type { GrantStorePort } from '../../application/ports/grants.ts';
import type { LogPort } from '../../application/ports/prompts.ts';
import { localFault } from '../../domain/fault.ts';
import type { Row } from './connection.ts';
import { decodeJson } from './decode.ts';
import { grantPayload, shapeText } from './grantRows.ts';
import type { StoreDatabase } from './storeDatabase.ts';

export interface SqliteGrantsOptions {
  readonly database: StoreDatabase;
  readonly clock: ClockPort;
  readonly log: LogPort;
}

/** Grants of all windows. Faults are those of `StoreDatabase`. A row that cannot be read covers nothing. */
export class SqliteGrants implements GrantStorePort {
  readonly #options: SqliteGrantsOptions;

  constructor(options: SqliteGrantsOptions) {
    this.#options = options;
  }

  async covering(conversation: ConversationId, shape: GrantShape): Promise<Grant | undefined> {
    const row = await this.#options.database.read((connection) =>
      connection.get(
        'SELECT id, payload FROM grants WHERE conversation_id = ? AND shape = ?',
        conversation,
        shapeText(shape),
      ),
    );
    return row && this.#read(row);
  }

  give(conversation: ConversationId, shape: GrantShape): Promise<Grant> {
    const { database, clock } = this.#options;
    const grant: Grant = { id: randomUUID(), shape, givenAt: clock.now() };
    return database.write({ area: 'conversations' }, (connection) => {
      if (connection.get('SELECT 1 FROM conversations WHERE id = ?', conversation) === undefined)
        throw localFault('stale-write');
      connection.run(
        'INSERT OR IGNORE INTO grants (id, conversation_id, shape, payload, given_at) VALUES (?, ?, ?, ?, ?)',
        grant.id,
        conversation,
        shapeText(shape),
        JSON.stringify(grant),
        grant.givenAt,
      );
      const row = connection.get(
        'SELECT id, payload FROM grants WHERE conversation_id = ? AND shape = ?',
        conversation,
        shapeText(shape),
      );
      return (row && this.#read(row)) ?? grant;
    });
  }

  async list(conversation: ConversationId): Promise<readonly Grant[]> {
    const rows = await this.#options.database.read((connection) =>
      connection.all(
        'SELECT id, payload FROM grants WHERE conversation_id = ? ORDER BY given_at, rowid',
        conversation,
      ),
    );
    return rows.map((row) => this.#read(row)).filter((grant) => grant !== undefined);
  }

  revoke(conversation: ConversationId, grant: string): Promise<boolean> {
    return this.#options.database.write({ area: 'conversations' }, (connection) => {
      const removed = connection.run(
        'DELETE FROM grants WHERE conversation_id = ? AND id = ?',
        conversation,
        grant,
      );
      return removed > 0;
    });
  }

  #read({ id, payload }: Row): Grant | undefined {
    return decodeJson(grantPayload, payload, { name: `grant ${String(id)}`, log: this.#options.log });
  }
}
