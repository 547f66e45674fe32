/**
 * What search reads of each message: see `search/messageText.ts`. Rows go with their message. `is_indexed` is the truth about the
 * full-text index, which is made on top of this table where the runtime can: see `search/messageIndexSchema.ts`. Messages with a
 * key below `text_backlog.below` were written before this table and may have no row yet.
 */
export const messageTexts = `
CREATE TABLE message_texts (
  key INTEGER PRIMARY KEY REFERENCES messages (key) ON DELETE CASCADE,
  is_indexed INTEGER NOT NULL DEFAULT 0,
  conversation TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX message_texts_waiting ON message_texts (key) WHERE is_indexed = 0;

CREATE TABLE text_backlog (
  below INTEGER NOT NULL
) STRICT;
INSERT INTO text_backlog (below) SELECT coalesce(max(key), -1) + 1 FROM messages;
`;
