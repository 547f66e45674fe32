/** What a person allowed for a whole conversation; `shape` is the sorted JSON of what must be equal, `payload` the grant. */
export const grants = `
CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  shape TEXT NOT NULL,
  payload TEXT NOT NULL,
  given_at INTEGER NOT NULL,
  UNIQUE (conversation_id, shape)
) STRICT;
`;
