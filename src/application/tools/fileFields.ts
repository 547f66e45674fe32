import type { JsonObject } from '../../agentkit/index.ts';
import { kindOf, type EntryKind, type FileAttributes } from '../../domain/files/fileAttributes.ts';
import { octalMode } from '../../domain/files/permissions.ts';

/** ISO 8601 of the server's seconds; null when it does not tell. */
export function timeText(seconds: number | undefined): string | null {
  if (seconds === undefined) return null;
  const time = new Date(seconds * 1_000);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

export function modeText({ mode }: FileAttributes): string | null {
  return mode === undefined ? null : octalMode(mode);
}

/** What a server does not name the kind of is nothing that these tools handle. */
export function kindText(attributes: FileAttributes): EntryKind {
  return kindOf(attributes) ?? 'other';
}

/** What a listing and a look at one path both say. Source: tools.md, `sftp_list` and `sftp_stat`. */
export function attributeFields(attributes: FileAttributes): JsonObject {
  const { size, owner, times } = attributes;
  return {
    kind: kindText(attributes),
    size: size ?? null,
    mode: modeText(attributes),
    modified_at: timeText(times?.modified),
    uid: owner?.uid ?? null,
    gid: owner?.gid ?? null,
  };
}
