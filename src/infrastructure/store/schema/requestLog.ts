/**
 * What was sent to providers and what came back, by conversation. `request_parts` holds each body once, under a number that is never
 * used again. `request_log` holds entries: `entry` is JSON that is decoded on every read, `parts` the ranges of numbers that the
 * entry names, as JSON, `last_part` the newest number that the conversation had then. `bytes` counts for the limit.
 */
export const requestLog = `
CREATE TABLE request_parts (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL,
  item_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (conversation_id, hash)
) STRICT;
CREATE INDEX request_parts_size ON request_parts (conversation_id, number, bytes);

CREATE TABLE request_log (
  key INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  last_part INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  at INTEGER NOT NULL,
  parts TEXT NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE INDEX request_log_by_conversation ON request_log (conversation_id, key);
CREATE INDEX request_log_size ON request_log (conversation_id, last_part, bytes);
`;
