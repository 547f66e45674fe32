import type { ClockPort } from '../../../agentkit/index.ts';
import { isTermindError, hasCode } from '../../../domain/fault.ts';
import { kindOf, type AttributeChange, type FileAttributes } from '../../../domain/files/fileAttributes.ts';
import { textOfBytes } from '../../../domain/files/nameText.ts';
import { permissionBits } from '../../../domain/files/permissions.ts';
import type { RemotePath } from '../../../domain/files/remotePath.ts';
import type { ByteRange } from '../../../domain/transfer/missingRanges.ts';
import { closeUnheard } from '../../files/closeUnheard.ts';
import type { HeldFiles } from '../../files/heldFiles.ts';
import { closeToOthers, ownerOnly } from '../../files/save/fileMode.ts';
import type { RemoteFile, RemoteFiles } from '../../ports/remoteFiles.ts';
import type {
  End,
  EntryFacts,
  Extra,
  FinishPart,
  ListedPage,
  OpenPart,
  OpenSource,
  Reader,
  Writer,
} from './end.ts';
import { tooShort } from './faults.ts';
import { freeBytes } from './freeBytes.ts';
import { replaceInTwoSteps } from './replaceInTwoSteps.ts';
import type { Place, RemotePlace, TransferWarning } from './transfer.ts';

/** Source: ssh.md 8.7, 1 and 6. */
const most = { inFlight: 64, open: 64 } as const;
/** On a channel that browsing uses as well, so that a click waits for few answers. */
const sharedInFlight = 8;
/** Files that others may have open on the same channel. */
const openReserve = 8;
const ownerCanFill = 0o700;

/** The files of one host over a channel of its own, and over more of them for large files. */
export class RemoteEnd implements End {
  readonly #held: HeldFiles;
  readonly #open: RemotePlace['open'];
  readonly #clock: ClockPort;
  #roundTripMs = Infinity;
  /** The server has given a new file the mode that was asked for: it is not looked at again. */
  #makesClosed = false;

  static async open({ open }: RemotePlace, clock: ClockPort, signal: AbortSignal): Promise<RemoteEnd> {
    return new RemoteEnd(await open(signal), open, clock);
  }

  private constructor(held: HeldFiles, open: RemotePlace['open'], clock: ClockPort) {
    this.#held = held;
    this.#open = open;
    this.#clock = clock;
  }

  get maxRead(): number {
    return this.#held.files.capabilities.maxRead;
  }
  get maxWrite(): number {
    return this.#held.files.capabilities.maxWrite;
  }
  get maxInFlight(): number {
    return this.#held.isShared ? sharedInFlight : most.inFlight;
  }
  get maxOpen(): number {
    const { maxOpen } = this.#held.files.capabilities;
    return maxOpen === undefined ? most.open : Math.max(1, Math.min(most.open, maxOpen - openReserve));
  }
  get roundTripMs(): number {
    return Number.isFinite(this.#roundTripMs) ? this.#roundTripMs : 0;
  }
  get isEnded(): boolean {
    return this.#held.files.isEnded;
  }
  get replacesInTwoSteps(): boolean {
    return !this.files.capabilities.operations.has('posixRename');
  }
  get files(): RemoteFiles {
    return this.#held.files;
  }

  async look(place: Place, signal: AbortSignal): Promise<EntryFacts | undefined> {
    const begun = this.#clock.monotonic();
    try {
      return factsOf(await this.files.lstat(remote(place), signal));
    } catch (error) {
      if (hasCode(error, 'not-found')) return undefined;
      throw error;
    } finally {
      this.#roundTripMs = Math.min(this.#roundTripMs, this.#clock.monotonic() - begun);
    }
  }

  async resolve(place: Place, signal: AbortSignal): Promise<Place> {
    const found = await this.look(place, signal);
    if (found?.kind !== 'symlink' || place.k !== 'remote') return place;
    return { ...place, path: await this.files.realpath(place.path, signal) };
  }

  async *list(place: Place, signal: AbortSignal): AsyncGenerator<ListedPage, void, undefined> {
    for await (const { entries, refused } of this.files.list(remote(place), signal))
      yield {
        entries: entries.map(({ name, kind, attributes }) => ({
          name: textOfBytes(name),
          facts: { ...factsOf(attributes), kind },
        })),
        refused,
      };
  }

  async openSource(place: Place, signal: AbortSignal): Promise<OpenSource> {
    const path = remote(place);
    const file = await this.files.open(path, { access: 'read' }, signal);
    return new RemoteSource(this.files, file, (own) => this.#more(path, 'read', own));
  }

  async createPart(place: Place, signal: AbortSignal): Promise<OpenPart> {
    const part = await this.#part(place, { access: 'readWrite', create: 'new', mode: ownerOnly }, signal);
    if (this.#makesClosed) return part;
    try {
      this.#makesClosed = await closeToOthers(part.file, await part.file.stat(signal), signal);
      return part;
    } catch (error) {
      await part.leave();
      throw error;
    }
  }

  openPart(place: Place, signal: AbortSignal): Promise<OpenPart> {
    return this.#part(place, { access: 'readWrite' }, signal);
  }

  mkdir(place: Place, mode: number, signal: AbortSignal): Promise<void> {
    return this.files.mkdir(remote(place), mode | ownerCanFill, signal);
  }

  dress(place: Place, attributes: Pick<FinishPart, 'mode' | 'times'>, signal: AbortSignal): Promise<void> {
    return this.files.setstat(remote(place), changeOf(attributes), signal);
  }

  async rename(
    { from, to, replace, note }: Parameters<End['rename']>[0],
    signal: AbortSignal,
  ): Promise<'inOneStep' | 'inTwoSteps'> {
    try {
      await this.files.rename({ from: remote(from), to: remote(to), replace }, signal);
      return 'inOneStep';
    } catch (error) {
      if (!replace || !hasCode(error, 'exists')) throw error;
    }
    await replaceInTwoSteps(this, { from, to, note }, signal);
    return 'inTwoSteps';
  }

  remove(place: Place, signal: AbortSignal): Promise<void> {
    return this.files.remove(remote(place), signal);
  }

  async release(): Promise<void> {
    this.#held.release();
  }

  async #part(
    place: Place,
    mode: Parameters<RemoteFiles['open']>[1],
    signal: AbortSignal,
  ): Promise<RemotePart> {
    const path = remote(place);
    const file = await this.files.open(path, mode, signal);
    return new RemotePart(this.files, file, (own) => this.#more(path, 'write', own));
  }

  async #more(
    path: RemotePath,
    access: 'read' | 'write',
    signal: AbortSignal,
  ): Promise<Extra<RemoteWay> | undefined> {
    if (this.#held.isShared) return undefined;
    const held = await this.#open(signal);
    try {
      if (held.isShared) {
        held.release();
        return undefined;
      }
      const file = await held.files.open(path, { access }, signal);
      return {
        way: new RemoteWay(held.files, file),
        get isSurplus() {
          return held.isSurplus?.() === true;
        },
        close: () => held.release(), // the file ends with it; what it has written was acknowledged
      };
    } catch (error) {
      held.release();
      throw error;
    }
  }
}

class RemoteWay implements Reader, Writer {
  readonly files: RemoteFiles;
  readonly file: RemoteFile;

  constructor(files: RemoteFiles, file: RemoteFile) {
    this.files = files;
    this.file = file;
  }
  get isEnded(): boolean {
    return this.files.isEnded;
  }
  read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
    return this.file.read(offset, length, signal);
  }
  recycle(bytes: Uint8Array): void {
    freeBytes(bytes);
  }
  write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.file.write(offset, bytes, signal);
  }
  async facts(signal: AbortSignal): Promise<EntryFacts> {
    return factsOf(await this.file.stat(signal));
  }
}

type More = (signal: AbortSignal) => Promise<Extra<RemoteWay> | undefined>;

class RemoteSource extends RemoteWay implements OpenSource {
  readonly more: More;

  constructor(files: RemoteFiles, file: RemoteFile, more: More) {
    super(files, file);
    this.more = more;
  }
  async close(): Promise<void> {
    closeUnheard(this.file);
  }
}

class RemotePart extends RemoteWay implements OpenPart {
  readonly more: More;

  constructor(files: RemoteFiles, file: RemoteFile, more: More) {
    super(files, file);
    this.more = more;
  }

  truncate(bytes: number, signal: AbortSignal): Promise<void> {
    return this.file.setstat({ size: bytes }, signal);
  }

  async copyFrom(source: OpenSource, { from, to }: ByteRange, signal: AbortSignal): Promise<boolean> {
    const { files, file } = this;
    if (!(source instanceof RemoteSource) || source.files !== files) return false;
    if (!files.capabilities.operations.has('copyData')) return false;
    const copy = { from: source.file, fromOffset: from, length: to - from, to: file, toOffset: from };
    try {
      await files.copyData(copy, signal);
      return true;
    } catch (error) {
      if (hasCode(error, 'unsupported')) return false;
      throw error;
    }
  }

  async finish(
    { bytes, ...attributes }: FinishPart,
    signal: AbortSignal,
  ): Promise<readonly TransferWarning['code'][]> {
    const warnings = new Set<TransferWarning['code']>();
    const dress = async (): Promise<void> => {
      const flushed = this.files.capabilities.operations.has('fsync')
        ? this.file.fsync(signal)
        : Promise.resolve();
      await Promise.all([
        flushed.catch(orWarn('not-flushed', warnings)),
        this.file.setstat(changeOf(attributes), signal).catch(orWarn('attributes-not-kept', warnings)),
      ]);
    };
    const [{ size }] = await Promise.all([this.file.stat(signal), dress()]);
    if (size !== undefined && size < bytes) throw tooShort();
    if (size !== undefined && size > bytes) {
      await this.truncate(bytes, signal);
      await dress();
    }
    await this.file.close(signal);
    return [...warnings];
  }

  async leave(): Promise<void> {
    closeUnheard(this.file); // what it holds is verified before it is used
  }
}

/** What a server cannot do is a warning; that it could not keep the bytes is none. Source: ssh.md 8.4. */
function orWarn(code: TransferWarning['code'], warnings: Set<TransferWarning['code']>) {
  return (error: unknown): void => {
    if (!isTermindError(error) || !['unsupported', 'denied', 'file-failed'].includes(error.fault.code))
      throw error;
    warnings.add(code);
  };
}

function remote(place: Place): RemotePath {
  if (place.k !== 'remote') throw new RangeError('a place of another end');
  return place.path;
}

function factsOf(attributes: FileAttributes): EntryFacts {
  const { size, mode, times } = attributes;
  return {
    kind: kindOf(attributes),
    size,
    mode: mode === undefined ? undefined : mode & permissionBits,
    modified: times?.modified,
    accessed: times?.accessed,
  };
}

function changeOf({ mode, times }: Pick<FinishPart, 'mode' | 'times'>): AttributeChange {
  return {
    mode,
    ...(times === undefined
      ? {}
      : { times: { accessed: Math.floor(times.accessed), modified: Math.floor(times.modified) } }),
  };
}
