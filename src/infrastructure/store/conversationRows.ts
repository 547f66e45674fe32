import type { ConversationId, ConversationSummary, PermissionMode, RunId } from '../../agentkit/index.ts';
import type { Connection, Row } from './connection.ts';
import type { LeaseOwner } from './leases.ts';
import { isLive, readRun } from './runRecords.ts';

interface Viewer {
  readonly self: LeaseOwner;
  readonly now: number;
}

const columns = `id, title, system_prompt, permission_mode, model_ref, pinned, archived, place, planning, created_at, updated_at,
  message_count, (SELECT runs.id FROM runs WHERE runs.conversation_id = conversations.id
    ORDER BY started_at DESC, runs.id DESC LIMIT 1) AS newest_run`;

/** One conversation without its rows; undefined when there is none. */
export function readSummary(
  connection: Connection,
  id: ConversationId,
  viewer: Viewer,
): { readonly summary: ConversationSummary; readonly systemPrompt: string } | undefined {
  const row = connection.get(`SELECT ${columns} FROM conversations WHERE id = ?`, id);
  if (row === undefined) return undefined;
  return { summary: toSummary(connection, row, viewer), systemPrompt: String(row['system_prompt']) };
}

/** Newest first, at most `limit`, behind the place where the page before ended. */
export function readPage(
  connection: Connection,
  page: { readonly after: ConversationSummary | undefined; readonly limit: number },
  viewer: Viewer,
): readonly ConversationSummary[] {
  const rows =
    page.after === undefined
      ? connection.all(
          `SELECT ${columns} FROM conversations ORDER BY updated_at DESC, id LIMIT ?`,
          page.limit,
        )
      : connection.all(
          `SELECT ${columns} FROM conversations WHERE updated_at <= ? AND (updated_at < ? OR id > ?)
           ORDER BY updated_at DESC, id LIMIT ?`,
          page.after.updatedAt,
          page.after.updatedAt,
          page.after.id,
          page.limit,
        );
  return rows.map((row) => toSummary(connection, row, viewer));
}

function toSummary(connection: Connection, row: Row, { self, now }: Viewer): ConversationSummary {
  const newest = row['newest_run'];
  const run = typeof newest === 'string' ? readRun(connection, newest as RunId) : undefined;
  return {
    id: row['id'] as ConversationId,
    title: String(row['title']),
    modelRef: String(row['model_ref']),
    permissionMode: toMode(row['permission_mode']),
    pinned: row['pinned'] === 1,
    archived: row['archived'] === 1,
    order: typeof row['place'] === 'number' ? row['place'] : null,
    planning: row['planning'] === 1,
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    messageCount: Number(row['message_count']),
    ...(run === undefined ? {} : { run: { id: run.id, state: run.state, live: isLive(run, self, now) } }),
  };
}

/** A mode that this build does not know asks. */
function toMode(value: unknown): PermissionMode {
  return value === 'review' || value === 'full' ? value : 'ask';
}
