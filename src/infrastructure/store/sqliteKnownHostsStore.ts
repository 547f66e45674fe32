import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type {
  KnownHostKey,
  KnownHostRow,
  KnownHostsChange,
  KnownHostsStorePort,
  TrustAuditLine,
} from '../../application/ports/knownHosts.ts';
import type { SeenCertificate } from '../../domain/trust/seenCertificate.ts';
import type { Connection } from './connection.ts';
import { knownHostsText, replaceFile } from './knownHostsFile.ts';
import type { StoreDatabase } from './storeDatabase.ts';

const storedRow = z
  .object({
    name: z.string(),
    port: z.number(),
    key_type: z.string(),
    key_base64: z.string(),
    origin: z.string(),
    added_at: z.number(),
    last_used_at: z.number().nullable(),
    marker: z.literal('cert-authority').nullable(),
  })
  .transform((row): KnownHostRow => ({
    name: row.name,
    port: row.port,
    keyType: row.key_type,
    keyBase64: row.key_base64,
    origin: row.origin,
    addedAt: row.added_at,
    ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at }),
    ...(row.marker === null ? {} : { marker: row.marker }),
  }));

const auditRow = z
  .object({
    at: z.number(),
    name: z.string(),
    port: z.number(),
    old_key: z.string(),
    new_key: z.string().nullable(),
    actor: z.enum(['person', 'server']),
    reason: z.string().nullable(),
  })
  .transform(({ at, name, port, old_key, new_key, actor, reason }): TrustAuditLine => ({
    at,
    name,
    port,
    oldKey: old_key,
    ...(new_key === null ? {} : { newKey: new_key }),
    actor,
    ...(reason === null ? {} : { reason }),
  }));

/** A JSON list of texts in a column. */
const jsonTexts = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('not JSON');
      return z.NEVER;
    }
  })
  .pipe(z.array(z.string()));

const certificateRow = z
  .object({
    name: z.string(),
    port: z.number(),
    key_type: z.string(),
    serial: z.string(),
    key_id: z.string(),
    principals: jsonTexts,
    valid_from: z.number().nullable(),
    valid_until: z.number().nullable(),
    authority: z.string(),
    seen_at: z.number(),
  })
  .transform((row): SeenCertificate => ({
    name: row.name,
    port: row.port,
    keyType: row.key_type,
    serial: row.serial,
    keyId: row.key_id,
    principals: row.principals,
    validFrom: row.valid_from ?? undefined,
    validUntil: row.valid_until ?? undefined,
    authority: row.authority,
    seenAt: row.seen_at,
  }));

/**
 * Rows are the truth. The file at `path` is written from them while the write lock is held, so that two windows cannot write it in
 * the wrong order. Source: decisions 12; ssh.md 3.5.
 */
export class SqliteKnownHostsStore implements KnownHostsStorePort {
  readonly #database: StoreDatabase;
  readonly #path: string;

  constructor(database: StoreDatabase, path: string) {
    this.#database = database;
    this.#path = path;
  }

  rows(): Promise<readonly KnownHostRow[]> {
    return this.#database.read(readRows);
  }

  add(row: KnownHostRow): Promise<void> {
    return this.change({ remove: [], add: [row], audit: [] });
  }

  change({ remove, add, audit }: KnownHostsChange): Promise<void> {
    return this.#change((connection) => {
      for (const key of remove) removeRow(connection, key);
      for (const row of add) addRow(connection, row);
      for (const line of audit) addAuditLine(connection, line);
    });
  }

  /** The file says nothing about uses, and nobody waits for them. */
  async noteUse({ name, port, keyBase64 }: KnownHostKey, at: number): Promise<void> {
    await this.#database.write({}, (connection) =>
      connection.run(
        'UPDATE known_hosts SET last_used_at = ? WHERE name = ? AND port = ? AND key_base64 = ?',
        at,
        name,
        port,
        keyBase64,
      ),
    );
  }

  /** As for uses: the file says nothing about it. */
  async noteCertificate(certificate: SeenCertificate): Promise<void> {
    const { name, port, keyType, serial, keyId, principals, validFrom, validUntil, authority, seenAt } =
      certificate;
    await this.#database.write({}, (connection) =>
      connection.run(
        `INSERT OR REPLACE INTO host_certificates
         (name, port, key_type, serial, key_id, principals, valid_from, valid_until, authority, seen_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[name, port, keyType, serial, keyId, JSON.stringify(principals)],
        ...[validFrom ?? null, validUntil ?? null, authority, seenAt],
      ),
    );
  }

  certificates(): Promise<readonly SeenCertificate[]> {
    return this.#database.read((connection) =>
      connection.all('SELECT * FROM host_certificates ORDER BY name, port').flatMap((row) => {
        const certificate = certificateRow.safeParse(row);
        return certificate.success ? [certificate.data] : [];
      }),
    );
  }

  audit(): Promise<readonly TrustAuditLine[]> {
    return this.#database.read((connection) =>
      connection
        .all('SELECT at, name, port, old_key, new_key, actor, reason FROM trust_audit ORDER BY key DESC')
        .flatMap((row) => {
          const line = auditRow.safeParse(row);
          return line.success ? [line.data] : [];
        }),
    );
  }

  /** Writes the file again when it is not what the rows say, for example after a crash between the two. */
  async repairFile(): Promise<void> {
    const rows = await this.rows();
    const text = this.#currentText();
    const isRight = text === undefined ? rows.length === 0 : text === knownHostsText(rows);
    if (!isRight) await this.#change(() => {});
  }

  async #change(change: (connection: Connection) => void): Promise<void> {
    let replacements = 0;
    try {
      await this.#database.write({ area: 'knownHosts', isDurable: true }, (connection) => {
        change(connection);
        replacements++;
        replaceFile(this.#path, knownHostsText(readRows(connection)));
      });
    } catch (error) {
      if (replacements > 0) await this.#undoFile();
      throw error;
    }
  }

  /** The transaction was undone: the file must not accept a key that the store does not know. */
  async #undoFile(): Promise<void> {
    try {
      replaceFile(this.#path, knownHostsText(await this.rows()));
    } catch {
      // The reason of the failed change is reported; the file is repaired at the next start.
    }
  }

  #currentText(): string | undefined {
    try {
      return readFileSync(this.#path, 'utf8');
    } catch {
      return undefined;
    }
  }
}

function readRows(connection: Connection): readonly KnownHostRow[] {
  return connection
    .all(
      `SELECT name, port, key_type, key_base64, origin, added_at, last_used_at, marker
       FROM known_hosts ORDER BY name, port, key_type, key_base64`,
    )
    .flatMap((row) => {
      const known = storedRow.safeParse(row);
      return known.success ? [known.data] : [];
    });
}

function addRow(connection: Connection, row: KnownHostRow): void {
  connection.run(
    `INSERT OR IGNORE INTO known_hosts (name, port, key_type, key_base64, origin, added_at, marker)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    row.name,
    row.port,
    row.keyType,
    row.keyBase64,
    row.origin,
    row.addedAt,
    row.marker ?? null,
  );
}

function removeRow(connection: Connection, { name, port, keyBase64 }: KnownHostKey): void {
  connection.run(
    'DELETE FROM known_hosts WHERE name = ? AND port = ? AND key_base64 = ?',
    name,
    port,
    keyBase64,
  );
}

function addAuditLine(connection: Connection, line: TrustAuditLine): void {
  connection.run(
    `INSERT INTO trust_audit (at, name, port, old_key, new_key, actor, reason)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    line.at,
    line.name,
    line.port,
    line.oldKey,
    line.newKey ?? null,
    line.actor,
    line.reason ?? null,
  );
}
