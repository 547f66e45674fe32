/** Which window runs a forward that starts by itself. */
export const forwardLeases = `
CREATE TABLE forward_leases (
  forward_id TEXT PRIMARY KEY,
  lease_window TEXT NOT NULL,
  lease_machine TEXT NOT NULL,
  lease_pid INTEGER NOT NULL,
  lease_start TEXT NOT NULL,
  renewed_at INTEGER NOT NULL
) STRICT;
`;
