import type { Replacement } from '../../domain/transfer/replacement.ts';
import type { TransferJournal } from '../../domain/transfer/transferJournal.ts';

/** Journals of transfers that are not finished, on this machine. */
export interface TransferJournalsPort {
  /** Undefined when there is none or it cannot be read, which means to begin anew. */
  load(key: string): Promise<TransferJournal | undefined>;
  /** Those of one transfer that was asked for, as far as they can be read: of a file, or of the files of a folder. */
  ofWhole(whole: string): Promise<readonly { readonly key: string; readonly journal: TransferJournal }[]>;
  /** Replaces the one before in one step. */
  save(key: string, journal: TransferJournal): Promise<void>;
  /** Also of one that is not there. */
  remove(key: string): Promise<void>;
  /** What is noted of a replacement in two steps; undefined when there is none or it cannot be read. */
  replacement(key: string): Promise<Replacement | undefined>;
  /** Replaces the one before in one step. */
  noteReplacement(key: string, replacement: Replacement): Promise<void>;
  /** Also of one that is not there. */
  endReplacement(key: string): Promise<void>;
}
