/**
 * Why a file is written in place instead of being replaced by a new one: replacing would change its identity or its rights. `unknownLinks`:
 * nobody tells how many names it has. Source: ssh.md 8.5, "Rename-over is used for …".
 */
export type InPlaceReason =
  'notPlain' | 'links' | 'unknownLinks' | 'owner' | 'group' | 'accessList' | 'attributes' | 'directory';
