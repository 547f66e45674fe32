import fs from 'node:fs/promises';
import path from 'node:path';
import type { NotedPart, TransferJournalsPort } from '../../application/ports/transferJournals.ts';
import { replacementSchema, type Replacement } from '../../domain/transfer/replacement.ts';
import { transferJournalSchema, type TransferJournal } from '../../domain/transfer/transferJournal.ts';
import { errorCode } from '../net/errorCode.ts';

const keyPattern = /^[0-9a-f]{64}$/;
/** Of 1 TiB of blocks, generously. */
const maxBytes = 64 * 1024 * 1024;

type Kind = 'json' | 'replacement.json';

/**
 * One file for each journal and one for each replacement that is noted, mode 0600, in a folder of their own that is made when the first one
 * is kept. Keys are SHA-256 in hexadecimal.
 */
export class JournalFiles implements TransferJournalsPort {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async load(key: string): Promise<TransferJournal | undefined> {
    return transferJournalSchema.safeParse(await this.#read(key, 'json')).data;
  }

  async ofWhole(whole: string): Promise<readonly NotedPart[]> {
    const names = await fs.readdir(this.#folder).catch(() => []);
    const keys = new Set(names.map((name) => name.split('.', 1)[0] ?? ''));
    const found: NotedPart[] = [];
    for (const key of keys) {
      if (!keyPattern.test(key)) continue;
      const [journal, replacement] = [await this.load(key), await this.replacement(key)];
      const note = journal?.whole === undefined ? replacement : journal;
      if (note?.whole?.key !== whole) continue;
      found.push({ key, target: note.whole.target, part: note.part, replacement });
    }
    return found;
  }

  save(key: string, journal: TransferJournal): Promise<void> {
    return this.#write(key, 'json', journal);
  }

  remove(key: string): Promise<void> {
    return this.#unlink(key, 'json');
  }

  async replacement(key: string): Promise<Replacement | undefined> {
    return replacementSchema.safeParse(await this.#read(key, 'replacement.json')).data;
  }

  noteReplacement(key: string, replacement: Replacement): Promise<void> {
    return this.#write(key, 'replacement.json', replacement);
  }

  endReplacement(key: string): Promise<void> {
    return this.#unlink(key, 'replacement.json');
  }

  /** Undefined when there is none that can be read. */
  async #read(key: string, kind: Kind): Promise<unknown> {
    try {
      const { size } = await fs.stat(this.#at(key, kind));
      if (size > maxBytes) return undefined;
      return JSON.parse(await fs.readFile(this.#at(key, kind), 'utf8'));
    } catch {
      return undefined;
    }
  }

  async #write(key: string, kind: Kind, value: TransferJournal | Replacement): Promise<void> {
    const unfinished = `${this.#at(key, kind)}.${String(process.pid)}.part`;
    await fs.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    try {
      await fs.writeFile(unfinished, JSON.stringify(value), { mode: 0o600, flush: true });
      await fs.rename(unfinished, this.#at(key, kind));
    } catch (error) {
      await fs.rm(unfinished, { force: true });
      throw error;
    }
  }

  async #unlink(key: string, kind: Kind): Promise<void> {
    try {
      await fs.unlink(this.#at(key, kind));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  #at(key: string, kind: Kind): string {
    if (!keyPattern.test(key)) throw new RangeError('a key that is no digest');
    return path.join(this.#folder, `${key}.${kind}`);
  }
}
