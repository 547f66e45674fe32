/**
 * Version 8: the certificate by which a host was accepted last, by trust name. `principals` is a JSON list of texts; times are
 * milliseconds UTC, without one the certificate is valid since or for ever. `serial` has up to 20 digits.
 */
export const hostCertificates = `
CREATE TABLE host_certificates (
  name TEXT NOT NULL,
  port INTEGER NOT NULL,
  key_type TEXT NOT NULL,
  serial TEXT NOT NULL,
  key_id TEXT NOT NULL,
  principals TEXT NOT NULL,
  valid_from INTEGER,
  valid_until INTEGER,
  authority TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (name, port)
) STRICT;
`;
