import type { Replacement } from '../../domain/transfer/replacement.ts';
import type { TransferJournal, WholeTransfer } from '../../domain/transfer/transferJournal.ts';

/** What is noted of one file, by the key of its notes. */
export interface NotedPart {
  readonly key: string;
  readonly target: WholeTransfer['target'];
  /** The name of the part beside the target. */
  readonly part: string;
  readonly replacement: Replacement | undefined;
}

/** Journals of transfers that are not finished, on this machine. */
export interface TransferJournalsPort {
  /** Undefined when there is none or it cannot be read, which means to begin anew. */
  load(key: string): Promise<TransferJournal | undefined>;
  /** Of one transfer that was asked for, a file or the files of a folder, as far as it can be read. */
  ofWhole(whole: string): Promise<readonly NotedPart[]>;
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
