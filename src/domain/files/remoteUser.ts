const pattern = /^[^\s\p{C}/:#-][^\s\p{C}/:]{0,255}$/u;

/** Root, whose rights are meant where nobody is named. Source: sudo(8), `-u`. */
export const root = 'root';

/**
 * The name of a user of a host, as `sudo -u` takes it: no number (`#0`), nothing that could be taken for an option, and nothing that a line
 * of the accounts cannot hold. Undefined for what is none.
 */
export function parseRemoteUser(text: string): string | undefined {
  return pattern.test(text) ? text : undefined;
}
