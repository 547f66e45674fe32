/**
 * What documents with changes were made from, on this machine's disk, so that a conflict can be merged. A help and no more: it is bounded,
 * the oldest goes first, and what is missing costs the merge only. Rejects with faults of stage `local`. Source: ssh.md 8.5, "Conflict".
 */
export interface OpenedContentsPort {
  /** Takes the place of what this process keeps of the file. `file`: see `documentKey`. */
  keep(file: string, content: Uint8Array): Promise<void>;
  /** The content with this digest (SHA-256, hexadecimal), whichever process has kept it; undefined when nobody has it any more. */
  find(file: string, sha256: string): Promise<Uint8Array | undefined>;
  /** What this process keeps of the file, and what was left by processes that are gone. */
  forget(file: string): Promise<void>;
}
