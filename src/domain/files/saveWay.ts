import { kindOf, type FileAttributes } from './fileAttributes.ts';

/**
 * Why a file is written in place instead of being replaced by a new one: replacing would change its identity or its rights.
 * `unknownLinks`: nobody tells how many names it has; `directory`: nothing can be made beside it. Source: ssh.md 8.5.
 */
export type InPlaceReason =
  'notPlain' | 'links' | 'unknownLinks' | 'owner' | 'group' | 'mode' | 'accessList' | 'directory';

/** What SFTP does not tell of a file by itself. */
export interface FileIdentity {
  /** How many names it has; undefined when nobody tells. */
  readonly links: number | undefined;
  /** More rights than its mode says. */
  readonly hasAccessList: boolean;
  /** A security label. */
  readonly hasLabel: boolean;
}

/** What is known before anything is made on the server. Undefined = as far as this is known it may be replaced. */
export function whyInPlace(attributes: FileAttributes, identity: FileIdentity): InPlaceReason | undefined {
  if (kindOf(attributes) !== 'file') return 'notPlain';
  if (identity.links === undefined) return 'unknownLinks';
  if (identity.links !== 1) return 'links';
  return identity.hasAccessList ? 'accessList' : undefined;
}

/** Whether a new file that we made would belong to somebody else than the old one; unknown counts as somebody else. */
export function hasOtherOwner(old: FileAttributes, part: FileAttributes): boolean {
  return old.owner === undefined || part.owner === undefined || old.owner.uid !== part.owner.uid;
}
