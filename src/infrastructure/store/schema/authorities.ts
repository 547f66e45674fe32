/** Version 7: a row may be the line of a certificate authority: `marker` is `cert-authority`, `name` its host patterns, `port` 0. */
export const authorities = `
ALTER TABLE known_hosts ADD COLUMN marker TEXT;
`;
