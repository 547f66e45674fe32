import type { EntryKind } from '../../../domain/files/fileAttributes.ts';
import type { ByteRange } from '../../../domain/transfer/missingRanges.ts';
import type { FileFacts, Place, TransferWarning } from './transfer.ts';

/** What an end tells about an entry. */
export interface EntryFacts extends FileFacts {
  readonly kind: EntryKind | undefined;
  /** Seconds since 1970, with fractions where the end has them. */
  readonly modified: number | undefined;
  readonly accessed: number | undefined;
  /** Permission bits. */
  readonly mode: number | undefined;
}

export interface Entry {
  /** Spelt as `textOfPath` spells names. */
  readonly name: string;
  readonly facts: EntryFacts;
}

/** Reads at any offset, in any order, several at a time. */
export interface Reader {
  /** At most `length` bytes, perhaps fewer though more follow; empty = nothing at this offset or behind it. */
  read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array>;
  /** Bytes that a read of this one gave and nobody needs any more: they may be overwritten by a later read, or be gone. */
  recycle?(bytes: Uint8Array): void;
  /** Its channel is over; another one may go on. */
  readonly isEnded: boolean;
}

export interface Writer {
  write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  readonly isEnded: boolean;
}

/** One more way to an open file, over a channel of its own. Whoever asked for it closes it. */
export interface Extra<T> {
  readonly way: T;
  /** Others wait for its channel. */
  readonly isSurplus: boolean;
  /** At once. */
  close(): void;
}

/** A source that is open. Whoever opened it closes it. */
export interface OpenSource extends Reader {
  /** As it is now, whatever name it has. */
  facts(signal: AbortSignal): Promise<EntryFacts>;
  /** Undefined when there is no more than one way. Rejects as opening a channel does. */
  more(signal: AbortSignal): Promise<Extra<Reader> | undefined>;
  /** Never rejects, and waits for no server. */
  close(): Promise<void>;
}

export interface FinishPart {
  readonly bytes: number;
  readonly mode: number;
  readonly times: { readonly accessed: number; readonly modified: number } | undefined;
}

/** A part that is open. Whoever opened it finishes or leaves it. */
export interface OpenPart extends Reader, Writer {
  facts(signal: AbortSignal): Promise<EntryFacts>;
  more(signal: AbortSignal): Promise<Extra<Writer> | undefined>;
  truncate(bytes: number, signal: AbortSignal): Promise<void>;
  /**
   * Copies these bytes of a source of the same end without moving them over the line; false = this cannot be done, and nothing was. A
   * source that has become shorter leaves the part shorter.
   */
  copyFrom(source: OpenSource, range: ByteRange, signal: AbortSignal): Promise<boolean>;
  /** Rejects with `file-failed` when there is less in it than `bytes`. Otherwise cuts it there, flushes it, gives it its attributes and closes it. What the end refuses of attributes is a warning. */
  finish(finish: FinishPart, signal: AbortSignal): Promise<readonly TransferWarning['code'][]>;
  /** Closes it as it is. Never rejects, and waits for no server. */
  leave(): Promise<void>;
}

/** Where it is written down that a target may be missing, while its old content has another name. */
export interface ReplacementNote {
  /** Resolves when it is on the disk; waited for before the old file gets this name. Rejecting leaves everything as it is. */
  begin(oldName: string): Promise<void>;
  /** Nothing is left. */
  end(): Promise<void>;
}

/** One end of a transfer. Every place is one of this end; every call rejects with `TermindError`. Whoever opens one releases it. */
export interface End {
  /** Most bytes of one read and one write. */
  readonly maxRead: number;
  readonly maxWrite: number;
  /** Most requests on their way, and most files open at a time. */
  readonly maxInFlight: number;
  readonly maxOpen: number;
  /** How long one request takes when nothing else is on its way, in milliseconds; 0 on this machine. */
  readonly roundTripMs: number;
  /** Everything that leads there is over, for good. */
  readonly isEnded: boolean;
  /** A link is not followed. Undefined when there is nothing. */
  look(place: Place, signal: AbortSignal): Promise<EntryFacts | undefined>;
  /** Where a place leads when it is a link, as far as links are followed at this end. */
  resolve(place: Place, signal: AbortSignal): Promise<Place>;
  list(place: Place, signal: AbortSignal): AsyncIterable<ListedPage>;
  /** A plain file. */
  openSource(place: Place, signal: AbortSignal): Promise<OpenSource>;
  /** A new file that only its owner may use. */
  createPart(place: Place, signal: AbortSignal): Promise<OpenPart>;
  openPart(place: Place, signal: AbortSignal): Promise<OpenPart>;
  /** `mode`: permission bits, of which the end may leave out some until `dress` gives them; its owner can always fill it. */
  mkdir(place: Place, mode: number, signal: AbortSignal): Promise<void>;
  dress(place: Place, attributes: Pick<FinishPart, 'mode' | 'times'>, signal: AbortSignal): Promise<void>;
  /** A target is missing for a moment while it is replaced. */
  readonly replacesInTwoSteps: boolean;
  /** Within one directory; without `replace` rejects with `exists`. `note`: for a replacement in two steps. */
  rename(
    move: {
      readonly from: Place;
      readonly to: Place;
      readonly replace: boolean;
      readonly note?: ReplacementNote | undefined;
    },
    signal: AbortSignal,
  ): Promise<'inOneStep' | 'inTwoSteps'>;
  /** A file or a link. */
  remove(place: Place, signal: AbortSignal): Promise<void>;
  release(): Promise<void>;
}

export interface ListedPage {
  readonly entries: readonly Entry[];
  /** Names that are none, fit to be shown. */
  readonly refused: readonly string[];
}
