import type { LocalAttributes, LocalFile, LocalFilesPort, LocalFolder } from '../../ports/localFiles.ts';
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
import type { LocalPlace, Place, TransferWarning } from './transfer.ts';

/** Enough of one disk. */
const most = { inFlight: 64, open: 64 } as const;
const listPage = 1_000;
/** Keeping less is not worth it. */
const leastRecycled = 64 * 1024;

/** This machine: the folders that the places name. */
export class LocalEnd implements End {
  readonly maxRead = Number.MAX_SAFE_INTEGER;
  readonly maxWrite = Number.MAX_SAFE_INTEGER;
  readonly maxInFlight = most.inFlight;
  readonly maxOpen = most.open;
  readonly roundTripMs = 0;
  readonly isEnded = false;
  readonly replacesInTwoSteps = false;
  readonly #local: LocalFilesPort;
  readonly #folders = new Map<string, Promise<LocalFolder>>();

  constructor(local: LocalFilesPort) {
    this.#local = local;
  }

  async look(place: Place): Promise<EntryFacts | undefined> {
    const { folder, path } = await this.#in(place);
    const found = await folder.stat(path);
    return found === undefined ? undefined : factsOf(found);
  }

  async resolve(place: Place): Promise<Place> {
    return place;
  }

  async *list(place: Place): AsyncGenerator<ListedPage, void, undefined> {
    const { folder, path } = await this.#in(place);
    let entries: ListedPage['entries'][number][] = [];
    for await (const { name, ...found } of folder.list(path)) {
      entries.push({ name, facts: factsOf(found) });
      if (entries.length < listPage) continue;
      yield { entries, refused: [] };
      entries = [];
    }
    yield { entries, refused: [] };
  }

  async openSource(place: Place): Promise<OpenSource> {
    const { folder, path } = await this.#in(place);
    return new LocalSource(await folder.openRead(path));
  }

  async createPart(place: Place): Promise<OpenPart> {
    const { folder, path } = await this.#in(place);
    return new LocalPart(await folder.create(path));
  }

  async openPart(place: Place): Promise<OpenPart> {
    const { folder, path } = await this.#in(place);
    return new LocalPart(await folder.openWrite(path));
  }

  async mkdir(place: Place, mode: number): Promise<void> {
    const { folder, path } = await this.#in(place);
    await folder.mkdir(path, mode);
  }

  async dress(place: Place, { mode, times }: Pick<FinishPart, 'mode' | 'times'>): Promise<void> {
    const { folder, path } = await this.#in(place);
    await folder.change(path, changeOf({ mode, times }));
  }

  async rename({ from, to, replace }: Parameters<End['rename']>[0]): Promise<'inOneStep'> {
    const { folder, path } = await this.#in(from);
    await folder.rename({ from: path, name: local(to).path.at(-1) ?? '', replace });
    return 'inOneStep';
  }

  async remove(place: Place): Promise<void> {
    const { folder, path } = await this.#in(place);
    await folder.remove(path);
  }

  async release(): Promise<void> {
    const folders = [...this.#folders.values()];
    this.#folders.clear();
    await Promise.allSettled(folders.map(async (opened) => (await opened).close()));
  }

  async #in(place: Place): Promise<{ readonly folder: LocalFolder; readonly path: readonly string[] }> {
    const { folder, path } = local(place);
    let opened = this.#folders.get(folder);
    if (opened === undefined) {
      opened = this.#local.openFolder(folder);
      this.#folders.set(folder, opened);
    }
    return { folder: await opened, path };
  }
}

class LocalSource implements OpenSource {
  readonly isEnded = false;
  readonly #file: LocalFile;
  /** Buffers that were read into and are needed no more, all of one length. */
  #spare: Uint8Array[] = [];

  constructor(file: LocalFile) {
    this.#file = file;
  }
  read(offset: number, length: number): Promise<Uint8Array> {
    const into = this.#spare.at(-1)?.length === length ? this.#spare.pop() : undefined;
    return this.#file.read(offset, length, into);
  }
  recycle(bytes: Uint8Array): void {
    if (bytes.length < leastRecycled || bytes.length < bytes.buffer.byteLength) return;
    if (this.#spare.at(-1)?.length !== bytes.length) this.#spare = [];
    if (this.#spare.length < most.inFlight) this.#spare.push(bytes);
  }
  async facts(): Promise<EntryFacts> {
    return factsOf(await this.#file.stat());
  }
  async more(): Promise<Extra<Reader> | undefined> {
    return undefined;
  }
  async close(): Promise<void> {
    this.#spare = [];
    await this.#file.close().catch(() => {}); // it was only read
  }
}

class LocalPart implements OpenPart {
  readonly isEnded = false;
  readonly #file: LocalFile;

  constructor(file: LocalFile) {
    this.#file = file;
  }
  read(offset: number, length: number): Promise<Uint8Array> {
    return this.#file.read(offset, length);
  }
  write(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#file.write(offset, bytes);
  }
  async facts(): Promise<EntryFacts> {
    return factsOf(await this.#file.stat());
  }
  async more(): Promise<Extra<Writer> | undefined> {
    return undefined;
  }
  truncate(bytes: number): Promise<void> {
    return this.#file.truncate(bytes);
  }

  async copyFrom(): Promise<boolean> {
    return false;
  }

  async finish({ bytes, ...attributes }: FinishPart): Promise<readonly TransferWarning['code'][]> {
    const warnings: TransferWarning['code'][] = [];
    const { size } = await this.#file.stat();
    if (size < bytes) throw tooShort();
    if (size > bytes) await this.#file.truncate(bytes);
    if (!(await this.#file.flush())) warnings.push('not-flushed');
    await this.#file.change(changeOf(attributes)).catch(() => void warnings.push('attributes-not-kept'));
    await this.#file.close();
    return warnings;
  }

  async leave(): Promise<void> {
    await this.#file.close().catch(() => {}); // what it holds is verified before it is used
  }
}

function local(place: Place): LocalPlace {
  if (place.k !== 'local') throw new RangeError('a place of another end');
  return place;
}

function factsOf({ kind, size, mode, modified, accessed }: LocalAttributes): EntryFacts {
  return { kind, size, mode, modified, accessed };
}

function changeOf({ mode, times }: Pick<FinishPart, 'mode' | 'times'>): Parameters<LocalFile['change']>[0] {
  return { mode, ...(times === undefined ? {} : { times }) };
}
