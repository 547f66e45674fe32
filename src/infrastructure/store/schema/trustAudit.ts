/** Version 6: when an accepted host key was seen last, and what became of those that were replaced or taken away. */
export const trustAudit = `
ALTER TABLE known_hosts ADD COLUMN last_used_at INTEGER;
CREATE TABLE trust_audit (
  key INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  name TEXT NOT NULL,
  port INTEGER NOT NULL,
  old_key TEXT NOT NULL,
  new_key TEXT,
  actor TEXT NOT NULL,
  reason TEXT
) STRICT;
`;
