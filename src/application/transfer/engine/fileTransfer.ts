import { randomBytes } from 'node:crypto';
import { neverAborted } from '../../../agentkit/index.ts';
import { hasCode, ignoring } from '../../../domain/fault.ts';
import { fileError } from '../../../domain/files/fileFault.ts';
import { missingRanges } from '../../../domain/transfer/missingRanges.ts';
import { MovedBytes } from '../../../domain/transfer/movedBytes.ts';
import { partName } from '../../../domain/transfer/partName.ts';
import { blockBytes, type TransferJournal } from '../../../domain/transfer/transferJournal.ts';
import type { EntryFacts, Extra, OpenPart, OpenSource, ReplacementNote } from './end.ts';
import { checkExpected, isSameFile, type TargetDecision } from './existingTarget.ts';
import { beforeReplacing } from './faults.ts';
import { keptMode, usualMode, type OneFileContext } from './fileContext.ts';
import { JournalKeeper } from './journalKeeper.ts';
import { journalTarget, keyOfTransfer, nameOfPlace, showPlace, siblingOf } from './place.ts';
import { pump, type Lane } from './pump.ts';
import { notePart, resumeBetween } from './resumeBetween.ts';
import { resumePart } from './resumePart.ts';
import { readStretch } from './readStretch.ts';
import type { FileOutcome, FileRequest, Place, RemotePlace, TransferWarning } from './transfer.ts';
import { digestOf, VerifiedSource } from './verifiedSource.ts';

/** What one host copies at a time, between two looks at the progress. */
const copyBytes = 32 * 1024 * 1024;
/** How long an interrupted transfer takes at most to remove what it leaves. */
const cleanUpMs = 5_000;

export interface FileWork {
  readonly request: FileRequest;
  readonly decision: Extract<TargetDecision, { k: 'write' }>;
  readonly begin: EntryFacts;
  readonly replaced: EntryFacts | undefined;
  readonly open: OpenSource;
}

interface WrittenPart {
  readonly part: OpenPart;
  readonly place: Place;
  readonly blocks: ReadonlySet<number>;
}

/** One file from its open source to its target. `run` is called once. Whoever opened the source closes it. */
export class FileTransfer {
  readonly #context: OneFileContext;
  readonly #work: FileWork;
  readonly #warnings: TransferWarning[] = [];
  readonly #key: string;
  readonly #moved = { bytes: new MovedBytes(), had: 0, over: 0 };
  #keeper: Pick<JournalKeeper, 'add' | 'stop'> | undefined;
  /** Whether the target may be the new one already. */
  #isReplacing = false;
  #isOnlyOne = true;

  constructor(context: OneFileContext, work: FileWork) {
    this.#context = context;
    this.#work = work;
    this.#key = keyOfTransfer(work.request.from, work.decision.to);
  }

  async run(signal: AbortSignal): Promise<FileOutcome> {
    const { running } = this.#context;
    this.#isOnlyOne = !running.has(this.#key);
    running.add(this.#key);
    try {
      return await this.#transfer(signal);
    } finally {
      if (this.#isOnlyOne) running.delete(this.#key);
    }
  }

  async #transfer(signal: AbortSignal): Promise<FileOutcome> {
    const { open, request, decision } = this.#work;
    const { expectSourceSha256 } = request;
    const reader =
      expectSourceSha256 === undefined
        ? open
        : await VerifiedSource.open(
            {
              reader: open,
              chunk: this.#chunk,
              size: this.#work.begin.size,
              shown: showPlace(request.from),
              expectedSha256: expectSourceSha256,
            },
            signal,
          );
    const written = await this.#openPart(signal);
    try {
      const { end, changed } = await this.#move(reader, written, signal);
      const sha256 = await this.#verified({ reader, written, end }, signal);
      await this.#finish(written, end, signal);
      return {
        k: 'done',
        to: decision.to,
        bytes: end,
        resumedBytes: this.#moved.had,
        sha256: sha256 ?? expectSourceSha256?.toLowerCase(),
        changedDuringTransfer: changed,
        warnings: this.#warnings,
      };
    } catch (error) {
      await this.#interrupted(written, error);
      throw this.#isReplacing ? error : beforeReplacing(error);
    }
  }

  /** Bytes of one request. */
  get #chunk(): number {
    const { source, target } = this.#context;
    return Math.min(source.maxRead, target.maxWrite, blockBytes);
  }

  /** Which side is this machine, of a transfer that has a journal: one between hosts has none where commands may not be run on both. */
  get #local(): 'source' | 'target' | 'neither' | undefined {
    if (!this.#isOnlyOne) return undefined;
    const { from, to } = this.#work.request;
    if (from.k === 'local') return 'source';
    if (to.k === 'local') return 'target';
    const canCompare = from.commands !== undefined && to.commands !== undefined;
    return canCompare && this.#context.source !== this.#context.target ? 'neither' : undefined;
  }

  /** Between two hosts a write may be acknowledged while its bytes still wait to be sent. */
  get #mayRecycle(): boolean {
    const { request } = this.#work;
    return request.from.k === 'local' || request.to.k === 'local';
  }

  async #openPart(signal: AbortSignal): Promise<WrittenPart> {
    const { target, journals } = this.#context;
    const { decision, begin, open } = this.#work;
    const isLocal = this.#local;
    const facts = factsForJournal(begin);
    const mayHaveLeft = facts !== undefined && (facts.size > blockBytes || isLocal === 'source');
    const journal = isLocal === undefined || !mayHaveLeft ? undefined : await journals.load(this.#key);
    if (journal !== undefined && isLocal !== undefined) {
      const { to } = decision;
      const { from } = this.#work.request;
      const earlier = { journal, begin, source: open, target, chunk: this.#chunk };
      const resumed =
        isLocal !== 'neither'
          ? await resumePart({ ...earlier, from, to, isLocal }, signal)
          : await resumeBetween({ ...earlier, from: remote(from), to: remote(to) }, signal);
      if (resumed.k === 'usable') {
        await this.#keep(resumed, { ...journal, ...this.#whole });
        return resumed;
      }
      if (journal.blocks.length > 0 || isLocal === 'neither') this.#toldUnusable(resumed.reason);
      await target.remove(resumed.place, signal).catch(ignoring('not-found', 'denied'));
      await journals.remove(this.#key).catch(() => {}); // it is looked at again, and found unusable again
    }
    const name = partName(nameOfPlace(decision.to), randomBytes(6).toString('hex'));
    const place = siblingOf(decision.to, name);
    const part = await target.createPart(place, signal);
    const written: WrittenPart = { part, place, blocks: new Set() };
    if (isLocal !== undefined && facts !== undefined && facts.size > blockBytes)
      await this.#keep(written, this.#newJournal(facts, name));
    return written;
  }

  /** Where going on was asked for, a source that has changed is refused. */
  #toldUnusable(reason: Extract<TransferWarning['code'], 'source-changed' | 'part-unusable'>): void {
    const { request, decision } = this.#work;
    if (reason === 'source-changed' && decision.mayResume)
      throw fileError('changed-during-transfer', { path: showPlace(request.from) }, { outcome: 'not-sent' });
    this.#warn(reason, request.from);
  }

  async #keep({ part, blocks }: WrittenPart, journal: TransferJournal): Promise<void> {
    const { journals, clock, meter } = this.#context;
    const reader = this.#local === 'source' ? this.#work.open : part;
    const readBlock = (block: number): Promise<Uint8Array> =>
      readStretch(
        { reader, chunk: blockBytes },
        { from: block * blockBytes, length: blockBytes },
        neverAborted,
      );
    this.#moved.had = blocks.size * blockBytes;
    meter.had(this.#moved.had);
    const kept = { journals, key: this.#key, journal };
    this.#keeper =
      this.#local === 'neither'
        ? await notePart(kept)
        : await JournalKeeper.start({ ...kept, readBlock, clock });
  }

  async #move(
    reader: Pick<OpenSource, 'read'> & { readonly size?: number },
    written: WrittenPart,
    signal: AbortSignal,
  ): Promise<{ readonly end: number; readonly changed: boolean }> {
    const { source, target, clock } = this.#context;
    const { begin, open } = this.#work;
    const size = reader.size ?? begin.size;
    const expectedEnd = size === undefined || size === 0 ? undefined : size;
    const isSmall = expectedEnd !== undefined && expectedEnd <= this.#chunk;
    const ranges = missingRanges(size ?? 0, written.blocks);
    this.#moved.bytes = new MovedBytes(ranges[0]?.from ?? size ?? 0);
    const copied = reader === open ? await this.#copied(written.part, expectedEnd, signal) : undefined;
    if (copied !== undefined)
      return { end: copied, changed: isChanged(begin, await open.facts(signal), copied) };
    const moving = pump(
      {
        lane: laneOf({ reader, writer: written.part, from: open, mayRecycle: this.#mayRecycle }),
        more: (own) => this.#moreLanes(reader, written.part, own),
        chunk: this.#chunk,
        maxInFlight: Math.min(source.maxInFlight, target.maxInFlight),
        firstInFlight: isSmall ? 2 : 1,
        ranges,
        expectedEnd,
        endNow: async (own) => (await open.facts(own)).size,
        roundTripMs: Math.max(source.roundTripMs, target.roundTripMs),
        onMoved: (offset, length) => this.#onMoved(offset, length),
        clock,
      },
      signal,
    );
    const early = isSmall ? open.facts(signal) : undefined;
    early?.catch(() => {}); // told below
    const end = await moving;
    return { end, changed: isChanged(begin, await (early ?? open.facts(signal)), end) };
  }

  /** Copies on one host; resolves with what is there then, undefined when this is not possible. Source: ssh.md 8.8. */
  async #copied(part: OpenPart, end: number | undefined, signal: AbortSignal): Promise<number | undefined> {
    if (end === undefined || this.#context.source !== this.#context.target) return undefined;
    for (let from = 0; from < end; from += copyBytes) {
      const to = Math.min(end, from + copyBytes);
      if (!(await part.copyFrom(this.#work.open, { from, to }, signal))) return undefined;
      this.#moved.over += to - from;
      this.#context.meter.moved(to - from);
    }
    return Math.min(end, (await part.facts(signal)).size ?? end);
  }

  #onMoved(offset: number, length: number): void {
    this.#moved.over += length;
    this.#context.meter.moved(length);
    this.#keeper?.add(this.#moved.bytes.add(offset, length));
  }

  async #moreLanes(
    reader: Pick<OpenSource, 'read'>,
    part: OpenPart,
    signal: AbortSignal,
  ): Promise<Lane | undefined> {
    const { open } = this.#work;
    const from = reader === open ? await open.more(signal) : undefined;
    try {
      const to = await part.more(signal);
      if (from === undefined && to === undefined) return undefined;
      const sides = { reader: from?.way ?? reader, writer: to?.way ?? part, from: from?.way ?? open };
      return laneOf(
        { ...sides, mayRecycle: this.#mayRecycle },
        [from, to].filter((extra) => extra !== undefined),
      );
    } catch (error) {
      from?.close();
      throw error;
    }
  }

  /** The digest of both sides, when it was asked for. Rejects with `changed-during-transfer` when they differ. */
  async #verified(
    {
      reader,
      written,
      end,
    }: { readonly reader: Pick<OpenSource, 'read'>; readonly written: WrittenPart; readonly end: number },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (this.#work.request.verify !== true) return undefined;
    const { source, target } = this.#context;
    const side = (of: Pick<OpenSource, 'read'>, most: number): Promise<string> =>
      digestOf({ reader: upTo(of, end), chunk: Math.min(most, blockBytes), size: end }, signal);
    const ours = await side(reader, source.maxRead);
    const theirs = await side(written.part, target.maxRead);
    if (ours !== theirs)
      throw fileError('changed-during-transfer', { path: showPlace(this.#work.request.from) });
    return ours;
  }

  async #finish({ part, place }: WrittenPart, end: number, signal: AbortSignal): Promise<void> {
    const { request, decision, begin, replaced } = this.#work;
    const keeps = request.keepsAttributes !== false;
    const times =
      keeps && begin.modified !== undefined
        ? { accessed: begin.accessed ?? begin.modified, modified: begin.modified }
        : undefined;
    const old = decision.replaces && replaced?.kind === 'file' ? replaced.mode : undefined;
    const mode = old ?? (keeps ? begin.mode : undefined) ?? usualMode.file;
    for (const code of await part.finish({ bytes: end, mode: mode & keptMode, times }, signal))
      this.#warn(code, decision.to);
    const { target } = this.#context;
    if (request.expectTarget !== undefined) checkExpected(request, await target.look(request.to, signal));
    this.#isReplacing = true;
    const move = { from: place, to: decision.to, replace: decision.replaces };
    const way = await target.rename({ ...move, note: this.#replacementNote(place) }, signal);
    if (way === 'inTwoSteps') this.#warn('not-replaced-in-one-step', decision.to);
    await this.#keeper?.stop(undefined);
    this.#keeper = undefined;
  }

  /** What can be continued stays with its journal; everything else goes, as far as the connection lasts. */
  async #interrupted({ part, place }: WrittenPart, error: unknown): Promise<void> {
    const { target, meter } = this.#context;
    meter.had(-this.#moved.over - this.#moved.had);
    const isOutOfDate = hasCode(error, 'conflict') || hasCode(error, 'changed-during-transfer');
    const keeper = this.#keeper;
    this.#keeper = undefined;
    if (keeper !== undefined && !isOutOfDate) {
      const isLocal = this.#local === 'target';
      const { contiguousEnd } = this.#moved.bytes;
      if (isLocal) await part.truncate(contiguousEnd, neverAborted).catch(() => {}); // what it holds is verified before it is used
      await keeper.stop(isLocal ? contiguousEnd : Number.MAX_SAFE_INTEGER);
      await part.leave();
      return;
    }
    await part.leave();
    await keeper?.stop(undefined);
    if (target.isEnded) return this.#noteLeft(place);
    const bound = new AbortController();
    const timer = this.#context.clock.after(cleanUpMs, () => bound.abort(new Error('it took too long')));
    await target.remove(place, bound.signal).catch(() => {}); // the connection may be going
    timer.dispose();
  }

  /** A second transfer of the same file at the same time has none. */
  #replacementNote(part: Place): ReplacementNote | undefined {
    const { journals } = this.#context;
    if (!this.#isOnlyOne) return undefined;
    return {
      begin: (old) =>
        journals.noteReplacement(this.#key, { version: 1, part: nameOfPlace(part), old, ...this.#whole }),
      end: () => journals.endReplacement(this.#key).catch(() => {}), // what it names is not there
    };
  }

  /** What a small file leaves on a host that is gone is found, used and so removed by the next transfer of it. */
  async #noteLeft(part: Place): Promise<void> {
    const source = factsForJournal(this.#work.begin);
    if (this.#local !== 'source' || source === undefined) return;
    const journal = this.#newJournal(source, nameOfPlace(part));
    await this.#context.journals.save(this.#key, journal).catch(() => {}); // then it stays there
  }

  #newJournal(source: TransferJournal['source'], part: string): TransferJournal {
    return { version: 1, source, part, blocks: [], ...this.#whole };
  }

  get #whole(): Pick<TransferJournal, 'whole'> {
    const { whole } = this.#context;
    const { to } = this.#work.decision;
    return whole === undefined ? {} : { whole: { key: whole, target: journalTarget(to) } };
  }

  #warn(code: TransferWarning['code'], place: Place): void {
    this.#warnings.push({ code, path: showPlace(place) });
  }
}

interface LaneSides {
  readonly reader: Pick<OpenSource, 'read' | 'recycle'>;
  readonly writer: Pick<OpenPart, 'write' | 'isEnded'>;
  /** What `reader` reads from. */
  readonly from: { readonly isEnded: boolean };
  /** What was written may be handed back to the reader. */
  readonly mayRecycle: boolean;
}

function laneOf(
  { reader, writer, from, mayRecycle }: LaneSides,
  extras: readonly Extra<unknown>[] = [],
): Lane {
  return {
    read: (offset, length, signal) => reader.read(offset, length, signal),
    write: (offset, bytes, signal) => writer.write(offset, bytes, signal),
    recycle: (bytes) => {
      if (mayRecycle) reader.recycle?.(bytes);
    },
    get isEnded() {
      return from.isEnded || writer.isEnded;
    },
    get isSurplus() {
      return extras.some(({ isSurplus }) => isSurplus);
    },
    close: () => {
      for (const extra of extras) extra.close();
    },
  };
}

/** Undefined for a source that cannot be recognised later. */
function factsForJournal({ size, modified }: EntryFacts): TransferJournal['source'] | undefined {
  return size === undefined || modified === undefined ? undefined : { size, modified };
}

function remote(place: Place): RemotePlace {
  if (place.k !== 'remote') throw new RangeError('a place of this machine');
  return place;
}

function upTo(reader: Pick<OpenSource, 'read'>, end: number): Pick<OpenSource, 'read'> {
  return {
    read: (offset, length, signal) =>
      reader.read(offset, Math.max(0, Math.min(length, end - offset)), signal),
  };
}

/** A size of 0 is none: `/proc` says so of files that hold something. */
function isChanged(begin: EntryFacts, now: EntryFacts, end: number): boolean {
  if (begin.size !== undefined && begin.size !== 0 && begin.size !== end) return true;
  return !isSameFile(begin, now) || begin.modified !== now.modified;
}
