/**
 * Version 1. Times are integer milliseconds UTC; `record`, `facts`, `failure`, `payload`, `proposed`, `review` and `result` are
 * JSON that is decoded on every read. Reading order is `ordinal`; see `transcript.ts` for how it is given out.
 */
export const firstSchema = `
CREATE TABLE hosts (
  id TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;

CREATE TABLE host_facts (
  host_id TEXT PRIMARY KEY,
  facts TEXT NOT NULL
) STRICT;

CREATE TABLE connects (
  id INTEGER PRIMARY KEY,
  host_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  ok INTEGER NOT NULL
) STRICT;
CREATE INDEX connects_by_host ON connects (host_id);

CREATE TABLE known_hosts (
  name TEXT NOT NULL,
  port INTEGER NOT NULL,
  key_type TEXT NOT NULL,
  key_base64 TEXT NOT NULL,
  origin TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  PRIMARY KEY (name, port, key_base64)
) STRICT;

CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  system_prompt TEXT NOT NULL,
  permission_mode TEXT NOT NULL,
  model_ref TEXT NOT NULL,
  pinned INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  parent TEXT,
  message_count INTEGER NOT NULL DEFAULT 0,
  cuts INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX conversations_by_update ON conversations (updated_at DESC, id);

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  failure TEXT,
  lease_window TEXT,
  lease_machine TEXT,
  lease_pid INTEGER,
  lease_start TEXT,
  renewed_at INTEGER
) STRICT;
CREATE INDEX runs_by_conversation ON runs (conversation_id, started_at, id);
CREATE INDEX runs_open ON runs (conversation_id) WHERE ended_at IS NULL;

CREATE TABLE messages (
  key INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  role TEXT NOT NULL,
  payload TEXT NOT NULL,
  UNIQUE (conversation_id, ordinal),
  UNIQUE (conversation_id, id)
) STRICT;

CREATE TABLE calls (
  key INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  slot INTEGER,
  proposed TEXT,
  review TEXT,
  dispatched INTEGER NOT NULL DEFAULT 0,
  result TEXT,
  answered INTEGER NOT NULL DEFAULT 0,
  UNIQUE (conversation_id, run_id, call_id)
) STRICT;
CREATE INDEX calls_by_conversation ON calls (conversation_id);
CREATE INDEX calls_by_slot ON calls (conversation_id, slot);
CREATE INDEX calls_recorded ON calls (conversation_id) WHERE result IS NOT NULL AND answered = 0;

CREATE TABLE inbox (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  payload TEXT NOT NULL,
  in_flight INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (conversation_id, position),
  UNIQUE (conversation_id, id)
) STRICT;

CREATE TABLE compactions (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  boundary TEXT NOT NULL,
  summary TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (conversation_id, message_id)
) STRICT;

CREATE TABLE changes (
  area TEXT PRIMARY KEY,
  revision INTEGER NOT NULL
) STRICT;
INSERT INTO changes (area, revision) VALUES ('hosts', 0), ('knownHosts', 0), ('conversations', 0);
`;
