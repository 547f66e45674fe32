import type { KeptSaveRecord } from '../../domain/files/keptSave.ts';

/** A save that was not confirmed. */
export interface KeptSave extends KeptSaveRecord {
  readonly id: string;
}

/**
 * Saves on this machine's disk. What a call has resolved for is on the disk, also when the power fails. Rejects with faults of stage
 * `local`. Source: ssh.md 8.5, "kept".
 */
export interface KeptSavesPort {
  /** The id of it. */
  keep(record: KeptSaveRecord, content: Uint8Array): Promise<string>;
  /** Replaces the record of a kept save. Rejects with `not-found`. */
  note(save: KeptSave): Promise<void>;
  /** Those of this process and of processes that are gone. A damaged one is left out. */
  list(): Promise<readonly KeptSave[]>;
  /** Rejects with `not-found`. */
  content(id: string): Promise<Uint8Array>;
  /** Also of one that is not there. */
  remove(id: string): Promise<void>;
}
