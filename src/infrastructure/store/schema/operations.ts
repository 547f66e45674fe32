/**
 * Version 9: the operations log. `entry` is canonical JSON that holds its own number and the hash of the row before; `hash` is SHA-256
 * over its bytes. What is searched for is computed from it, so nothing that is shown stands beside what is hashed. Rows are only added at
 * the end; they go from the front once the anchor, which names the last row that is gone, has moved behind them.
 */
export const operations = `
CREATE TABLE operations (
  seq INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  entry TEXT NOT NULL,
  at INTEGER GENERATED ALWAYS AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.at') END) VIRTUAL,
  kind TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.kind') END) VIRTUAL,
  host_id TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.host.id') END) VIRTUAL,
  run_id TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.runId') END) VIRTUAL,
  call_id TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.callId') END) VIRTUAL
) STRICT;
CREATE INDEX operations_by_time ON operations (at);
CREATE INDEX operations_by_host ON operations (host_id, seq) WHERE host_id IS NOT NULL;
CREATE INDEX operations_by_run ON operations (run_id, call_id, kind) WHERE run_id IS NOT NULL;

CREATE TABLE operations_anchor (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
INSERT INTO operations_anchor (one, seq, hash) VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

CREATE TRIGGER operations_at_the_end BEFORE INSERT ON operations
WHEN new.seq <> 1 + coalesce((SELECT max(seq) FROM operations), (SELECT seq FROM operations_anchor))
BEGIN SELECT raise(ABORT, 'operations are only added at the end'); END;
CREATE TRIGGER operations_stay BEFORE UPDATE ON operations
BEGIN SELECT raise(ABORT, 'operations are only added'); END;
CREATE TRIGGER operations_remain BEFORE DELETE ON operations
WHEN old.seq > (SELECT seq FROM operations_anchor)
BEGIN SELECT raise(ABORT, 'operations are only added'); END;
CREATE TRIGGER operations_anchor_moves BEFORE UPDATE ON operations_anchor
WHEN new.seq <= old.seq OR NOT EXISTS (SELECT 1 FROM operations WHERE seq = new.seq AND hash = new.hash)
BEGIN SELECT raise(ABORT, 'the anchor of the operations only moves to one of them'); END;
CREATE TRIGGER operations_anchor_remains BEFORE DELETE ON operations_anchor
BEGIN SELECT raise(ABORT, 'the anchor of the operations stays'); END;
`;
