/** The transfer queue, and which window works on which entry. */
export const transfers = `
CREATE TABLE transfers (
  id TEXT PRIMARY KEY,
  added_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  lease_window TEXT,
  lease_machine TEXT,
  lease_pid INTEGER,
  lease_start TEXT,
  renewed_at INTEGER
) STRICT;
CREATE INDEX transfers_by_age ON transfers (added_at);
INSERT INTO changes (area, revision) VALUES ('transfers', 0);
`;
