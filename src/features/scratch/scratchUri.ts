/** The scratch-relative path behind a `termind-scratch:` address: its path without the leading slash. */
export function scratchPathOf(uri: { readonly path: string }): string {
  return uri.path.replace(/^\/+/, '');
}

/** The path part of the address of a scratch file. */
export function scratchUriPath(path: string): string {
  return `/${path}`;
}
