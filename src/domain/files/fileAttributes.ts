/**
 * What a server tells about a file. Every part may be missing: then it is not known, and nothing is made up for it.
 * Source: draft-ietf-secsh-filexfer-02 section 5.
 */
export interface FileAttributes {
  /** Bytes. A size of 0 or none means "read to the end": `/proc`, pipes. Source: ssh.md 8.2. */
  readonly size?: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** Kind and permissions, as `st_mode`. */
  readonly mode?: number;
  /** Whole seconds since 1970. */
  readonly times?: { readonly accessed: number; readonly modified: number };
}

/** What is to be changed; the rest stays. Of the mode only the permission bits are sent. Source: ssh.md 8.2. */
export type AttributeChange = FileAttributes;

export type EntryKind = 'file' | 'directory' | 'symlink' | 'other';

const kindBits = 0o170000;
const kinds: ReadonlyMap<number, EntryKind> = new Map([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'symlink'],
]);

/** Undefined when the server does not tell. */
export function kindOf({ mode }: FileAttributes): EntryKind | undefined {
  const bits = (mode ?? 0) & kindBits;
  return bits === 0 ? undefined : (kinds.get(bits) ?? 'other');
}
