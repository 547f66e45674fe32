import type { Connection } from '../connection.ts';

/**
 * The full-text index over `message_texts`. Triggers keep it in step, so that no way of removing a message can leave its words
 * behind: setting `is_indexed` puts a text in, clearing it or removing the row takes it out, physically and in the same transaction
 * (`secure-delete`). The words of the table are the words of the index; `conversation` is one word.
 *
 * `unicode61` and not `trigram`: on a million messages its index has a quarter of the size and answers in a tenth of the time, and
 * text without spaces comes separated into characters, which a trigram cannot find below three of them.
 * Source: vscode.md 9; decisions 28; https://sqlite.org/fts5.html sections 4.4.4 and 6.13.
 */
const createIndex = `
CREATE VIRTUAL TABLE IF NOT EXISTS message_index USING fts5 (
  conversation, text, content = 'message_texts', content_rowid = 'key', columnsize = 0,
  tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO message_index (message_index) VALUES ('delete-all');
INSERT INTO message_index (message_index, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER message_indexed AFTER UPDATE OF is_indexed ON message_texts
  WHEN old.is_indexed = 0 AND new.is_indexed = 1 BEGIN
  INSERT INTO message_index (rowid, conversation, text) VALUES (new.key, new.conversation, new.text);
END;
CREATE TRIGGER message_unindexed AFTER UPDATE OF is_indexed ON message_texts
  WHEN old.is_indexed = 1 AND new.is_indexed = 0 BEGIN
  INSERT INTO message_index (message_index, rowid, conversation, text)
    VALUES ('delete', old.key, old.conversation, old.text);
END;
CREATE TRIGGER message_text_removed AFTER DELETE ON message_texts WHEN old.is_indexed = 1 BEGIN
  INSERT INTO message_index (message_index, rowid, conversation, text)
    VALUES ('delete', old.key, old.conversation, old.text);
END;
`;

/** Without the module its tables are ordinary ones; their rows are all of the index. */
const emptyIndex = `
DROP TRIGGER message_indexed;
DROP TRIGGER message_unindexed;
DROP TRIGGER message_text_removed;
DELETE FROM message_index_data;
DELETE FROM message_index_idx;
UPDATE message_texts SET is_indexed = 0 WHERE is_indexed = 1;
`;

/** The runtime's SQLite was built with full-text search. */
export function hasFullText(connection: Connection): boolean {
  return connection.get("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") !== undefined;
}

/** The index exists and is kept. */
export function hasMessageIndex(connection: Connection): boolean {
  return (
    connection.get("SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = 'message_text_removed'") !==
    undefined
  );
}

/**
 * Makes the index where the runtime can keep one, and takes it away where it cannot: triggers that name a missing module would make
 * deleting impossible, and an index that nobody keeps would hold deleted words. Runs inside a write transaction.
 */
export function fitMessageIndex(connection: Connection, canKeep: boolean): void {
  if (hasMessageIndex(connection) === canKeep) return;
  connection.exec(canKeep ? createIndex : emptyIndex);
}
